import { nearest } from '@engine/expression'
import { configVariable } from './config-file.ts'
import type { OptionProgram, OptionTable } from './option.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Names of the variables that Kubernetes adds to every pod for a service with this prefix. */
const ofAService = (prefix: string) =>
  new RegExp(`^${prefix}(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT_\\d+_(?:TCP|UDP|SCTP)(?:_.+)?)$`)
/** Kubernetes also sets the prefix with `PORT`, to a value of this form; a number is meant for the option. */
const PLACE_OF_A_SERVICE = /^(?:tcp|udp|sctp):\/\//

/** A variable with the prefix of the options that is not an option. */
export interface StrangeVariable {
  readonly message: string
  /**
   * It probably misspells a protective option: `ENGINE_API_TOKENS_FLIE` must not start a server without access control.
   */
  readonly isDangerous: boolean
}

/** Variables with the prefix of the options that are not options: a misspelt one would have no effect. */
export function strangeVariables(program: OptionProgram<OptionTable>, env: Environment): readonly StrangeVariable[] {
  const { options, envPrefix, ownVariables } = program
  const protecting = new Set(
    Object.values(options).flatMap(({ protects, env: name }) => (protects ? (name ?? []) : [])),
  )
  const known = [configVariable(program), ...Object.values(options).flatMap(({ env: name }) => name ?? [])]
  const serviceName = ofAService(envPrefix)
  const isOurs = (name: string) => ownVariables.includes(name) || known.includes(name)
  const isOfAService = (name: string, value = '') => serviceName.test(name) || PLACE_OF_A_SERVICE.test(value)
  const strangers = Object.entries(env).filter(
    ([name, value]) => name.startsWith(envPrefix) && !isOurs(name) && !isOfAService(name, value),
  )
  return strangers.map(([name, value]) => {
    const meant = nearest(name, known)
    return {
      message: `the environment variable ${name} is not an option${meant === undefined ? '' : `: did you mean ${meant}?`}`,
      isDangerous: value !== '' && meant !== undefined && protecting.has(meant),
    }
  })
}
