import { isList, isObject, type Value } from '@engine/expression'
import { type Place, pointer } from '@engine/ruleset'
import { sameValue } from '../same-value.ts'
import { below } from '../place.ts'
import type { DraftRuleset, DraftStep } from './model.ts'

/** A changed member. The value is null on a side without it. */
export interface Change {
  /** JSON pointer: into `config`, or into the step. */
  readonly path: string
  readonly before: Value
  readonly after: Value
}

export interface DraftDiff {
  /** Changes outside of steps: `config`, `startStepId`, sub-rules. Pointers into the draft. */
  readonly config: readonly Change[]
  readonly steps_added: readonly string[]
  readonly steps_removed: readonly string[]
  /** Items of lists with ids are identified by them: `/branches/b1/condition`, `/rows/r7/cells/age`. */
  readonly steps_changed: readonly (Change & { readonly id: string })[]
}

/** Members with the canvas position of a step. */
const VISUAL: ReadonlySet<string> = new Set(['position'])

/** The differences between two drafts. The order of steps has no meaning. Linear in the size of both. */
export function diffDrafts(before: DraftRuleset, after: DraftRuleset): DraftDiff {
  const [earlier, later] = [stepsById(before), stepsById(after)]
  return {
    config: changesOf({ ...before, steps: null }, { ...after, steps: null }),
    steps_added: [...later.keys()].filter((id) => !earlier.has(id)),
    steps_removed: [...earlier.keys()].filter((id) => !later.has(id)),
    steps_changed: [...earlier].flatMap(([id, was]) => {
      const is = later.get(id)
      return is === undefined ? [] : changesOf(was, is).map((change) => ({ id, ...change }))
    }),
  }
}

/**
 * The differences between two values; undefined: absent on that side. Pointers into the values. Linear in the size of
 * both.
 */
export function changesOf(before: Value | undefined, after: Value | undefined): readonly Change[] {
  const changes: Change[] = []
  compare(changes, undefined, before, after)
  return changes
}

function stepsById({ steps }: DraftRuleset): ReadonlyMap<string, DraftStep> {
  return new Map(steps.map((step) => [step.id, step]))
}

function compare(
  changes: Change[],
  place: Place | undefined,
  before: Value | undefined,
  after: Value | undefined,
): void {
  const [was, is] = [membersOf(before), membersOf(after)]
  if (was === undefined || is === undefined || was.isList !== is.isList) {
    if (!sameValue(before, after)) changes.push({ path: pointer(place), before: before ?? null, after: after ?? null })
    return
  }
  for (const [key, value] of was.members)
    if (!VISUAL.has(key)) compare(changes, below(place, key), value, is.members.get(key))
  for (const [key, value] of is.members)
    if (!VISUAL.has(key) && !was.members.has(key)) compare(changes, below(place, key), undefined, value)
  if (was.isList && isReordered(was.members, is.members))
    changes.push({ path: pointer(place), before: [...was.members.keys()], after: [...is.members.keys()] })
}

interface Members {
  readonly isList: boolean
  readonly members: ReadonlyMap<string, Value>
}

/** The members by key, list items by their ids; undefined when the value has no such members. */
function membersOf(value: Value | undefined): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!isList(value)) return { isList: false, members: new Map(Object.entries(value)) }
  const members = new Map<string, Value>()
  for (const item of value) {
    const id = idOf(item)
    if (id === undefined || members.has(id)) return undefined
    members.set(id, item)
  }
  return { isList: true, members }
}

function idOf(item: Value): string | undefined {
  if (!isObject(item) || !Object.hasOwn(item, 'id')) return undefined
  const { id } = item
  return typeof id === 'string' ? id : undefined
}

/** Whether the order of the common items differs. */
function isReordered(before: Members['members'], after: Members['members']): boolean {
  const kept = [...before.keys()].filter((id) => after.has(id))
  const now = [...after.keys()].filter((id) => before.has(id))
  return kept.some((id, index) => id !== now[index])
}
