import type { TableStep } from '@engine/authoring'
import { at } from '@engine/ruleset'
import { writeCollect } from './collect.ts'
import { cellTest } from './cell.ts'
import { type StepAt, scopeOf, type Writing, type WrittenExit, type WrittenStep, written } from './context.ts'
import { type Data, shownIn } from './data.ts'
import type { Exit } from './document-writer.ts'
import { ExpressionNodes } from './expression-nodes.ts'
import { zenValue } from './expression.ts'
import { jdmLosses } from './losses.ts'
import { type TableAt, type TableRow, targetOfNone, targetOfRow } from './table-at.ts'
import { type RuleText, tableNode, testsOf } from './table-node.ts'
import { switchTable } from './table-switch.ts'
import { atom, commonType, comparison, literal, memberOf, NoZen, type ZenText } from './zen-text.ts'

/** Whether no cell of a row is a test. */
const isCatchAll = ({ inputs }: TableAt, { row }: TableRow) =>
  inputs.every(({ id }) => (row.cells[id] ?? '').trim() === '')

/**
 * A table as a ZEN decision table. When rows lead to different steps, an additional column identifies the target for a
 * following switch; a table with a condition that no cell can express becomes a switch with the rows as statements.
 */
export function writeTable(writing: Writing, from: StepAt<TableStep>): WrittenStep {
  const { step, place } = from
  const outputs = step.columns.flatMap(({ id, kind, field = '' }) =>
    kind === 'output' ? [{ id, variable: field.replace(/^\$/, '') }] : [],
  )
  const rows = step.rows.flatMap((row, index) =>
    row.disabled === true ? [] : [{ row, place: at(at(place, 'rows'), index) }],
  )
  if (rows.length < step.rows.length) writing.losses.warn(at(place, 'rows'), jdmLosses.disabled())
  if (step.hitPolicy === 'unique') writing.losses.warn(at(place, 'hitPolicy'), jdmLosses.unique())
  const inputs = step.columns.filter(({ kind }) => kind === 'input')
  const table: TableAt = { ...from, rows, inputs, outputs }
  if (step.hitPolicy === 'collect') return writeCollect(writing, table)
  const isCell = rows.every(({ row }) => inputs.every(({ id }) => hasTest(writing, table, row.cells[id] ?? '')))
  return isCell ? writeSingle(writing, table) : switchTable(writing, table)
}

function hasTest(writing: Writing, table: TableAt, cell: string): boolean {
  try {
    cellTest(cell, { ...scopeOf(writing, table), deviates() {} })
    return true
  } catch (error) {
    if (!(error instanceof NoZen)) throw error
    return false
  }
}

/** The values of a row in column order: each reads those set by the previous ones. */
function rowOutputs(writing: Writing, table: TableAt, { row, place }: TableRow): ReadonlyMap<string, ZenText> {
  const set = new Map<string, ZenText>()
  const scope = scopeOf(writing, table, (name) => set.get(name) ?? shownIn(table.known, writing.keys, name))
  for (const { id, variable } of table.outputs) {
    const cell = row.cells[id] ?? ''
    if (cell.trim() === '') continue
    set.set(
      variable,
      written(writing, at(at(place, 'cells'), id), cell, () => zenValue(cell, scope)),
    )
  }
  return set
}

/** The state of variables after a table, of which at most one row matches. */
function knownBehind({ known, outputs }: TableAt, all: readonly ReadonlyMap<string, ZenText>[], isTotal: boolean) {
  const behind = new Map<string, { readonly type: ZenText['type']; readonly isAlways: boolean }>(known)
  for (const { variable } of outputs) {
    const before = known.get(variable)
    const types = all.map((set) => set.get(variable)?.type ?? before?.type ?? 'null')
    if (!isTotal || types.length === 0) types.push(before?.type ?? 'null')
    const isSet = isTotal && all.every((set) => set.has(variable))
    behind.set(variable, {
      type: types.reduce((one, other) => commonType(one, other)),
      isAlways: isSet || before?.isAlways === true,
    })
  }
  return behind
}

/** The variables set by a written row. */
type Sets = ReadonlyMap<string, ZenText>

/** A decision table, followed by a switch when rows lead to different steps. */
function writeSingle(writing: Writing, table: TableAt): WrittenStep {
  const { step, known } = table
  const isTotal = table.rows.some((row) => isCatchAll(table, row))
  const sets = table.rows.map((row) => rowOutputs(writing, table, row))
  const targets = [...table.rows.map((row) => targetOfRow(table, row)), ...(isTotal ? [] : [targetOfNone(table)])]
  const isRouted = new Set(targets.map(({ target }) => target)).size > 1
  // A name with blanks cannot be a variable of the draft.
  const route = `next of ${step.id}`
  const variables = [...new Set(table.outputs.map(({ variable }) => variable)), ...(isRouted ? [route] : [])]
  const old = variables.filter((variable) => known.has(variable))
  const routed = (set: Sets, index: number): Sets =>
    isRouted ? new Map([...set, [route, literal(targets[index]?.target ?? '')]]) : set
  const valuesOf = (set: Sets) =>
    variables.map((variable) => {
      const before = known.has(variable) ? shownIn(known, writing.keys, variable) : undefined
      return (set.get(variable) ?? before)?.text ?? ''
    })
  const rows = table.rows.map((row, index): RuleText => {
    const values = valuesOf(routed(sets[index] ?? new Map(), index))
    return { note: row.row.note, tests: testsOf(writing, table, row), values }
  })
  if (!isTotal && (isRouted || old.length > 0)) {
    const values = valuesOf(routed(new Map(), targets.length - 1))
    rows.push({ note: undefined, tests: table.inputs.map(() => ''), values })
  }
  const nest = old.length > 0 ? writing.keys.fresh(`${step.id}_row`) : undefined
  const fields = variables.map((variable) => writing.keys.variable(variable))
  const first = tableNode(writing, table, { hitPolicy: 'first', fields, rows, nest })
  const exit = nest === undefined ? { node: first } : copied(writing, table, variables, nest, { node: first })
  const behind = knownBehind(table, sets, isTotal)
  const [target = targetOfNone(table)] = targets
  if (!isRouted) return { first, exits: [{ ...target, exit, known: behind }] }
  behind.set(route, { type: 'text', isAlways: true })
  return { first, exits: switched(writing, table, exit, writing.keys.variable(route), targets, behind) }
}

/** Nodes that rebuild the object with the variables that the row has under another member. */
function copied(writing: Writing, table: TableAt, variables: readonly string[], nest: string, behind: Exit): Exit {
  const nodes = new ExpressionNodes(writing, table, behind)
  for (const variable of variables)
    nodes.set(variable, variable, table.place, () => memberOf(atom(nest), writing.keys.variable(variable)))
  return nodes.end().exit
}

/** A switch on the member that identifies the next step. */
function switched(
  { document }: Writing,
  { step }: TableAt,
  from: Exit,
  route: string,
  targets: readonly Pick<WrittenExit, 'target' | 'place'>[],
  known: Data,
): readonly WrittenExit[] {
  const different = [...new Map(targets.map((one) => [one.target, one])).values()]
  const id = document.node(`${step.id}_next`, 'switchNode', `${step.name ?? step.id}: next`, () => ({
    hitPolicy: 'first',
    statements: different.map(({ target }, index) => ({
      id: `${id}_${index + 1}`,
      condition: comparison('==', atom(route), literal(target ?? '')).text,
      isDefault: false,
    })),
  }))
  document.edge(from, () => id)
  return different.map((one, index) => ({ ...one, exit: { node: id, statement: `${id}_${index + 1}` }, known }))
}
