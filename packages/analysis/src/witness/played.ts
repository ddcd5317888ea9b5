import { stringifyJson } from '@engine/expression'
import type { Encoder } from '../formula/encoder.ts'
import type { Witness } from '../verdict.ts'
import type { Candidate } from './model.ts'
import { Stubs } from './stubs.ts'

/** A candidate as it is executed: the answers among the members of its input are those of its services. */
export function played({ input, now, stubs }: Candidate, calls: Encoder['calls']): Candidate {
  if (stubs !== undefined) return { input, ...(now !== undefined && { now }), stubs }
  const members = new Set(Array.from(calls.values(), ({ member }) => member))
  const sent = Object.entries(input).filter(([name]) => !members.has(name))
  const answers = new Stubs(calls.values(), input, now ?? 0)
  return { input: Object.fromEntries(sent), ...(now !== undefined && { now }), stubs: answers }
}

/** A candidate that was executed, as it is shown. */
export function witnessOf({ input, now, stubs }: Candidate): Witness {
  const calls = stubs?.calls ?? []
  return { input, ...(now !== undefined && { now }), ...(calls.length > 0 && { stubs: [...calls] }) }
}

/** A witness for people: its input, with the answers of services and the time, where the rules read them. */
export function witnessText({ input, now, stubs = [] }: Witness): string {
  const at = now === undefined ? '' : ` at ${now} ms`
  const answers = stubs.map(({ service, method, parameters, answer }) => {
    const { payload = null, metadata = {} } = answer ?? {}
    const isBare = stringifyJson(metadata) === '{}'
    const answered = isBare ? stringifyJson(payload) : `${stringifyJson(payload)} with ${stringifyJson(metadata)}`
    return `${service}.${method}(${stringifyJson(parameters)}) ${answer === undefined ? 'fails' : `answers ${answered}`}`
  })
  return `${stringifyJson(input)}${at}${answers.length === 0 ? '' : `, where ${answers.join(' and ')}`}`
}
