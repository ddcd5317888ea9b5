import { quote } from '@engine/expression'
import type { EditorPlaces } from '../convert/editor-places.ts'
import type { Part, Parts } from './coverage.ts'

/** Maps a converted ruleset to the steps, branches and rows of its draft, by their position in the draft. */
export function draftParts({ editorStep, editorRows }: EditorPlaces): Parts {
  const nameOf = (id: string) => quote(editorStep(id)?.step_id ?? id)
  return {
    step: (id) => ({ key: editorStep(id)?.path ?? id, words: `step ${nameOf(id)}` }),
    wayOut({ id }, branch) {
      const owner = editorStep(id)?.path ?? id
      if (branch === undefined) return { key: `${owner}/default`, words: `the default of ${nameOf(id)}` }
      const path = editorStep(id, branch)?.path ?? `${owner}/branches/${branch}`
      return rowAt(path, nameOf(id)) ?? { key: path, words: `branch ${branch + 1} of ${nameOf(id)}` }
    },
    rows: ({ id }, action) => editorRows(id, action).flatMap((path) => rowAt(path, nameOf(id)) ?? []),
  }
}

/** The row of a table; undefined when the place is not a row. */
function rowAt(path: string, step: string): Part | undefined {
  const [, row] = /\/rows\/(\d+)$/.exec(path) ?? []
  return row === undefined ? undefined : { key: path, words: `row ${Number(row) + 1} of ${step}`, isRow: true }
}
