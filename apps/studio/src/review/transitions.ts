import { errorResult, isError } from '../releases/results.ts'
import type { Region, ReplaySummary, Side } from './release-parts.ts'

/** Decisions that change from one result to another. */
export interface Transition {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  /** Number of recorded decisions with this change; 0 if it is possible but was not recorded. */
  readonly count: number
  /** Regions of inputs, each with an executed input. */
  readonly regions: readonly Region[]
  /** Recorded inputs. */
  readonly examples: readonly { readonly [name: string]: unknown }[]
}

/** The result of one side, in the notation of transitions. */
export const resultOf = ({ code, error }: Side): string =>
  error === undefined ? (code ?? '') : errorResult(error.code)

/**
 * The severity of a transition: 3 if decisions now fail, 2 if they get another code, 1 if failed ones are now decided,
 * 0 if only message or output changes.
 */
export function severityOf({ from, to }: Pick<Transition, 'from' | 'to'>): 0 | 1 | 2 | 3 {
  if (from === to) return 0
  if (isError(to)) return isError(from) ? 1 : 3
  return isError(from) ? 1 : 2
}

/**
 * Whether a failure is only theoretical: no recorded decision fails, and no contract bounds the inputs, so callers may
 * never send an input that fails.
 */
export const isRemote = (transition: Transition, isBounded: boolean): boolean =>
  severityOf(transition) === 3 && transition.count === 0 && !isBounded

/** Theoretical failures rank below changed codes. */
const rankOf = (one: Transition, isBounded: boolean): number => (isRemote(one, isBounded) ? 1.5 : severityOf(one))

const byResults = (left: Transition, right: Transition): number =>
  left.from < right.from ? -1 : left.from > right.from ? 1 : left.to < right.to ? -1 : 1

/**
 * Recorded and possible transitions as one list, worst first: by severity, then by recorded decisions. Linear in the
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

/** Transitions as a table: one row per previous result, one column per new result. */
export interface TransitionMatrix {
  /** All results before and after. */
  readonly results: readonly string[]
  readonly cell: (from: string, to: string) => Transition | undefined
  /** Number of recorded decisions that keep their result, whether or not message or output changes. */
  readonly kept: (result: string) => number
  /** The highest count of a change from one result to another. */
  readonly most: number
}

/**
 * The matrix of transitions and of unchanged decisions.
 *
 * @param order result codes in the order of the contract; others follow by name, errors last
 */
export function matrixOf(
  transitions: readonly Transition[],
  records: Pick<ReplaySummary, 'codes'> | null,
  order: readonly string[] = [],
): TransitionMatrix {
  const cells = new Map(transitions.map((one) => [`${one.from}\n${one.to}`, one]))
  const left = new Map<string, number>()
  for (const { from, to, count } of transitions) if (from !== to) left.set(from, (left.get(from) ?? 0) + count)
  const before = new Map(records?.codes.map((row) => [row.code, row.before]))
  const names = [
    ...transitions.flatMap(({ from, to }) => [from, to]),
    ...(records?.codes ?? []).filter((row) => row.before + row.after > 0).map(({ code }) => code),
  ]
  const rank = (name: string) => {
    const index = order.indexOf(name)
    return isError(name) ? order.length + 1 : index === -1 ? order.length : index
  }
  return {
    results: [...new Set(names)].toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1)),
    cell: (from, to) => cells.get(`${from}\n${to}`),
    kept: (result) => Math.max(0, (before.get(result) ?? 0) - (left.get(result) ?? 0)),
    most: transitions.reduce((most, { from, to, count }) => (from === to ? most : Math.max(most, count)), 0),
  }
}
