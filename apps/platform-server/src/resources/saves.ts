import { invalidParameter, type QueryParameters } from '@engine/http-api'
import { Type } from 'typebox'
import { limitOf } from './pagination.ts'

/** A page of the saves of one document, the last save first. */
export interface SavesPage {
  readonly limit: number
  /** Earlier saves than this one; undefined: from the last one on. */
  readonly before: number | undefined
}

/** The parameters of a comparison of two saves. */
export const COMPARED_SAVES: QueryParameters = {
  from: Type.Integer({ minimum: 1, description: 'default: the save before `to`' }),
  to: Type.Integer({ minimum: 1, description: 'default: the last save' }),
}

/** The page that a query requests; its cursor is the number of a save. Throws `HttpError`. */
export function savesPageOf(query: URLSearchParams): SavesPage {
  const cursor = query.get('cursor')
  const before = cursor === null ? undefined : seqOf(cursor)
  if (cursor !== null && before === undefined)
    throw invalidParameter('cursor', 'is not one of this list: begin without it')
  return { limit: limitOf(query.get('limit')), before }
}

/** One page of saves, of rows of which there is one more than its limit when another page follows. */
export function listedSaves<Row extends { readonly seq: number }, Item>(
  rows: readonly Row[],
  { limit }: SavesPage,
  itemOf: (row: Row) => Item,
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  return { items: shown.map(itemOf), next_cursor: rows.length > limit ? String(shown.at(-1)?.seq) : null }
}

/** The number of a save from a parameter; undefined: it is omitted. Throws `HttpError`. */
export function seqIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const seq = seqOf(given)
  if (seq === undefined) throw invalidParameter(name, 'must be the number of a save')
  return seq
}

/** A number of a save; undefined: the text is none. */
export const seqOf = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
