import { describe, expect, test } from 'vitest'
import type { ReleaseEvent } from '../api/release-events.ts'
import { rollout as texts } from '../texts/en/rollout.ts'
import { alarmShare, engineGroups, type Execution, readableEvents, spanText, type Stage, stateOf } from './progress.ts'

const AT = '2026-01-01T10:00:00Z'
const stage = (index: number, more: Partial<Stage> = {}): Stage => ({
  index,
  percent: 10,
  duration_s: 60,
  min_requests: 0,
  begun_at: null,
  ends_at: null,
  ended_at: null,
  requests: { canary: 0, stable: 0 },
  errors: { canary: 0, stable: 0 },
  ...more,
})
const execution = (more: Partial<Execution>): Execution => ({
  id: 'e',
  release_id: 'r',
  status: 'running',
  step: 'canary',
  environment: 'prod',
  stage: null,
  servers: [],
  started_at: AT,
  ended_at: null,
  error: null,
  ...more,
})
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

test('engines are grouped by content and state', () => {
  const server = (name: string, status: 'live' | 'failed', digest: string | null) => ({
    server_id: name,
    name,
    environment: 'prod',
    canary_only: false,
    status,
    digest,
    error: null,
  })
  const groups = engineGroups([server('a', 'live', 'x'), server('b', 'failed', 'x'), server('c', 'live', 'x')])
  expect(groups.map(({ status, servers }) => [status, servers.map(({ name }) => name)])).toEqual([
    ['live', ['a', 'c']],
    ['failed', ['b']],
  ])
})
