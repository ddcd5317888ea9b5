import type { Column, DraftGraph, DraftStep, Row, TableStep, TerminalStep } from '@engine/authoring'
import type { SheetTable } from '../language/tasks.ts'
import { freshId, idMaker } from '../session/new-draft.ts'
import { withColumn } from './columns.ts'

/** The target of a column of a file: the column with an id, a new one, or none. */
export type Target = { readonly id: string } | 'new' | 'none'

/** The choices in the preview. */
export interface ImportChoice {
  readonly sheet: SheetTable
  /** One for each column of the sheet. */
  readonly targets: readonly Target[]
  readonly mode: 'replace' | 'add'
}

/** The effects of an import. */
export interface ImportPlan {
  readonly step: TableStep
  /** New results, for names in the column `next` that match no step. */
  readonly results: readonly TerminalStep[]
  /** Rows that exist already: they keep id and note. */
  readonly same: number
  readonly added: number
  readonly removed: number
}

/** The column of the same kind and field for each, each column once; others become new columns. */
export function firstTargets(step: TableStep, columns: readonly Column[]): readonly Target[] {
  const free = new Set(step.columns)
  return columns.map(({ kind, field }): Target => {
    const found = [...free].find((one) => one.kind === kind && one.field === field)
    if (found === undefined) return 'new'
    free.delete(found)
    return { id: found.id }
  })
}

/** Costs the rows of the table and of the sheet. */
export function planImport(graph: DraftGraph, step: TableStep, { sheet, targets, mode }: ImportChoice): ImportPlan {
  const { grown, ids } = withTargets(step, sheet.columns, targets)
  const { stepOf, results } = stepsNamed(graph, grown)
  const newId = idMaker(
    'r',
    step.rows.map(({ id }) => id),
  )
  const known = mode === 'replace' ? rowsByContent(step.rows) : new Map<string, Row[]>()
  let same = 0
  const rows = sheet.rows.map((given): Row => {
    const row = rowOf(given, ids, stepOf)
    const old = known.get(contentOf(row))?.shift()
    if (old === undefined) return { ...row, id: newId() }
    same++
    return old
  })
  return {
    step: { ...grown, rows: mode === 'replace' ? rows : [...step.rows, ...rows] },
    results: results(),
    same,
    added: rows.length - same,
    removed: mode === 'replace' ? step.rows.length - same : 0,
  }
}

/** The graph after an import. */
export function withImport<Graph extends DraftGraph>(graph: Graph, { step, results }: ImportPlan): Graph {
  return { ...graph, steps: [...graph.steps.map((one) => (one.id === step.id ? step : one)), ...results] }
}

/** The table with the new columns; and its columns by the ids of the sheet's columns. */
function withTargets(step: TableStep, columns: readonly Column[], targets: readonly Target[]) {
  let grown = step
  const ids = new Map<string, string>()
  for (const [index, { id, ...column }] of columns.entries()) {
    const target = targets[index] ?? 'none'
    if (target === 'none') continue
    if (target !== 'new') ids.set(id, target.id)
    else {
      const before = new Set(grown.columns)
      grown = withColumn(grown, column)
      ids.set(id, grown.columns.find((one) => !before.has(one))?.id ?? '')
    }
  }
  return { grown, ids }
}

/** Steps by the names that rows may use: an id, the code of a result, or a name. An unmatched name becomes a result. */
function stepsNamed({ steps }: DraftGraph, { id: own, columns, hitPolicy }: TableStep) {
  const found = new Map<string, string>()
  const called = (one: DraftStep) => [one.name, one.type === 'terminal' ? one.code : undefined, one.id]
  // Later kinds of names win, and the first of several steps with one name.
  for (const place of [0, 1, 2])
    for (const one of steps.toReversed()) {
      const name = one.id === own ? undefined : called(one)[place]
      if (name !== undefined) found.set(name, one.id)
    }
  const taken = new Set(steps.map(({ id }) => id))
  const made: TerminalStep[] = []
  const output = columns.flatMap(({ kind, field }) =>
    kind === 'output' && field !== undefined ? [{ name: field, value: `$${field}` }] : [],
  )
  const stepOf = (name: string | undefined): string | undefined => {
    // All rows of a table that collects share one exit.
    if (name === undefined || hitPolicy === 'collect') return undefined
    const known = found.get(name)
    if (known !== undefined) return known
    const id = freshId('terminal', taken)
    taken.add(id)
    found.set(name, id)
    made.push({ id, type: 'terminal', code: name, output })
    return id
  }
  return { stepOf, results: () => made }
}

function rowOf(
  { id, cells, nextStepId }: Row,
  ids: ReadonlyMap<string, string>,
  stepOf: (name: string | undefined) => string | undefined,
): Row {
  const moved = Object.entries(cells).flatMap(([column, text]): readonly (readonly [string, string])[] => {
    const target = ids.get(column)
    return target === undefined ? [] : [[target, text]]
  })
  const next = stepOf(nextStepId)
  return { id, cells: Object.fromEntries(moved), ...(next !== undefined && { nextStepId: next }) }
}

/** The text by which rows are compared. */
function contentOf({ cells, nextStepId = '' }: Row): string {
  const filled = Object.entries(cells).filter(([, text]) => text !== '')
  return JSON.stringify([nextStepId, ...filled.sort(([left], [right]) => (left < right ? -1 : 1))])
}

function rowsByContent(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) found.getOrInsertComputed(contentOf(row), () => []).push(row)
  return found
}
