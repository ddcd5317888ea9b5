import type { Case as CaseDocument } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { writeRuleFile } from '@engine/rule-file'
import type { Answer } from '@engine/http-server'
import { casesOf, type SuiteRow } from './suites.ts'

/** The suites of a ruleset as one document, which `engine-check` reads as well. */
export function suiteFile(ruleset: string, suites: readonly SuiteRow[], format: 'yaml' | 'csv'): Answer {
  const cases = suites.flatMap((suite) => casesOf(suite).map(({ id: _id, ...one }) => ({ suite: suite.name, ...one })))
  if (format === 'csv') return { status: 200, body: csvText(cases), type: 'text/csv; charset=utf-8' }
  const document = { ruleset, cases: cases as unknown as Value }
  const text = Buffer.from(writeRuleFile('.yaml', document))
  return { status: 200, body: text, type: 'application/yaml; charset=utf-8' }
}

const COLUMNS = ['suite', 'name', 'now', 'input', 'stubs', 'expect'] as const

/** One row a case; values that are no texts are JSON. */
function csvText(cases: readonly CaseDocument[]): string {
  const rows = cases.map((one) =>
    COLUMNS.map((column) => {
      const value = one[column] as Value | undefined
      return quoted(value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value))
    }),
  )
  return [COLUMNS, ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

/** A cell of RFC 4180. */
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
