import { nearest } from '@engine/expression'
import type { OptionProgram, OptionTable } from './option.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Names of what Kubernetes puts into every pod for a service whose name begins like the prefix. */
const ofAService = (prefix: string) =>
  new RegExp(`^${prefix}(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT_\\d+_(?:TCP|UDP|SCTP)(?:_.+)?)$`)
/** The prefix with `PORT` is one of them as well, with such a value; a number there is meant for us. */
const PLACE_OF_A_SERVICE = /^(?:tcp|udp|sctp):\/\//

/**
 * Warnings about variables that are named like those of the options and are none: a misspelt one would have no effect, and
 * `ENGINE_API_TOKENS_FLIE` no access control.
 */
export function strangeVariables(
  { options, later, envPrefix, ownVariables }: OptionProgram<OptionTable>,
  env: Environment,
): readonly string[] {
  const known = [...Object.values(options), ...later].flatMap(({ env: name }) => name ?? [])
  const serviceName = ofAService(envPrefix)
  const isOurs = (name: string) => ownVariables.includes(name) || known.includes(name)
  const isOfAService = (name: string, value = '') => serviceName.test(name) || PLACE_OF_A_SERVICE.test(value)
  const strangers = Object.entries(env).filter(
    ([name, value]) => name.startsWith(envPrefix) && !isOurs(name) && !isOfAService(name, value),
  )
  return strangers.map(([name]) => {
    const meant = nearest(name, known)
    return `the environment variable ${name} is no option${meant === undefined ? '' : `: did you mean ${meant}?`}`
  })
}
