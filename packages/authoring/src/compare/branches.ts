import { isList, type Value } from '@engine/expression'
import { type Fields, member } from '@engine/ruleset'
import { type Change, changesOf } from '../draft/diff.ts'
import { type MatchedItems, matchItems } from './match.ts'
import { movedItems } from './moved-items.ts'

/** A changed outcome of a step. One that was both moved and changed is listed twice. */
export interface BranchChange {
  /** Id of the step. */
  readonly step: string
  readonly kind: 'branch' | 'row' | 'default'
  /**
   * Id of the branch or row; empty for the default. Branches in engine format have their previous one-based number; a
   * new one has `+` and its current number.
   */
  readonly id: string
  readonly change: 'added' | 'removed' | 'changed' | 'moved'
  /** Pointers into the branch or row; for a moved one its previous and current one-based numbers. */
  readonly changes: readonly Change[]
}

const LISTS = [
  ['branches', 'branch'],
  ['rows', 'row'],
] as const
const DEFAULTS = ['defaultNextStepId', 'default_next'] as const

/** Members of a step that hold its outcomes. */
export const WAYS_OUT: ReadonlySet<string> = new Set([...LISTS.map(([key]) => key), ...DEFAULTS])

/**
 * The differences between the outcomes of a step. Linear in the size of both, times the logarithm of the number of
 * branches.
 */
export function branchChanges(step: string, before: Fields, after: Fields): readonly BranchChange[] {
  const inLists = LISTS.flatMap(([key, kind]) =>
    listChanges(listOf(before, key), listOf(after, key)).map((change) => ({ step, kind, ...change })),
  )
  const defaults = DEFAULTS.flatMap((key): BranchChange[] => {
    const change = changeOf(member(before, key), member(after, key))
    return change === undefined ? [] : [{ step, kind: 'default', id: '', ...change }]
  })
  return [...inLists, ...defaults]
}

type Found = Pick<BranchChange, 'id' | 'change' | 'changes'>

function listChanges(before: readonly Value[], after: readonly Value[]): readonly Found[] {
  if (before.length === 0 && after.length === 0) return []
  const items = matchItems(before, after)
  const changed = [...new Set([...items.before.keys(), ...items.after.keys()])].flatMap((id): Found[] => {
    const change = changeOf(items.before.get(id), items.after.get(id))
    return change === undefined ? [] : [{ id, ...change }]
  })
  return [...changed, ...moves(items)]
}

function moves({ before, after }: MatchedItems): readonly Found[] {
  const [was, is] = [numbered(before), numbered(after)]
  return movedItems([...before.keys()], [...after.keys()]).map((id) => ({
    id,
    change: 'moved',
    changes: [{ path: '', before: was.get(id) ?? null, after: is.get(id) ?? null }],
  }))
}

const numbered = (items: ReadonlyMap<string, Value>) => new Map([...items.keys()].map((id, index) => [id, index + 1]))

/** Undefined when equal. */
function changeOf(before: Value | undefined, after: Value | undefined): Omit<Found, 'id'> | undefined {
  const changes = changesOf(before, after)
  if (changes.length === 0) return undefined
  return { change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed', changes }
}

function listOf(step: Fields, key: string): readonly Value[] {
  const list = member(step, key)
  return isList(list) ? list : []
}
