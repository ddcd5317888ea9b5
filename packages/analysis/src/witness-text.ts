import { stringifyJson } from '@engine/expression'
import type { Witness } from './verdict.ts'
import type { Stub } from './witness/stubs.ts'

/** A witness for people: its input, with the time and the answers of external calls, where the rules read them. */
export function witnessText({ input, now, stubs = [] }: Witness): string {
  const at = now === undefined ? '' : ` at ${now} ms`
  return `${stringifyJson(input)}${at}${stubs.length === 0 ? '' : `, where ${answersText(stubs)}`}`
}

export function answersText(stubs: readonly Stub[]): string {
  return stubs.map(answerText).join(' and ')
}

function answerText({ service, method, parameters, answer }: Stub): string {
  const call = `${service}.${method}(${stringifyJson(parameters)})`
  if (answer === undefined) return `${call} fails`
  const { payload = null, metadata = {} } = answer
  const more = stringifyJson(metadata)
  return `${call} answers ${stringifyJson(payload)}${more === '{}' ? '' : ` with ${more}`}`
}
