import { escapedKey } from '@engine/expression'
import type { EditorState } from '../state/editor-context.ts'

/**
 * JSON pointer to the selected row of the table, otherwise to the selected step, with ids instead of indexes. It stays
 * valid when steps and rows move.
 */
export function selectedPlace({ graph, table, selected, row }: EditorState): string | undefined {
  const step = table ?? selected
  if (step === undefined) return undefined
  const at = `${graph.prefix}/steps/${escapedKey(step.id)}`
  const isRow = table !== undefined && table.rows.some(({ id }) => id === row)
  return isRow && row !== undefined ? `${at}/rows/${escapedKey(row)}` : at
}
