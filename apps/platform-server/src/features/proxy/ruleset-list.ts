import type { RulesetSummary } from '@engine/api'
import { isObject, type Value, ValueAllowance } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { parsedJson } from '@engine/process'
import { refuseName } from '@engine/ruleset'
import { requestMemory } from '../../memory/memory-budget.ts'
import { partsOf } from './buffered-body.ts'
import type { EngineAnswer } from './engine-answer.ts'

/** Number of rows requested per page. */
const PAGE_ROWS = 50
/**
 * Maximum size of one page of an engine, and number of values in it: rows of engines may have more members than rows
 * here.
 */
const [MAX_PAGE_BYTES, MAX_PAGE_VALUES] = [4 * 1024 * 1024, PAGE_ROWS * 100] as const
/** Size of the pages behind one answer after which the answer ends with a cursor. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Memory per byte sent by an engine: the byte itself, its text, the rows, and the answer. */
const MEMORY_PER_BYTE = 4

/** The query of a list. */
export interface ListQuery {
  /** Maximum number of rows. */
  readonly limit: number
  /** Name of the last row of the previous page. */
  readonly cursor: string | undefined
  /** Text that a row must contain. */
  readonly q: string | undefined
}

export interface RulesetPage {
  readonly rows: readonly RulesetSummary[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/** An engine's list does not have the format of engines. */
export class UnreadableList extends Error {}

/**
 * The rows of an engine's list that callers may see. A shared engine also lists rulesets of other projects, so the list
 * is read page by page and every row is rebuilt. Time grows with the rows that are skipped; memory is bounded by
 * `MAX_ANSWER_BYTES` and a page. Throws `UnreadableList`, and `overloaded` when the memory for requests is in use.
 *
 * @param fetchPage resolves to a page of the engine's list for a query string
 * @param isShown returns true if a row with this name may be shown
 */
export async function reachableRulesets(
  { limit, cursor, q }: ListQuery,
  fetchPage: (query: string) => Promise<EngineAnswer['body']>,
  isShown: (name: string) => boolean,
): Promise<RulesetPage> {
  const rows: RulesetSummary[] = []
  let bytes = 0
  let after = cursor
  for (;;) {
    const text = await textOf(await fetchPage(pageQuery(after, q)), bytes)
    const page = await rowsOf(text, after)
    bytes += text.length
    for (const row of page) {
      if (!isShown(row.name)) continue
      if (rows.length === limit) return { rows, next: rows.at(-1)?.name }
      rows.push(row)
    }
    after = page.at(-1)?.name
    if (after === undefined || page.length < PAGE_ROWS) return { rows, next: undefined }
    // Only names that the caller may know become a cursor.
    if (bytes > MAX_ANSWER_BYTES && rows.length > 0) return { rows, next: rows.at(-1)?.name }
  }
}

function pageQuery(after: string | undefined, q: string | undefined): string {
  const query = new URLSearchParams({ limit: String(PAGE_ROWS) })
  if (after !== undefined) query.set('cursor', after)
  if (q !== undefined) query.set('q', q)
  return `?${query.toString()}`
}

/** @param before size of the previous pages in bytes */
async function textOf(body: EngineAnswer['body'], before: number): Promise<string> {
  const memory = requestMemory()
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of partsOf(body)) {
      size += part.length
      if (size > MAX_PAGE_BYTES) break
      memory?.hold((before + size) * MEMORY_PER_BYTE)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new UnreadableList('its list broke off', { cause: error })
  }
  if (size > MAX_PAGE_BYTES)
    throw new UnreadableList(`its list has more than ${MAX_PAGE_BYTES} bytes for ${PAGE_ROWS} rows`)
  return Buffer.concat(parts).toString('utf8')
}

/** The rows of a page, whose names must ascend: a cyclic list would never end. */
async function rowsOf(text: string, after: string | undefined): Promise<readonly RulesetSummary[]> {
  const parsed = await parsedJson(text, { duplicateKeys: 'refuse', values: new ValueAllowance(MAX_PAGE_VALUES) })
  if (parsed.kind !== 'parsed' || !Array.isArray(parsed.value) || parsed.value.length > PAGE_ROWS) throw unreadable()
  let before = after
  return parsed.value.map((value: Value) => {
    const row = rowOf(value)
    if (row === undefined || (before !== undefined && row.name <= before)) throw unreadable()
    before = row.name
    return row
  })
}

function rowOf(value: Value): RulesetSummary | undefined {
  if (!isObject(value)) return undefined
  const { name, version, description, step_count, digest } = value as Readonly<Record<string, Value>>
  if (typeof name !== 'string' || refuseName(name) !== undefined) return undefined
  if (typeof version !== 'string' || typeof step_count !== 'number' || typeof digest !== 'string') return undefined
  return { name, version, description: typeof description === 'string' ? description : null, step_count, digest }
}

const unreadable = () => new UnreadableList('its list of rulesets cannot be read')
