import { nearest } from '@engine/expression'
import type { OptionProgram, OptionTable } from './option.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Names of what Kubernetes puts into every pod for a service whose name begins like the prefix. */
const ofAService = (prefix: string) =>
  new RegExp(`^${prefix}(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT_\\d+_(?:TCP|UDP|SCTP)(?:_.+)?)$`)
/** The prefix with `PORT` is one of them as well, with such a value; a number there is meant for us. */
const PLACE_OF_A_SERVICE = /^(?:tcp|udp|sctp):\/\//

/** A variable that is named like those of the options and is none. */
export interface StrangeVariable {
  readonly message: string
  /** It probably means an option that protects: `ENGINE_API_TOKENS_FLIE` must not give a server without access control. */
  readonly isDangerous: boolean
}

/** Variables that are named like those of the options and are none: a misspelt one would have no effect. */
export function strangeVariables(
  { options, later, envPrefix, ownVariables }: OptionProgram<OptionTable>,
  env: Environment,
): readonly StrangeVariable[] {
  const protecting = new Set(
    Object.values(options).flatMap(({ protects, env: name }) => (protects ? (name ?? []) : [])),
  )
  const known = [...Object.values(options), ...later].flatMap(({ env: name }) => name ?? [])
  const serviceName = ofAService(envPrefix)
  const isOurs = (name: string) => ownVariables.includes(name) || known.includes(name)
  const isOfAService = (name: string, value = '') => serviceName.test(name) || PLACE_OF_A_SERVICE.test(value)
  const strangers = Object.entries(env).filter(
    ([name, value]) => name.startsWith(envPrefix) && !isOurs(name) && !isOfAService(name, value),
  )
  return strangers.map(([name, value]) => {
    const meant = nearest(name, known)
    return {
      message: `the environment variable ${name} is no option${meant === undefined ? '' : `: did you mean ${meant}?`}`,
      isDangerous: value !== '' && meant !== undefined && protecting.has(meant),
    }
  })
}
