import { describe, expect, test } from 'vitest'
import { RELEASE_STATUSES } from './model.ts'
import { type Condition, type Conditions, isRefused, type Operation, possibleIn, transition } from './states.ts'

/** Platform contract 4, by hand: state, operation, what holds (`!` does not), state afterwards, event. */
const TABLE = `
none             create                                                  approved         release_created   approvals_stand
none             create                                                  pending_approval release_created   !approvals_stand
pending_approval approve                                                 pending_approval release_reviewed  !approvals_stand
pending_approval approve                                                 approved         release_reviewed  approvals_stand
pending_approval reject                                                  rejected         release_reviewed
approved         reject                                                  rejected         release_reviewed
pending_approval cancel                                                  cancelled        release_cancelled
approved         cancel                                                  cancelled        release_cancelled
approved         execute                                                 executing        execution_started approvals_stand unfrozen idle base_is_live
failed           execute                                                 executing        execution_started approvals_stand unfrozen idle base_is_live
approved         execute                                                 pending_approval release_reviewed  !approvals_stand unfrozen idle base_is_live
failed           execute                                                 pending_approval release_reviewed  !approvals_stand
executing        hold                                                    paused           execution_paused
executing        pause                                                   paused           execution_paused
paused           resume                                                  executing        execution_resumed
executing        promote                                                 executing        stage_passed      in_canary
paused           promote                                                 executing        stage_passed      in_canary
executing        abort                                                   cancelled        execution_cancelled only_canary
paused           abort                                                   cancelled        execution_cancelled only_canary
executing        fail_stage                                              paused           stage_verdict     !rolls_back
executing        fail_stage                                              rolling_back     stage_verdict     rolls_back
executing        fail                                                    failed           execution_failed
executing        complete                                                completed        execution_completed
executing        rollback                                                rolling_back     rollback_started  newest has_baseline
paused           rollback                                                rolling_back     rollback_started  newest has_baseline
failed           rollback                                                rolling_back     rollback_started  newest has_baseline
completed        rollback                                                rolling_back     rollback_started  newest has_baseline
rollback_failed  rollback                                                rolling_back     rollback_started  newest has_baseline
rolling_back     end_rollback                                            rolled_back      rollback_completed ended_well
rolling_back     end_rollback                                            rollback_failed  rollback_failed   !ended_well
`

const rows = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [from = '', operation = '', to = '', event = '', ...when] = line.split(/\s+/)
    const conditions = Object.fromEntries(when.map((one) => [one.replace('!', ''), !one.startsWith('!')])) as Conditions
    return { from: from as Parameters<typeof transition>[0], operation: operation as Operation, to, event, conditions }
  })

test.each(rows)('$from, $operation goes to $to', ({ from, operation, to, event, conditions }) => {
  expect(transition(from, operation, conditions)).toMatchObject({ to, event })
})

const OPERATIONS = [...new Set(rows.map(({ operation }) => operation))]
const listed = new Set(rows.map(({ from, operation }) => `${from} ${operation}`))
const unlisted = ['none' as const, ...RELEASE_STATUSES].flatMap((from) =>
  OPERATIONS.filter((operation) => !listed.has(`${from} ${operation}`)).map((operation) => ({ from, operation })),
)

test('every other operation is refused as in the wrong state, whatever the conditions', () => {
  expect(unlisted.length).toBe(12 * OPERATIONS.length - listed.size)
  const all = (value: boolean) =>
    Object.fromEntries(rows.flatMap(({ conditions }) => Object.keys(conditions)).map((name) => [name, value]))
  for (const { from, operation } of unlisted)
    for (const conditions of [all(true), all(false), {}])
      expect(transition(from, operation, conditions), `${from} ${operation}`).toEqual({
        kind: 'refused',
        code: 'wrong_state',
        condition: undefined,
      })
})

describe('a blocking condition is named', () => {
  const clear = { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true }
  const cases: readonly (readonly [Parameters<typeof transition>[0], Operation, Conditions, Condition, string])[] = [
    ['approved', 'execute', { ...clear, unfrozen: false }, 'unfrozen', 'frozen'],
    ['approved', 'execute', { ...clear, idle: false }, 'idle', 'busy'],
    ['approved', 'execute', { ...clear, base_is_live: false }, 'base_is_live', 'stale'],
    ['completed', 'rollback', { newest: true, has_baseline: false }, 'has_baseline', 'no_baseline'],
    ['completed', 'rollback', { newest: false, has_baseline: true }, 'newest', 'wrong_state'],
    ['executing', 'promote', { in_canary: false }, 'in_canary', 'wrong_state'],
    ['executing', 'abort', { only_canary: false }, 'only_canary', 'wrong_state'],
  ]
  test.each(cases)('%s, %s', (from, operation, conditions, condition, code) => {
    expect(transition(from, operation, conditions)).toEqual({ kind: 'refused', code, condition })
  })

  test('an unknown condition counts as false', () => {
    for (const { from, operation, conditions } of rows)
      if (Object.keys(conditions).length > 0) expect(isRefused(transition(from, operation, {}))).toBe(true)
  })
})

test('each state lists its possible operations', () => {
  expect(Object.fromEntries(RELEASE_STATUSES.map((status) => [status, possibleIn(status).join(' ')]))).toEqual({
    pending_approval: 'approve reject cancel',
    approved: 'reject cancel execute',
    rejected: '',
    cancelled: '',
    executing: 'hold pause promote abort fail_stage fail complete rollback',
    paused: 'resume promote abort rollback',
    completed: 'rollback',
    failed: 'execute rollback',
    rolling_back: 'end_rollback',
    rolled_back: '',
    rollback_failed: 'rollback',
  })
})
