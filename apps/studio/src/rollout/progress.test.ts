import { describe, expect, test } from 'vitest'
import type { ReleaseEvent } from '../api/release-events.ts'
import { rollout as texts } from '../texts/en/rollout.ts'
import {
  alarmShare,
  type CanaryProgress,
  codeShares,
  enginesOf,
  type Execution,
  isPredicted,
  limitOf,
  looksOf,
  measureState,
  rangesOf,
  readableEvents,
  spanText,
  stateOf,
} from './progress.ts'
import { execution, stage } from './progress.testing.ts'

const AT = '2026-01-01T10:00:00Z'
const open = { begun_at: AT, ends_at: AT }
const closed = { ...open, ended_at: AT }
const at = (index: number, decision?: 'hold') =>
  ({
    index,
    percent: 10,
    ends_at: AT,
    verdict: decision === undefined ? null : { decision },
  }) as unknown as Execution['stage']

describe('the state of a stage', () => {
  test.each([
    { state: 'coming', of: stage(0), during: execution({}) },
    { state: 'running', of: stage(0, open), during: execution({ stage: at(0) }) },
    { state: 'held', of: stage(0, open), during: execution({ stage: at(0, 'hold') }) },
    { state: 'paused', of: stage(0, open), during: execution({ stage: at(0), status: 'paused' }) },
    { state: 'passed', of: stage(0, closed), next: stage(1, open), during: execution({ stage: at(1) }) },
    { state: 'passed', of: stage(0, closed), during: execution({ step: 'verify' }) },
    { state: 'passed', of: stage(0, closed), during: execution({ step: 'done', status: 'completed' }) },
    { state: 'passed', of: stage(0, closed), during: execution({ environment: 'next', step: 'preflight' }) },
    { state: 'ended', of: stage(0, closed), next: stage(1), during: execution({ status: 'cancelled' }) },
    { state: 'ended', of: stage(0, closed), next: stage(1), during: execution({ status: 'rolled_back' }) },
  ])('is $state', ({ state, of: one, next, during }) => {
    expect(stateOf(one, 'prod', during, next)).toBe(state)
  })
})

test.each([
  [-5, '0 s'],
  [12_300, '13 s'],
  [60_000, '1 min'],
  [61_000, '2 min'],
  [3_600_000, '1 h'],
  [5_460_000, '1 h 31 min'],
  [90_000_000, '1 day 1 h'],
  [172_800_000, '2 days'],
])('%d ms are %s', (milliseconds, words) => {
  expect(spanText(milliseconds, texts.units)).toBe(words)
})

test('evidence counts by its logarithm', () => {
  expect([0.1, 1, 25, 625, 9e9].map((e) => alarmShare({ e, alarm: 625 }))).toEqual([0, 0, 0.5, 1, 1])
})

test('looks in a row with the same result are one event, the newest first', () => {
  const event = (id: number, type: ReleaseEvent['type'], decision = ''): ReleaseEvent =>
    ({ id, type, environment: 'prod', data: { decision } }) as unknown as ReleaseEvent
  const events = [
    event(1, 'stage_started'),
    event(2, 'stage_verdict', 'continue'),
    event(3, 'stage_verdict', 'continue'),
    event(4, 'stage_verdict', 'hold'),
    event(5, 'server_state'),
    event(6, 'server_state'),
  ]
  expect(readableEvents(events).map(({ event: { id }, earlier }) => [id, earlier])).toEqual([
    [6, 0],
    [5, 0],
    [4, 0],
    [3, 1],
    [1, 0],
  ])
})

test('an engine is one event when it has the content, with the time that it took', () => {
  const event = (id: number, to: string, second: number): ReleaseEvent =>
    ({
      id,
      type: 'server_state',
      server_id: 'a',
      at: `2026-01-01T10:00:0${second}Z`,
      data: { to },
    }) as unknown as ReleaseEvent
  const events = [event(1, 'delivering', 1), event(2, 'verifying', 2), event(3, 'live', 3), event(4, 'failed', 4)]
  expect(readableEvents(events).map(({ event: { id }, after }) => [id, after])).toEqual([
    [4, undefined],
    [3, 2000],
  ])
})

test('engines are grouped by environment, with the number that have the same content', () => {
  const server = (name: string, environment: string, digest: string | null) => ({
    server_id: name,
    name,
    environment,
    canary_only: false,
    status: 'live' as const,
    digest,
    error: null,
  })
  const servers = [
    server('a', 'prod', 'x'),
    server('b', 'prod', 'y'),
    server('c', 'prod', 'x'),
    server('d', 'dev', null),
  ]
  expect(enginesOf(servers).map(({ environment, servers: all, alike }) => [environment, all.length, alike])).toEqual([
    ['prod', 3, 2],
    ['dev', 1, 0],
  ])
})

const sides = (canary: number, stable: number) => ({ canary, stable })
const measure = (more: object) => ({
  ...sides(1, 10),
  e: 1,
  alarm: 100,
  alarm_at: 8,
  ratio: { estimate: null, low: 0, high: null },
  ...more,
})

test.each([
  ['few requests', measure({}), sides(29, 1000), 'collecting'],
  ['enough requests', measure({}), sides(30, 1000), 'safe'],
  ['an alarm', measure({ e: 100 }), sides(3, 1000), 'alarm'],
])('a measure with %s', (_name, one, requests, state) => expect(measureState(one, requests)).toBe(state))

test('the limit is the difference at which a guard would object now', () => {
  expect(limitOf(measure({}), sides(100, 1000))).toBeCloseTo(7)
  expect(limitOf(measure({ alarm_at: null }), sides(100, 1000))).toBeUndefined()
  expect(limitOf(measure({ alarm_at: 101 }), sides(100, 1000))).toBeUndefined()
  expect(limitOf(measure({}), sides(0, 0))).toBeUndefined()
})

const canary = (more: Partial<CanaryProgress> = {}): CanaryProgress => ({
  environment: 'prod',
  alpha: 0.01,
  on_failure: 'rollback',
  on_inconclusive: 'hold',
  slow_above_ms: null,
  stages: [],
  predicted: null,
  measures: {
    requests: sides(100, 300),
    errors: measure({}),
    latency: measure({}),
    codes: { e: 1, alarm: 500, counts: { A: sides(60, 210), B: sides(30, 60), C: sides(10, 30) } },
  },
  ...more,
})

test('looks are the reported verdicts of the environment and the present counts', () => {
  const verdict = (environment: string, when: string) =>
    ({
      type: 'stage_verdict',
      environment,
      at: when,
      data: { requests: sides(10, 30), errors: sides(1, 0), codes: { counts: { A: sides(4, 20) } } },
    }) as unknown as ReleaseEvent
  const looks = looksOf([verdict('prod', AT), verdict('staging', AT)], canary(), Date.parse(AT) + 7)
  expect(looks.map((look) => [look.at, look.requests])).toEqual([
    [Date.parse(AT), sides(10, 30)],
    [Date.parse(AT) + 7, sides(100, 300)],
  ])
  // The clock of the page is behind: the present counts are still the last.
  expect(looksOf([verdict('prod', AT)], canary(), 7).map((look) => look.at)).toEqual([Date.parse(AT), Date.parse(AT)])
  expect(looksOf([], canary(), 7).map((look) => look.at)).toEqual([7])
  expect(rangesOf(looks, ({ errors }) => errors).map(({ estimate }) => estimate)).toEqual([10, expect.closeTo(-7 / 3)])
  expect(rangesOf(looks, ({ codes }) => codes['B']).map(({ estimate }) => estimate)).toEqual([0, expect.closeTo(10)])
})

test('codes are listed by their shift, with what recorded decisions predict', () => {
  const predicted = { replayed: 100, codes: { A: { before: 70, after: 58 }, B: { before: 20, after: 32 } } }
  const progress = canary({ predicted })
  if (progress.measures === null) throw new Error('there are measures')
  const shares = codeShares(progress, progress.measures.codes)
  expect(
    shares
      .toSorted((one, other) => (one.code < other.code ? -1 : 1))
      .map(({ code, candidate, live, predicted: by }) => [code, candidate, live, by]),
  ).toEqual([
    ['A', 0.6, 0.7, expect.closeTo(-12)],
    ['B', 0.3, 0.2, expect.closeTo(12)],
    ['C', 0.1, 0.1, 0],
  ])
  expect(isPredicted(shares)).toBe(true)
  expect(isPredicted(codeShares(canary(), progress.measures.codes))).toBe(false)
  const other = { replayed: 100, codes: { A: { before: 70, after: 10 }, B: { before: 30, after: 90 } } }
  expect(isPredicted(codeShares(canary({ predicted: other }), progress.measures.codes))).toBe(false)
})
