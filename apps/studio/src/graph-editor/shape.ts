import { type DraftStep, type Exit, targetOf } from '@engine/authoring'
import type { Direction } from './direction.ts'
import { CHIP, RESULT } from './layout.ts'

/** An exit of a step, with the middle of its row at the right edge of the node. */
export interface Port {
  /** Id of the handle on the canvas. */
  readonly id: string
  readonly exit: Exit
  /** The author's label of a branch. */
  readonly label: string | undefined
  /**
   * The condition, the texts of a table row, or the variables that a matching row sets; undefined for an unconditional
   * or default exit.
   */
  readonly text: string | undefined
  readonly target: string | undefined
  /** Pixels from the top to the middle of the row. */
  readonly y: number
  /** Height of the row. */
  readonly height: number
}

/** The dimensions of a step: computed from its text, so that the layout is known before rendering. */
export interface Shape {
  readonly height: number
  readonly ports: readonly Port[]
}

/** Width of all steps except results. */
export const WIDTH = 320
/** Distance in pixels from the top of a node to the edges that enter it at the left. */
export const ENTRY = 19
const HEAD = 38
/** Row heights by number of lines; a result fits next to each. */
const ROWS = [36, 40, 48, 64] as const
const LINE_HEIGHT = 22
const BORDER = 2
/** Maximum number of characters of a condition per line. */
const LINE = 36
/** Maximum number of exits shown for the rows of a table, each to a different step. */
const MAX_ROW_PORTS = 6
/** Maximum number of lines shown for an action. */
export const MAX_LINES = 6

/** Number of lines of a condition. */
export const linesOf = (text: string | undefined): 0 | 1 | 2 =>
  (text ?? '') === '' ? 0 : (text ?? '').length > LINE ? 2 : 1

const shapes = new WeakMap<DraftStep, Shape>()

/** The shape of a step, cached by step. */
export function shapeOf(step: DraftStep): Shape {
  const known = shapes.get(step)
  if (known !== undefined) return known
  const shape = measured(step)
  shapes.set(step, shape)
  return shape
}

/** Width and height of a step on the canvas: results are smaller, and results within a row smallest. */
export function sizeOf(step: DraftStep, direction: Direction): { readonly width: number; readonly height: number } {
  if (step.type === 'terminal') return direction === 'down' ? RESULT : CHIP
  return { width: WIDTH, height: shapeOf(step).height }
}

function measured(step: DraftStep): Shape {
  switch (step.type) {
    case 'terminal':
      return { height: RESULT.height, ports: [] }
    case 'action':
      return single(step, step.assignments.length + (step.externalCalls?.length ?? 0))
    case 'sub_rule':
      return single(step, 1)
    case 'decision':
      return stacked(step, [
        ...step.branches.map(({ id, condition = '', label }) => ({
          exit: { kind: 'branch', id } as const,
          text: condition,
          label: label === '' ? undefined : label,
        })),
        { exit: { kind: 'default' }, text: undefined, label: undefined },
      ])
    case 'table':
      return stacked(step, [
        ...rowPorts(step),
        { exit: { kind: 'next' }, text: setBy(step), label: undefined },
        { exit: { kind: 'default' }, text: undefined, label: undefined },
      ])
  }
}

/** The shape of a step with one exit, at the middle of its lines. */
function single(step: DraftStep, count: number): Shape {
  const height = Math.max(ROWS[1], Math.min(count, MAX_LINES) * LINE_HEIGHT + 10)
  const port = {
    ...portOf(step, { exit: { kind: 'next' }, text: undefined, label: undefined }),
    y: HEAD + height / 2,
    height,
  }
  return { height: HEAD + height + BORDER, ports: [port] }
}

type Row = Pick<Port, 'exit' | 'text' | 'label'>

function stacked(step: DraftStep, rows: readonly Row[]): Shape {
  let top = HEAD
  const ports = rows.map((row) => {
    const hasWords = row.label !== undefined || (row.exit.kind === 'next' && row.text !== undefined)
    const lines = linesOf(row.text) + (hasWords ? 1 : 0)
    const height = ROWS[lines] ?? ROWS[3]
    const port = { ...portOf(step, row), y: top + height / 2, height }
    top += height
    return port
  })
  return { height: top + BORDER, ports }
}

const portOf = (step: DraftStep, { exit, text, label }: Row) => ({
  id: exitId(exit),
  exit,
  text,
  label,
  target: targetOf(step, exit),
})

/** The variables that a matching row of a table sets. */
function setBy({ columns }: Extract<DraftStep, { type: 'table' }>): string | undefined {
  const names = columns.flatMap(({ kind, field = '' }) => (kind === 'output' && field !== '' ? [field] : []))
  return names.length === 0 ? undefined : names.join(', ')
}

/** Rows that lead to different steps: the first row of each. */
function rowPorts(step: Extract<DraftStep, { type: 'table' }>): readonly Row[] {
  const seen = new Set<string>()
  return step.rows.flatMap(({ id, nextStepId }, index) => {
    if (nextStepId === undefined || seen.has(nextStepId) || seen.size >= MAX_ROW_PORTS) return []
    seen.add(nextStepId)
    return [{ exit: { kind: 'row', id } as const, text: `#${index + 1}`, label: undefined }]
  })
}

/** The id of an exit, used for handles and edges. */
export const exitId = (exit: Exit): string => ('id' in exit ? `${exit.kind}:${exit.id}` : exit.kind)

/** The exit with this handle id. */
export function exitOf(id: string): Exit | undefined {
  const [kind, ...rest] = id.split(':')
  if (kind === 'next' || kind === 'default') return { kind }
  return kind === 'branch' || kind === 'row' ? { kind, id: rest.join(':') } : undefined
}
