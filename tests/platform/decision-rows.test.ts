import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { NO_RECORDING } from '../../apps/platform-server/src/features/projects/model.ts'
import { recordingCleanUp } from '../../apps/platform-server/src/features/recording/clean-up.ts'
import {
  countDecisions,
  type DecisionFilter,
  decisionRows,
  deleteDecisions,
} from '../../apps/platform-server/src/features/recording/repository.ts'
import { recordedRulesets, rulesFor } from '../../apps/platform-server/src/features/recording/rules.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type RolloutSteps } from './rollout-steps.testing.ts'

// The tests store recorded decisions as rows; no server or engine runs.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const DAY_MS = 24 * 3600 * 1000
const second = (count: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, count))

interface RowOf {
  readonly environment?: string
  readonly ruleset?: string
  readonly at?: Date
  readonly code?: string | null
  readonly receipt?: string | null
  readonly created_at?: Date
}

/** Stores decisions, whose input is their number. */
async function record(...rows: readonly RowOf[]): Promise<void> {
  const all = rows.map(({ environment = 'prod', ruleset = 'fee', code = 'OK', ...row }, index) => ({
    id: randomUUIDv7(),
    project_id: its.project,
    environment_id: its.environment(environment),
    ruleset_name: ruleset,
    digest: '0'.repeat(64),
    at: second(index),
    code,
    violations: code === null ? '[]' : null,
    input: String(index),
    output: '{}',
    server_id: randomUUIDv7(),
    session: 's',
    seq: index,
    ...row,
  }))
  await database().note(its.org, ({ scope }) => scope.insert('recorded_decisions', all).execute())
}

const filter = (more: Partial<DecisionFilter> = {}): DecisionFilter => ({
  project: its.project,
  ruleset: 'fee',
  environments: undefined,
  code: undefined,
  from: undefined,
  to: undefined,
  ...more,
})

/** The numbers of decisions in the order in which they are listed. */
async function listed(by: DecisionFilter): Promise<readonly number[]> {
  const numbers: number[] = []
  for await (const rows of decisionRows(database().scope(its.org), by))
    numbers.push(...rows.map(({ input }) => Number(input)))
  return numbers
}

async function stored(): Promise<readonly number[]> {
  const rows = await database()
    .unscoped.tables.selectFrom('recorded_decisions')
    .select('input')
    .where('project_id', '=', its.project)
    .orderBy('seq')
    .execute()
  return rows.map(({ input }) => Number(input))
}

const ROWS: readonly RowOf[] = [
  {},
  { code: 'NO' },
  { code: null },
  { environment: 'dev', receipt: 'log#3' },
  { code: null, receipt: 'log#4' },
  { ruleset: 'toll', receipt: 'log#3' },
]

describe.each<readonly [string, () => Partial<DecisionFilter>, readonly number[]]>([
  ['without a condition', () => ({}), [4, 3, 2, 1, 0]],
  ['of another ruleset', () => ({ ruleset: 'toll' }), [5]],
  ['of another project', () => ({ project: randomUUIDv7() }), []],
  ['of an environment', () => ({ environments: [its.environment('dev')] }), [3]],
  ['of no environment', () => ({ environments: [] }), []],
  ['that were made', () => ({ outcome: 'decided' }), [3, 1, 0]],
  ['that were refused', () => ({ outcome: 'refused' }), [4, 2]],
  ['with a code', () => ({ code: 'NO' }), [1]],
  ['with a receipt', () => ({ receipt: 'log#3' }), [3]],
  ['from a time on', () => ({ from: second(3) }), [4, 3]],
  ['before a time', () => ({ to: second(2) }), [1, 0]],
  ['between two times, of one outcome', () => ({ from: second(1), to: second(4), outcome: 'decided' }), [3, 1]],
])('decisions %s', (_, more, numbers) => {
  test('are listed and counted; a deletion takes these alone', async () => {
    await record(...ROWS)
    const by = filter(more())
    expect(await listed(by)).toEqual(numbers)
    expect(await countDecisions(database().scope(its.org), by)).toBe(numbers.length)
    const deleted = await database().note(its.org, ({ scope }) => deleteDecisions(scope, by))
    expect(deleted).toBe(numbers.length)
    expect(await stored()).toEqual([...ROWS.keys()].filter((index) => !numbers.includes(index)))
  })
})

test('more decisions than a piece holds are listed without a gap, also those of one moment', async () => {
  const count = 205
  await record(...Array.from({ length: count }, (_, index) => ({ at: second(Math.floor(index / 3)) })))
  const numbers = await listed(filter())
  expect(numbers.toSorted((left, right) => left - right)).toEqual([...Array(count).keys()])
  expect(numbers.map((number) => Math.floor(number / 3))).toEqual(
    numbers.map((number) => Math.floor(number / 3)).toSorted((left, right) => right - left),
  )
})

describe('the clean-up', () => {
  const keepDays = (environment: string, days: number) =>
    its.set(environment, { recording: { ...NO_RECORDING, retention_days: days } })
  const old = (days: number) => ({ created_at: new Date(Date.now() - days * DAY_MS + 60_000) })
  const over = (days: number) => ({ created_at: new Date(Date.now() - days * DAY_MS - 60_000) })

  test('deletes decisions after the days of their environment', async () => {
    await keepDays('prod', 2)
    await keepDays('dev', 5)
    await record(old(2), over(2), { environment: 'dev', ...over(2) }, { environment: 'dev', ...over(5) })
    await recordingCleanUp(database().unscoped.tables).run()
    expect(await stored()).toEqual([0, 2])
  })

  test('keeps the latest of each outcome, ruleset and environment', async () => {
    const refused = { code: null }
    await record({}, refused, {}, {}, refused, refused, { ruleset: 'toll' }, { environment: 'dev' })
    await recordingCleanUp(database().unscoped.tables, 2).run()
    expect(await stored()).toEqual([2, 3, 4, 5, 6, 7])
  })

  test('keeps as many of one moment', async () => {
    const at = second(1)
    await record({ at }, { at }, { at }, { at })
    await recordingCleanUp(database().unscoped.tables, 3).run()
    expect(await stored()).toHaveLength(3)
  })
})

describe('the rules of an engine', () => {
  const rulesOf = async (server: string, tenants: boolean) =>
    recordedRulesets(database().scope(its.org), { id: server, tenants })

  test('are those of the environments that it serves, where something is recorded', async () => {
    const { id } = await its.serve('prod')
    const other = await its.serve('dev')
    await its.makeLive('prod', 1)
    await its.makeLive('dev', 1)
    await its.set('prod', { recording: { ...NO_RECORDING, rate: 5, mask: ['b', 'a'] } })
    const shown = { name: 'fee', ruleset: 'fee', project: its.project, rate: 5, mask: ['a', 'b'] }
    const prod = its.environment('prod')
    expect(await rulesOf(id, true)).toEqual([{ ...shown, tenant: prod, environment: prod, answers: false }])
    expect(await rulesOf(id, false)).toEqual([{ ...shown, tenant: null, environment: prod, answers: false }])
    expect(await rulesOf(other.id, true)).toEqual([])
  })

  test('have the answers of external calls only where the environment asks for them', async () => {
    const { id } = await its.serve('prod')
    await its.makeLive('prod', 1)
    const answers = async (recording: object) => {
      await its.set('prod', { recording: { ...NO_RECORDING, rate: 5, ...recording } })
      return rulesFor(await rulesOf(id, true)).rules.map((rule) => rule.answers)
    }
    expect(await answers({})).toEqual([undefined])
    expect(await answers({ answers: false })).toEqual([undefined])
    expect(await answers({ answers: true })).toEqual([true])
  })

  test('have another tag when one of them changes', async () => {
    const rule = { tenant: null, name: 'fee', ruleset: 'fee', project: 'p', environment: 'e' }
    const tagOf = (more: object = {}) => rulesFor([{ ...rule, rate: 5, mask: ['a'], answers: false, ...more }]).tag
    const tags = [{}, { rate: 6 }, { mask: ['a', 'b'] }, { answers: true }, { name: 'toll' }, { tenant: 't' }].map(
      tagOf,
    )
    expect(new Set(tags).size).toBe(tags.length)
    expect(tagOf()).toBe(tags[0])
  })
})
