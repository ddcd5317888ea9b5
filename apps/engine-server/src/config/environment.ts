import { nearest } from '@engine/expression'
import { LATER } from './later.ts'
import { OPTIONS, type Option } from './options.ts'
import { WORKER_VARIABLE } from '../workers/worker-number.ts'

const PREFIX = 'ENGINE_'

/** Names of what Kubernetes puts into every pod for a service whose name begins with `engine`. */
const OF_A_SERVICE = /^ENGINE_(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.+)?)$/
/** `ENGINE_PORT` is one of them as well, with such a value; a number there is meant for us. */
const PLACE_OF_A_SERVICE = /^(?:tcp|udp|sctp):\/\//

/**
 * Warnings about variables that are named like those of the options and are none: a misspelt one would have no effect, and
 * `ENGINE_API_TOKENS_FLIE` no access control.
 */
export function strangeVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = [...Object.values<Option<unknown>>(OPTIONS), ...LATER].flatMap(({ env: name }) => name ?? [])
  const isOurs = (name: string) => name === WORKER_VARIABLE || known.some((one) => one === name)
  const isOfAService = (name: string, value = '') => OF_A_SERVICE.test(name) || PLACE_OF_A_SERVICE.test(value)
  const strangers = Object.entries(env).filter(
    ([name, value]) => name.startsWith(PREFIX) && !isOurs(name) && !isOfAService(name, value),
  )
  return strangers.map(([name]) => {
    const meant = nearest(name, known)
    return `the environment variable ${name} is no option${meant === undefined ? '' : `: did you mean ${meant}?`}`
  })
}
