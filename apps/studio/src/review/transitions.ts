import type { Region, ReplaySummary, Side } from './release-parts.ts'

/** Decisions that change from one result to another. */
export interface Transition {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  /** Recorded decisions that change like this; 0: possible, but none was recorded. */
  readonly count: number
  /** Regions of inputs, each with an executed input. */
  readonly regions: readonly Region[]
  /** Recorded inputs. */
  readonly examples: readonly { readonly [name: string]: unknown }[]
}

const ERROR = 'error:'

/** Whether a result of a transition is an error. */
export const isError = (result: string): boolean => result.startsWith(ERROR)

/** The code of a result without its mark. */
export const codeOf = (result: string): string => (isError(result) ? result.slice(ERROR.length) : result)

/** The result of one side as transitions name it. */
export const resultOf = ({ code, error }: Side): string => (error === undefined ? (code ?? '') : ERROR + error.code)

/**
 * How bad a transition is: 3, decisions fail; 2, they get another code; 1, those that failed are decided; 0, message or output
 * changes.
 */
export function severityOf({ from, to }: Pick<Transition, 'from' | 'to'>): 0 | 1 | 2 | 3 {
  if (from === to) return 0
  if (isError(to)) return isError(from) ? 1 : 3
  return isError(from) ? 1 : 2
}

/**
 * Whether a failure was only constructed: no recorded decision fails, and no contract bounds the inputs, so that callers may never
 * send such a one.
 */
export const isRemote = (transition: Transition, isBounded: boolean): boolean =>
  severityOf(transition) === 3 && transition.count === 0 && !isBounded

/** Remote failures follow other codes. */
const rankOf = (one: Transition, isBounded: boolean): number => (isRemote(one, isBounded) ? 1.5 : severityOf(one))

const byResults = (left: Transition, right: Transition): number =>
  left.from < right.from ? -1 : left.from > right.from ? 1 : left.to < right.to ? -1 : 1

/**
 * Recorded and possible transitions as one list, the worst first: by severity, then by recorded decisions. Costs the
 * transitions and regions.
 *
 * @param isBounded whether the compared inputs are those of a contract
 */
export function transitionsOf(
  regions: readonly Region[],
  records: ReplaySummary | null,
  isBounded: boolean,
): readonly Transition[] {
  const found = new Map<string, Transition & { readonly regions: Region[] }>()
  const at = (from: string, to: string) =>
    found.getOrInsertComputed(`${from}\n${to}`, () => ({ from, to, count: 0, regions: [], examples: [] }))
  for (const { from, to, count, examples } of records?.transitions ?? [])
    found.set(`${from}\n${to}`, { from, to, count, regions: [], examples })
  for (const region of regions) at(resultOf(region.before), resultOf(region.after)).regions.push(region)
  return [...found.values()].toSorted(
    (left, right) =>
      rankOf(right, isBounded) - rankOf(left, isBounded) || right.count - left.count || byResults(left, right),
  )
}

/** Transitions as a table: a row for each result before, a column for each result after. */
export interface TransitionMatrix {
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  readonly cell: (from: string, to: string) => Transition | undefined
  /** The highest count of a cell. */
  readonly most: number
}

/** Codes by name, then errors. */
const byName = (left: string, right: string): number =>
  Number(isError(left)) - Number(isError(right)) || (left < right ? -1 : left > right ? 1 : 0)

/** The matrix of transitions; results that neither side of a transition has are left out. */
export function matrixOf(transitions: readonly Transition[]): TransitionMatrix {
  const cells = new Map(transitions.map((one) => [`${one.from}\n${one.to}`, one]))
  const sorted = (names: readonly string[]) => [...new Set(names)].toSorted(byName)
  return {
    rows: sorted(transitions.map(({ from }) => from)),
    columns: sorted(transitions.map(({ to }) => to)),
    cell: (from, to) => cells.get(`${from}\n${to}`),
    most: Math.max(0, ...transitions.map(({ count }) => count)),
  }
}
