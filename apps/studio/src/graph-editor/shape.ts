import { type DraftStep, type Exit, targetOf } from '@engine/authoring'

/** An exit of a step, with its position on the right edge of the node. */
export interface Port {
  /** Id of the handle on the canvas. */
  readonly id: string
  readonly exit: Exit
  /** The condition, or the texts of a table row; undefined: always, or otherwise. */
  readonly text: string | undefined
  readonly target: string | undefined
  /** Pixels from the top. */
  readonly y: number
}

/** The dimensions of a step: computed from its text, so that the layout is known before rendering. */
export interface Shape {
  readonly height: number
  readonly ports: readonly Port[]
}

export const WIDTH = 280
/** Pixels from the top of a node to its incoming edges. */
export const ENTRY = 20
const HEAD = 40
const ROW = 25
const TALL_ROW = 42
const FOOT = 6
/** Characters of a condition in one line. */
const LINE = 30
/** Exits shown for the rows of a table, each to another step. */
const MAX_ROW_PORTS = 6

export const isTall = (text: string | undefined): boolean => (text ?? '').length > LINE

const shapes = new WeakMap<DraftStep, Shape>()

/** The shape of a step; the same step has the same one. */
export function shapeOf(step: DraftStep): Shape {
  const known = shapes.get(step)
  if (known !== undefined) return known
  const shape = measured(step)
  shapes.set(step, shape)
  return shape
}

function measured(step: DraftStep): Shape {
  switch (step.type) {
    case 'terminal':
      return { height: HEAD + (step.message === undefined ? FOOT : 28), ports: [] }
    case 'action':
      return {
        height: HEAD + lines(step.assignments.length + (step.externalCalls?.length ?? 0)),
        ports: [next(step, ENTRY)],
      }
    case 'sub_rule':
      return { height: HEAD + lines(1), ports: [next(step, ENTRY)] }
    case 'decision':
      return stacked(step, [
        ...step.branches.map(({ id, condition = '' }) => ({ exit: { kind: 'branch', id } as const, text: condition })),
        { exit: { kind: 'default' }, text: undefined },
      ])
    case 'table':
      return stacked(step, [
        ...rowPorts(step),
        { exit: { kind: 'next' }, text: undefined },
        { exit: { kind: 'default' }, text: undefined },
      ])
  }
}

const lines = (count: number) => (count === 0 ? FOOT : Math.min(count, 6) * ROW + FOOT)

const next = (step: DraftStep, y: number): Port => ({ ...portOf(step, { kind: 'next' }, undefined), y })

function stacked(step: DraftStep, rows: readonly { readonly exit: Exit; readonly text: string | undefined }[]): Shape {
  let y = HEAD
  const ports = rows.map(({ exit, text }) => {
    const port = { ...portOf(step, exit, text), y: y + 12 }
    y += isTall(text) ? TALL_ROW : ROW
    return port
  })
  return { height: y + FOOT, ports }
}

const portOf = (step: DraftStep, exit: Exit, text: string | undefined) => ({
  id: exitId(exit),
  exit,
  text,
  target: targetOf(step, exit),
})

/** Rows that lead to separate steps: the first one for each. */
function rowPorts(step: Extract<DraftStep, { type: 'table' }>) {
  const seen = new Set<string>()
  return step.rows.flatMap(({ id, nextStepId }, index) => {
    if (nextStepId === undefined || seen.has(nextStepId) || seen.size >= MAX_ROW_PORTS) return []
    seen.add(nextStepId)
    return [{ exit: { kind: 'row', id } as const, text: `#${index + 1}` }]
  })
}

/** The text of an exit, as handles and edges are named. */
export const exitId = (exit: Exit): string => ('id' in exit ? `${exit.kind}:${exit.id}` : exit.kind)

/** The exit of a handle. */
export function exitOf(id: string): Exit | undefined {
  const [kind, ...rest] = id.split(':')
  if (kind === 'next' || kind === 'default') return { kind }
  return kind === 'branch' || kind === 'row' ? { kind, id: rest.join(':') } : undefined
}
