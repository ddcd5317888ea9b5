import { isList, isObject, type ObjectValue, parseJson, quote, type Value } from '@engine/expression'
import { parseEntry } from './entry.ts'
import { commitmentAt, namesOf, replaced } from './fields.ts'
import { Malformed } from './malformed.ts'
import { parseReceipt } from './receipt.ts'

/** A decision from its receipt, to be repeated with other rules. */
export interface RecordedDecision {
  readonly input: ObjectValue
  /** Undefined if the execution failed. */
  readonly code: string | undefined
  /** The value of `now()` in the rules, in epoch milliseconds. */
  readonly now: number
  /** The awaited external calls with their answers, in order. */
  readonly calls: readonly Value[]
}

/**
 * Reads the decision of a receipt from its evidence, without verifying it. Throws `Malformed`, also if evidence is
 * missing.
 */
export function recordedDecision(text: string): RecordedDecision {
  const receipt = parseReceipt(text)
  const entry = parseEntry(receipt.entry)
  if (entry.kind === 'lost') throw new Malformed('the entry states a gap: it is no receipt of a decision')
  const { input, calls, fields = {} } = receipt.evidence ?? {}
  if (input === undefined) throw new Malformed('the receipt has no evidence of the input')
  if (calls === undefined && entry.trust.calls !== '')
    throw new Malformed('the receipt has no evidence of the external calls')
  let whole = valueOf(input[1], 'input')
  if (!isObject(whole)) throw new Malformed('the input in the evidence must be an object')
  for (const [path, [, shown]] of Object.entries(fields))
    if (commitmentAt(whole, path) !== undefined) whole = replaced(whole, namesOf(path), valueOf(shown, path))
  const made = calls === undefined ? [] : valueOf(calls[1], 'calls')
  if (!isList(made)) throw new Malformed('the external calls in the evidence must be a list')
  return { input: whole, code: entry.result?.code, now: entry.now, calls: made }
}

function valueOf(text: string, part: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'failed')
    throw new Malformed(`the evidence ${quote(part)} is not valid JSON: ${parsed.problem.message}`)
  return parsed.value
}
