import { casesFromCsv } from '@engine/authoring'
import { isObject, jsonValue, type Value } from '@engine/expression'
import { yamlToJson } from '@engine/rule-file'
import { utf8In } from './utf8.ts'
import { unstorableIn } from '../http/unstorable.ts'
import type { SuiteFileResult, SuiteFileTask } from './tasks.ts'

const MEMBERS = ['ruleset', 'cases']

/** Reads a file of test suites, on a thread: YAML takes seconds a megabyte. */
export function readSuiteFile({ format, bytes, most }: SuiteFileTask): SuiteFileResult {
  const text = utf8In(bytes)
  if (text === undefined) return { kind: 'not-text' }
  const read = format === 'csv' ? fromCsv(text) : fromYaml(text)
  if (read.kind !== 'read') return read
  const cases = (read.document as { readonly cases: readonly Value[] }).cases.length
  if (cases > most) return { kind: 'refused', reason: `has ${cases} cases: at most ${most} are read at once` }
  const unstorable = unstorableIn(read.document)
  return unstorable === undefined
    ? read
    : { kind: 'refused', reason: `${unstorable.message} at \`${unstorable.path}\`` }
}

function fromCsv(text: string): SuiteFileResult {
  const read = casesFromCsv(text)
  return 'reason' in read ? { kind: 'refused', ...read } : { kind: 'read', document: { cases: read.list } }
}

function fromYaml(text: string): SuiteFileResult {
  const converted = yamlToJson(text)
  if ('reason' in converted) return { kind: 'refused', reason: converted.reason }
  const document = jsonValue(converted.json)
  const fault = faultOf(document)
  return fault === undefined ? { kind: 'read', document } : { kind: 'refused', reason: fault }
}

/** As the schema of the same document as JSON has it. */
function faultOf(document: Value): string | undefined {
  if (!isObject(document)) return 'must be `{ruleset, cases}`'
  const stranger = Object.keys(document).find((key) => !MEMBERS.includes(key))
  if (stranger !== undefined) return `has a member \`${stranger}\`: expected \`ruleset\` and \`cases\``
  const { ruleset, cases } = document
  if (ruleset !== undefined && typeof ruleset !== 'string') return 'must name its ruleset by a text'
  return Array.isArray(cases) ? undefined : 'must have a list `cases`'
}
