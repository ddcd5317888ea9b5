import { type Expression, type Field, parse, parsePath, print, printPath, rewrite, walk } from '@engine/expression'
import type { Assignment, DraftRuleset, DraftStep, TableStep } from '../draft/model.ts'

/**
 * A draft that reads a field of the input under another name, wherever it does: in conditions, expressions, columns, cells
 * and defaults. What is below the field moves with it: `order` to `cart` makes `cart.total` of `order.total`. Sub-rules of
 * the draft see their own inputs and stay. Texts that are no expressions yet stay. Undefined where one of both is no path.
 * Costs the size of the draft.
 */
export function renameField(draft: DraftRuleset, from: string, to: string): DraftRuleset | undefined {
  const [old, next] = [pathOf(from), pathOf(to)]
  if (old === undefined || next === undefined) return undefined
  const inPath = (path: Path): Path => (isWithin(path, old) ? [...next, ...path.slice(old.length)] : path)
  const inText = (text: string) => renamedText(text, inPath)
  const inPathText = (text: string) => {
    const path = pathOf(text)
    return path !== undefined && isWithin(path, old) ? shown(inPath(path)) : text
  }
  const { defaults } = draft.config
  const config =
    defaults === undefined
      ? draft.config
      : {
          ...draft.config,
          defaults: Object.fromEntries(Object.entries(defaults).map(([path, value]) => [inPathText(path), value])),
        }
  return { ...draft, config, steps: draft.steps.map((step) => inStep(step, inText, inPathText)) }
}

/** A draft whose terminals give another code in place of one. Costs the steps. */
export function renameCode(draft: DraftRuleset, from: string, to: string): DraftRuleset {
  const steps = draft.steps.map((step) =>
    step.type === 'terminal' && step.code === from ? { ...step, code: to } : step,
  )
  return { ...draft, steps }
}

type Path = Field['path']
type Change = (text: string) => string

function pathOf(text: string): Path | undefined {
  const parsed = parsePath(text)
  return parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? parsed.expression.path : undefined
}

const NO_SPAN = { start: 0, end: 0 }
const shown = (path: Path) => printPath({ kind: 'field', path, span: NO_SPAN })

/** Whether a path is another one, or leads on from it. */
function isWithin(path: Path, outer: Path): boolean {
  return outer.length > 0 && shown(path.slice(0, outer.length)) === shown(outer)
}

/** The text as it is written, but for the paths; in the canonical print where a name of a lambda could be meant by one. */
function renamedText(text: string, inPath: (path: Path) => Path): string {
  const parsed = parse(text)
  if (parsed.kind === 'failed') return text
  const found: { readonly node: Field; readonly path: Path }[] = []
  let hasLocals = false
  walk(parsed.expression, (node) => {
    if (node.kind === 'local' || node.kind === 'lambda') hasLocals = true
    if (node.kind !== 'field') return
    const path = inPath(node.path)
    if (path !== node.path) found.push({ node, path })
  })
  if (found.length === 0) return text
  if (hasLocals) return print(rewrite(parsed.expression, (node) => renamedNode(node, inPath)))
  return found
    .toSorted((left, right) => right.node.span.start - left.node.span.start)
    .reduce((whole, { node: { span }, path }) => whole.slice(0, span.start) + shown(path) + whole.slice(span.end), text)
}

const renamedNode = (node: Expression, inPath: (path: Path) => Path): Expression =>
  node.kind === 'field' ? { ...node, path: inPath(node.path) } : node

function inStep(step: DraftStep, inText: Change, inPath: Change): DraftStep {
  switch (step.type) {
    case 'decision':
      return { ...step, branches: step.branches.map((branch) => member(branch, 'condition', inText)) }
    case 'action': {
      const { externalCalls, logging } = step
      const calls = externalCalls?.map((call) =>
        call.params === undefined ? call : { ...call, params: values(call.params, inText) },
      )
      return {
        ...step,
        assignments: assigned(step.assignments, inText),
        ...(calls === undefined ? {} : { externalCalls: calls }),
        ...(logging === undefined ? {} : { logging: member(logging, 'message', inText) }),
      }
    }
    case 'terminal': {
      const changed = member(step, 'message', inText)
      return changed.output === undefined ? changed : { ...changed, output: assigned(changed.output, inText) }
    }
    case 'sub_rule':
      return { ...step, bindings: step.bindings.map((binding) => member(binding, 'expr', inText)) }
    case 'table':
      return inTable(step, inText, inPath)
  }
}

function inTable(table: TableStep, inText: Change, inPath: Change): TableStep {
  const outputs = new Set(table.columns.filter(({ kind }) => kind === 'output').map(({ id }) => id))
  const inCell = (column: string, cell: string) => {
    if (outputs.has(column)) return inText(cell)
    const start = cell.search(/\S/) + 1
    return cell.trimStart().startsWith('?') ? cell.slice(0, start) + inText(cell.slice(start)) : cell
  }
  return {
    ...table,
    columns: table.columns.map((column) => (column.kind === 'input' ? member(column, 'field', inPath) : column)),
    rows: table.rows.map((row) => ({
      ...row,
      cells: Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, inCell(column, cell)])),
    })),
  }
}

const assigned = (list: readonly Assignment[], change: Change) => list.map((one) => member(one, 'value', change))

const values = (texts: { readonly [name: string]: string }, change: Change) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))

/** The object with one of its texts changed, where it has it. */
function member<Owner extends object>(owner: Owner, key: keyof Owner, change: Change): Owner {
  const text = owner[key]
  return typeof text === 'string' ? { ...owner, [key]: change(text) } : owner
}
