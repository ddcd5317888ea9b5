import { isObject, parseJson, type Value } from '@engine/expression'
import { ApiError } from '../api/errors.ts'
import type { components } from '../api/schema.ts'

type Report = components['schemas']['ImportReport']
type Reason = Report['reasons'][number]

/** Content types of the formats of documents. */
export const FORMATS = {
  jdm: 'application/json',
  dmn: 'application/xml',
  'json-rules-engine': 'application/json',
  xlsx: 'application/octet-stream',
  csv: 'text/csv',
  engine: 'application/json',
} as const

export type Format = keyof typeof FORMATS

/** A file with the options of its import. */
export interface ChosenFile {
  readonly file: File
  readonly format: Format
  /** Empty to use the name in the document. */
  readonly name: string
  /** The only decision of a DMN model to import; empty for all. */
  readonly decision: string
  readonly repeatsInput: boolean
}

/** Maximum size of a JSON file that the browser parses to detect its format. */
const MAX_READ = 5_000_000

/** Detects the format of a file by its name, and that of JSON by its members. */
export async function formatOf(file: Pick<File, 'name' | 'size' | 'text'>): Promise<Format> {
  const ending = /\.([^.]+)$/.exec(file.name.toLowerCase())?.[1]
  if (ending === 'dmn' || ending === 'xml') return 'dmn'
  if (ending === 'xlsx' || ending === 'csv') return ending
  if (file.size > MAX_READ) return 'jdm'
  const read = parseJson(await file.text(), { duplicateKeys: 'last', numbers: 'exact' })
  return read.kind === 'parsed' ? formatOfJson(read.value) : 'jdm'
}

function formatOfJson(value: Value): Format {
  if (!isObject(value)) return 'json-rules-engine'
  if ('nodes' in value || 'edges' in value) return 'jdm'
  return 'rules' in value || 'conditions' in value || 'event' in value ? 'json-rules-engine' : 'engine'
}

/** The report of an unreadable document. */
export function refusedReport(error: Error): Report {
  // Other errors are not about the document: for example an unreachable platform or a missing permission.
  if (!(error instanceof ApiError) || ![400, 413, 415].includes(error.status)) throw error
  return {
    summary: { documents: 1, ready: 0, review: 0, refused: 1, cases: 0, failed: 0 },
    documents: [{ document: '', verdict: 'refused', rulesets: [], cases: [] }],
    reasons: [
      {
        severity: 'error',
        code: 'not-read',
        count: 1,
        places: [{ document: '', path: '', message: error.message }],
      },
    ],
  }
}

const RANKS: readonly Reason['severity'][] = ['error', 'warning', 'info']

/** Merges the reports of documents that were sent one by one, and adds the names of their files. */
export function mergeReports(reports: readonly Report[], names: readonly string[]): Report {
  const sum = (member: keyof Report['summary']) => reports.reduce((total, { summary }) => total + summary[member], 0)
  const reasons = new Map<string, Reason>()
  for (const [index, report] of reports.entries())
    for (const { severity, code, count, places } of report.reasons) {
      const key = `${severity} ${code}`
      const old = reasons.get(key) ?? { severity, code, count: 0, places: [] }
      const own = places.map((place) => ({ ...place, document: names[index] ?? '' }))
      reasons.set(key, { ...old, count: old.count + count, places: [...old.places, ...own] })
    }
  return {
    summary: {
      documents: sum('documents'),
      ready: sum('ready'),
      review: sum('review'),
      refused: sum('refused'),
      cases: sum('cases'),
      failed: sum('failed'),
    },
    documents: reports.flatMap(({ documents }, index) =>
      documents.map((one) => ({ ...one, document: names[index] ?? '' })),
    ),
    reasons: [...reasons.values()].sort(
      (one, other) => RANKS.indexOf(one.severity) - RANKS.indexOf(other.severity) || other.count - one.count,
    ),
  }
}
