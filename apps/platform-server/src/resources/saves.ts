import { invalidParameter, type QueryParameters } from '@engine/http-api'
import { Type } from 'typebox'
import { limitOf } from './pagination.ts'

/** A page of the saves of one document, newest first. */
export interface SavesPage {
  readonly limit: number
  /** Selects saves before this one; undefined: starts with the latest one. */
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

/** One page of saves. `rows` has one more row than the limit if another page follows. */
export function listedSaves<Row extends { readonly seq: number }, Item>(
  rows: readonly Row[],
  { limit }: SavesPage,
  itemOf: (row: Row) => Item,
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  return { items: shown.map(itemOf), next_cursor: rows.length > limit ? String(shown.at(-1)?.seq) : null }
}

/** The number of a save from a parameter; undefined if it is omitted. Throws `HttpError`. */
export function seqIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const seq = seqOf(given)
  if (seq === undefined) throw invalidParameter(name, 'must be the number of a save')
  return seq
}

/** The number of a save; undefined if the text is invalid. */
export const seqOf = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
