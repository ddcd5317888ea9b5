import { type ArchivedCase, casesFromCsv, casesToCsv } from '@engine/authoring'
import { isObject, type JsonProblem, jsonValue, parseJson, type Value } from '@engine/expression'
import { writeRuleFile, yamlToJson } from '@engine/rule-file'
import { bodyValues } from '../http/body-values.ts'
import { utf8In } from './utf8.ts'
import { unsupportedTextIn } from '../database/unsupported-text.ts'
import type { StoredSuite, SuiteFileResult, SuiteFileTask, WriteSuitesTask } from './tasks.ts'

const MEMBERS = ['ruleset', 'cases']

/** Reads a file of test suites, on a thread: YAML takes seconds per megabyte. */
export function readSuiteFile({ format, bytes, most }: SuiteFileTask): SuiteFileResult {
  const text = utf8In(bytes)
  if (text === undefined) return { kind: 'not-text' }
  const read = format === 'csv' ? fromCsv(text) : fromYaml(text)
  if (read.kind !== 'read') return read
  const cases = (read.document as { readonly cases: readonly Value[] }).cases.length
  if (cases > most) return { kind: 'refused', reason: `it has ${cases} cases: at most ${most} are read at once` }
  const unstorable = unsupportedTextIn(read.document)
  return unstorable === undefined
    ? read
    : { kind: 'refused', reason: `it ${unstorable.message} at \`${unstorable.path}\`` }
}

function fromCsv(text: string): SuiteFileResult {
  const values = bodyValues()
  const read = casesFromCsv(text, values)
  if ('reason' in read)
    return { kind: 'refused', ...read, reason: `it ${read.reason}`, ...(values.left < 0 && { isTooLarge: true }) }
  return { kind: 'read', document: { cases: read.list } }
}

function fromYaml(text: string): SuiteFileResult {
  const converted = yamlToJson(text)
  if ('reason' in converted) return { kind: 'refused', reason: converted.reason }
  const parsed = parseJson(converted.json, { duplicateKeys: 'refuse', values: bodyValues(), numbers: 'exact' })
  if (parsed.kind === 'failed') return unlikeJson(parsed.problem)
  const document = parsed.value
  const fault = faultOf(document)
  return fault === undefined ? { kind: 'read', document } : { kind: 'refused', reason: fault }
}

/** The position in the message is omitted: it refers to the JSON text that the YAML became. */
function unlikeJson({ code, message }: JsonProblem): SuiteFileResult {
  const reason = `it holds what JSON cannot have: ${message.replace(/ \(line \d+, column \d+\)$/, '')}`
  return { kind: 'refused', reason, ...(code === 'too-many-values' && { isTooLarge: true }) }
}

/** The first fault, as reported by the schema of the same document in JSON. */
function faultOf(document: Value): string | undefined {
  if (!isObject(document)) return 'it must be `{ruleset, cases}`'
  const stranger = Object.keys(document).find((key) => !MEMBERS.includes(key))
  if (stranger !== undefined) return `it has a member \`${stranger}\`: expected \`ruleset\` and \`cases\``
  const { ruleset, cases } = document
  if (ruleset !== undefined && typeof ruleset !== 'string') return 'it must name its ruleset by a text'
  return Array.isArray(cases) ? undefined : 'it must have a list `cases`'
}

/** Writes the suites of a ruleset as one document, which `engine-check` reads as well. */
export function writeSuiteFile({ format, ruleset, suites }: WriteSuitesTask): Uint8Array {
  const cases = suites.flatMap((suite) => casesIn(suite).map((one) => ({ suite: suite.name, ...one })))
  return Buffer.from(format === 'csv' ? casesToCsv(cases) : writeRuleFile('.yaml', { ruleset, cases }))
}

/** The cases of a stored suite, without their ids. */
export function casesIn({ cases }: StoredSuite): readonly ArchivedCase[] {
  const stored = jsonValue(cases) as unknown as readonly (ArchivedCase & { readonly id: string })[]
  return stored.map(({ id: _id, ...one }) => one)
}
