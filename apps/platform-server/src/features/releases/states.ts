import { tableKeys } from '@engine/expression'
import type { ReleaseStatus } from '../../database/tables.ts'
import type { ConflictCode } from '../../errors.ts'
import type { EventType } from '../webhooks/events.ts'

/** Operations on a release, by a person, by a key, or by the job that executes it. */
export type Operation =
  | 'create'
  | 'approve'
  | 'reject'
  | 'cancel'
  | 'execute'
  | 'hold'
  | 'pause'
  | 'resume'
  | 'promote'
  | 'abort'
  | 'fail_stage'
  | 'fail'
  | 'complete'
  | 'rollback'
  | 'end_rollback'

/** A condition of a transition, in addition to the state. */
export type Condition =
  /** The approvals that the policies require exist, by people who may still give them; also when none are required. */
  | 'approvals_stand'
  /** No freeze window of an environment is open, or an owner has stated an emergency reason. */
  | 'unfrozen'
  /** No other release is being executed in an environment. */
  | 'idle'
  /** The live content is the one that the release was compared with. */
  | 'base_is_live'
  | 'in_canary'
  /** Only canaries have reached engines. */
  | 'only_canary'
  /** No later release, except its own rollbacks, changed an environment. */
  | 'newest'
  /** A content was live before. */
  | 'has_baseline'
  /** The environment rolls back instead of pausing when a stage fails. */
  | 'rolls_back'
  | 'ended_well'

export type Conditions = Readonly<Partial<Record<Condition, boolean>>>

/** A row of the table. `none`: the release does not exist yet. */
export interface Transition {
  readonly from: readonly (ReleaseStatus | 'none')[]
  readonly operation: Operation
  /** All these conditions must hold. */
  readonly when: Conditions
  readonly to: ReleaseStatus
  readonly event: EventType
}

/**
 * All transitions of a release: platform contract 4.
 *
 * @internal
 */
export const TRANSITIONS: readonly Transition[] = [
  {
    from: ['none'],
    operation: 'create',
    when: { approvals_stand: false },
    to: 'pending_approval',
    event: 'release_created',
  },
  { from: ['none'], operation: 'create', when: { approvals_stand: true }, to: 'approved', event: 'release_created' },
  {
    from: ['pending_approval'],
    operation: 'approve',
    when: { approvals_stand: false },
    to: 'pending_approval',
    event: 'release_reviewed',
  },
  {
    from: ['pending_approval'],
    operation: 'approve',
    when: { approvals_stand: true },
    to: 'approved',
    event: 'release_reviewed',
  },
  {
    from: ['pending_approval', 'approved'],
    operation: 'reject',
    when: {},
    to: 'rejected',
    event: 'release_reviewed',
  },
  {
    from: ['pending_approval', 'approved'],
    operation: 'cancel',
    when: {},
    to: 'cancelled',
    event: 'release_cancelled',
  },
  {
    from: ['approved', 'failed'],
    operation: 'execute',
    when: { approvals_stand: false },
    to: 'pending_approval',
    event: 'release_reviewed',
  },
  {
    from: ['approved', 'failed'],
    operation: 'execute',
    when: { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true },
    to: 'executing',
    event: 'execution_started',
  },
  { from: ['executing'], operation: 'hold', when: {}, to: 'paused', event: 'execution_paused' },
  { from: ['executing'], operation: 'pause', when: {}, to: 'paused', event: 'execution_paused' },
  { from: ['paused'], operation: 'resume', when: {}, to: 'executing', event: 'execution_resumed' },
  {
    from: ['executing', 'paused'],
    operation: 'promote',
    when: { in_canary: true },
    to: 'executing',
    event: 'stage_passed',
  },
  {
    from: ['executing', 'paused'],
    operation: 'abort',
    when: { only_canary: true },
    to: 'cancelled',
    event: 'execution_cancelled',
  },
  { from: ['executing'], operation: 'fail_stage', when: { rolls_back: false }, to: 'paused', event: 'stage_verdict' },
  {
    from: ['executing'],
    operation: 'fail_stage',
    when: { rolls_back: true },
    to: 'rolling_back',
    event: 'stage_verdict',
  },
  { from: ['executing'], operation: 'fail', when: {}, to: 'failed', event: 'execution_failed' },
  { from: ['executing'], operation: 'complete', when: {}, to: 'completed', event: 'execution_completed' },
  {
    from: ['executing', 'paused', 'failed', 'completed', 'rollback_failed'],
    operation: 'rollback',
    when: { newest: true, has_baseline: true },
    to: 'rolling_back',
    event: 'rollback_started',
  },
  {
    from: ['rolling_back'],
    operation: 'end_rollback',
    when: { ended_well: true },
    to: 'rolled_back',
    event: 'rollback_completed',
  },
  {
    from: ['rolling_back'],
    operation: 'end_rollback',
    when: { ended_well: false },
    to: 'rollback_failed',
    event: 'rollback_failed',
  },
]

/** Codes of conflicts caused by a condition alone. */
const REFUSALS: Readonly<Partial<Record<Condition, ConflictCode>>> = {
  unfrozen: 'frozen',
  idle: 'busy',
  base_is_live: 'stale',
  has_baseline: 'no_baseline',
}

/** The reason of a refusal. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: ConflictCode
  /** Undefined if no row of the table has the operation in this state. */
  readonly condition: Condition | undefined
}

/**
 * The row for an operation in a state.
 *
 * @param conditions missing ones count as neither true nor false
 */
export function transition(
  state: ReleaseStatus | 'none',
  operation: Operation,
  conditions: Conditions,
): Transition | Refusal {
  const rows = TRANSITIONS.filter((row) => row.operation === operation && row.from.includes(state))
  const taken = rows.find((row) => unmet(row, conditions) === undefined)
  if (taken !== undefined) return taken
  const condition = rows.map((row) => unmet(row, conditions)).findLast((one) => one !== undefined)
  const code = (condition === undefined ? undefined : REFUSALS[condition]) ?? 'wrong_state'
  return { kind: 'refused', code, condition }
}

export const isRefused = (outcome: Transition | Refusal): outcome is Refusal => 'kind' in outcome

function unmet({ when }: Transition, given: Conditions): Condition | undefined {
  return tableKeys(when).find((condition) => given[condition] !== when[condition])
}

/**
 * Conditions that change without the release. Operations that they block are still offered: the refusal has a separate code
 * with the reason, and it returns a release that lacks approvals to its approvers.
 */
const PASSING: Conditions = { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true }

/**
 * True if an operation is offered in a state; used for both the displayed release and refusals.
 *
 * @param lasting the conditions that do not pass by themselves
 */
export const isOffered = (state: ReleaseStatus, operation: Operation, lasting: Conditions): boolean =>
  !isRefused(transition(state, operation, { ...lasting, ...PASSING }))

/** The operations that a state has rows for, in the order of the table. */
export function possibleIn(state: ReleaseStatus): readonly Operation[] {
  return [...new Set(TRANSITIONS.filter(({ from }) => from.includes(state)).map(({ operation }) => operation))]
}

/**
 * Final states have no further operations.
 *
 * @internal
 */
export const isFinal = (state: ReleaseStatus): boolean => possibleIn(state).length === 0
