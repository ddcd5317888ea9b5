import type { DraftGraph, DraftStep, Row, TableStep, TerminalStep } from '@engine/authoring'
import { freshId, idMaker } from '../session/new-draft.ts'
import { COLUMN_TYPE, typeOfColumn } from './cell-type.ts'
import { withColumn } from './columns.ts'
import { isBlank, type PastePlan } from './paste-plan.ts'

/** The position of the pasted rows: from a row on, after the others, or instead of them. */
export interface PastePlace {
  readonly mode: 'at' | 'add' | 'replace'
  /** Index of the row of the active cell, for `at`. */
  readonly row: number
  /** Keeps the texts as written. */
  readonly asWritten?: boolean
}

/** The effects of a paste. */
export interface Pasted {
  readonly step: TableStep
  /** Results that follow the table, with their updated outputs. */
  readonly changed: readonly TerminalStep[]
  /** New results, for names in the column `next` that match no step. */
  readonly results: readonly TerminalStep[]
  /** Number of existing rows that keep their ids and notes. */
  readonly same: number
  readonly added: number
  readonly removed: number
}

/** The table with the planned rows. Linear in the rows of the table and of the plan. */
export function withPaste(graph: DraftGraph, step: TableStep, plan: PastePlan, place: PastePlace): Pasted {
  const blank = isBlank(step)
  const { grown, ids } = withColumns(step, plan, blank)
  const mode = blank ? 'replace' : place.mode
  const { stepOf, results } = stepsNamed(graph, grown)
  const kept = mode === 'replace' ? [] : grown.rows
  const at = mode === 'at' ? Math.min(place.row, kept.length) : kept.length
  const known = mode === 'replace' ? rowsByContent(step.rows) : new Map<string, Row[]>()
  const newId = idMaker(
    'r',
    step.rows.map(({ id }) => id),
  )
  let same = 0
  const rows = [...kept]
  for (const index of plan.given.keys()) {
    const old = rows[at + index]
    const given = pastedRow(old ?? { id: '', cells: {} }, plan, ids, index, place.asWritten === true, stepOf)
    if (old !== undefined) rows[at + index] = given
    else {
      const found = known.get(contentOf(given))?.shift()
      if (found !== undefined) same++
      rows[at + index] = found ?? { ...given, id: newId() }
    }
  }
  return {
    step: { ...grown, rows },
    changed: blank ? resultsOf(graph, step, grown) : [],
    results: results(),
    same,
    added: plan.given.length - same,
    removed: mode === 'replace' ? step.rows.length - same : 0,
  }
}

/** The graph after a paste. */
export function withPasted<Graph extends DraftGraph>(graph: Graph, { step, changed, results }: Pasted): Graph {
  const replaced = new Map<string, DraftStep>([step, ...changed].map((one) => [one.id, one]))
  return { ...graph, steps: [...graph.steps.map((one) => replaced.get(one.id) ?? one), ...results] }
}

function pastedRow(
  old: Row,
  { columns, given }: PastePlan,
  ids: readonly (string | undefined)[],
  index: number,
  asWritten: boolean,
  stepOf: (name: string) => string | undefined,
): Row {
  const cells = new Map(Object.entries(old.cells))
  let { nextStepId, note } = old
  for (const [at, column] of columns.entries()) {
    const text = asWritten ? (given[index]?.[at] ?? '') : (column.cells[index]?.text ?? '')
    const id = ids[at]
    if (column.target === 'next') nextStepId = text.trim() === '' ? undefined : stepOf(text.trim())
    else if (column.target === 'note') note = text.trim() === '' ? undefined : text.trim()
    else if (id !== undefined && text === '') cells.delete(id)
    else if (id !== undefined) cells.set(id, text)
  }
  const { nextStepId: _next, note: _note, ...rest } = old
  return {
    ...rest,
    cells: Object.fromEntries(cells),
    ...(nextStepId !== undefined && { nextStepId }),
    ...(note !== undefined && { note }),
  }
}

/**
 * The table with the new columns, and the column id for each column of the plan. A blank table keeps only columns that
 * the plan fills.
 */
function withColumns(step: TableStep, { columns }: PastePlan, blank: boolean) {
  const used = new Set(columns.flatMap(({ target }) => (typeof target === 'string' ? [] : [target.id])))
  const isUsed = ({ id }: { readonly id: string }) => used.has(id)
  const isTaken = columns.some(({ target }) => target === 'input' || target === 'output')
  let grown = blank && isTaken ? { ...step, columns: step.columns.filter(isUsed) } : step
  const ids = columns.map(({ target, label, field, unit, type }): string | undefined => {
    if (typeof target !== 'string') return target.id
    if (target !== 'input' && target !== 'output') return undefined
    const before = new Set(grown.columns.map(({ id }) => id))
    grown = withColumn(grown, {
      kind: target,
      field: freeField(target === 'output' ? field.replaceAll('.', '_') : field, grown),
      type: COLUMN_TYPE[type],
      ...(label !== '' && label !== field && { label }),
      ...(unit !== undefined && { unit }),
    })
    return grown.columns.find(({ id }) => !before.has(id))?.id
  })
  // Untyped columns get the type that the preview showed to the author.
  const typed = grown.columns.map((column) => {
    const at = ids.indexOf(column.id)
    const planned = at < 0 ? undefined : columns[at]
    const known = typeOfColumn(column, step.rows)
    const isOpen = column.type === undefined && planned?.isNotation === false && (blank || known === planned.type)
    if (!isOpen || planned === undefined || planned.type === 'expression') return column
    return { ...column, type: COLUMN_TYPE[planned.type] }
  })
  return { grown: { ...grown, columns: typed }, ids }
}

function freeField(field: string, { columns }: TableStep): string {
  const taken = new Set(columns.map((one) => one.field))
  if (!taken.has(field)) return field
  for (let count = 2; ; count++) if (!taken.has(`${field}_${count}`)) return `${field}_${count}`
}

/** The results that follow a blank table: the values of its new columns replace those of its old ones. */
function resultsOf({ steps }: DraftGraph, old: TableStep, grown: TableStep): readonly TerminalStep[] {
  const outputs = (table: TableStep) =>
    table.columns.flatMap(({ kind, field }) => (kind === 'output' && field !== undefined ? [field] : []))
  const [before, now] = [new Set(outputs(old)), outputs(grown)]
  return steps.flatMap((one) => {
    if (one.type !== 'terminal' || one.id !== old.nextStepId) return []
    const kept = (one.output ?? []).filter(({ value = '' }) => !before.has(value.replace(/^\$/, '')))
    const added = now.filter((name) => !kept.some((field) => field.name === name))
    return [{ ...one, output: [...kept, ...added.map((name) => ({ name, value: `$${name}` }))] }]
  })
}

/**
 * Steps by the names that rows may use: an id, the code of a result, or a name. A name without a match becomes a
 * result.
 */
function stepsNamed({ steps }: DraftGraph, { id: own, columns, hitPolicy }: TableStep) {
  const found = new Map<string, string>()
  const called = (one: DraftStep) => [one.name, one.type === 'terminal' ? one.code : undefined, one.id]
  // Later kinds of names take precedence, and the first of several steps with the same name.
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
  const stepOf = (name: string): string | undefined => {
    // All rows of a table with the hit policy *collect* share one exit.
    if (hitPolicy === 'collect') return undefined
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

/** The key by which rows are compared. */
function contentOf({ cells, nextStepId = '' }: Row): string {
  const filled = Object.entries(cells).filter(([, text]) => text !== '')
  return JSON.stringify([nextStepId, ...filled.sort(([left], [right]) => (left < right ? -1 : 1))])
}

function rowsByContent(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) found.getOrInsertComputed(contentOf(row), () => []).push(row)
  return found
}
