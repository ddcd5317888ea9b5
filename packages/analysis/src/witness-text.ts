import { stringifyJson } from '@engine/expression'
import type { Witness } from './verdict.ts'

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
