import { jsonValue, type Value } from '@engine/expression'
import { createPauses, parsedJson } from '@engine/process'
import { requestMemory } from '../memory/memory-budget.ts'
import type { KyselyPlugin, PluginTransformResultArgs, QueryResult, RootOperationNode, UnknownRow } from 'kysely'

/** Longest JSON parsed in one turn, in characters: about a millisecond. */
const MAX_SYNC_CHARACTERS = 32 * 1024

/** JSON of a column that is too long to be parsed on arrival. */
class LongJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The value of a JSON column; a long one stays text until `LongJsonReader` parses it. */
export const jsonOfColumn = (text: string): Value | LongJson =>
  text.length > MAX_SYNC_CHARACTERS ? new LongJson(text) : jsonValue(text)

/** Parses long JSON columns in pieces between other requests: `pg` would parse a whole row in one turn. */
export class LongJsonReader implements KyselyPlugin {
  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const paused = createPauses()
    chargeRead(sizeOf(result.rows))
    for (const row of result.rows)
      for (const [column, value] of Object.entries(row)) {
        if (!(value instanceof LongJson)) continue
        row[column] = await storedJson(value.text)
        await paused()
      }
    return result
  }
}

/**
 * Memory per character read, in bytes: the text, the values or the answer that it becomes, and its bytes in transit.
 */
const MEMORY_PER_CHARACTER = 8

/**
 * Charges the memory of a read to the current request. A large read is charged by its size in the database before it
 * starts, and by its rows after it: the larger charge counts. Throws `overloaded` (503).
 */
export function chargeRead(characters: number): void {
  requestMemory()?.hold(characters * MEMORY_PER_CHARACTER)
}

/** Number of characters of the long texts of a result. */
function sizeOf(rows: readonly UnknownRow[]): number {
  let size = 0
  for (const row of rows)
    for (const column in row) {
      const value = row[column]
      const length = typeof value === 'string' ? value.length : value instanceof LongJson ? value.text.length : 0
      if (length > MAX_SYNC_CHARACTERS) size += length
    }
  return size
}

/** Parses JSON text from the database, in pieces between other requests if it is long. */
export async function storedJson(text: string): Promise<Value> {
  const parsed = await parsedJson(text, { duplicateKeys: 'last', numbers: 'exact' })
  if (parsed.kind === 'failed') throw new Error(`stored JSON cannot be read: ${parsed.problem.message}`)
  return parsed.value
}
