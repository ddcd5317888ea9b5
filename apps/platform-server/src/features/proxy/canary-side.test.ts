import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { NO_CANARY } from '../projects/model.ts'
import type { Split } from '../rollouts/canary-split.ts'
import type { Destination, Destinations } from './destinations.ts'
import { decidedBy, outcomeOf, type Side, unnamed } from './canary-side.ts'

const SPLIT: Split = {
  executionId: 'x',
  environmentId: 'e',
  releaseId: 'r',
  stage: 0,
  percent: 30,
  slowMs: undefined,
  groups: new Map(),
  candidates: new Map([['fee', 'fee.r7']]),
}

const engine = (id: string, held: readonly string[], isHealthy = true): Destination => ({
  id,
  name: id,
  claimant: {
    id,
    name: id,
    org: 'o' as OrgId,
    generation: 1,
    origin: 'http://127.0.0.1:1',
    peer: null,
    registeredAt: new Date(0),
  },
  tenants: true,
  token: '',
  isHealthy: () => isHealthy,
  holds: (_environment, name) => held.includes(name),
})

const at = (
  engines: readonly Destination[],
  split: Split | null = SPLIT,
  canaries: readonly Destination[] = [],
): Destinations => ({
  id: SPLIT.environmentId,
  name: 'prod',
  canary: NO_CANARY,
  split: split ?? undefined,
  shadows: new Map(),
  engines,
  canaries,
  live: new Set(['fee']),
  owned: undefined,
  releases: new Map(),
  isRepeatable: () => false,
})
const decide = (destinations: Destinations, asked: Parameters<typeof decidedBy>[1], resting = '') =>
  decidedBy(destinations, asked, ({ id }) => id === resting)
const request = (key: string | undefined, decides: string | undefined = 'fee') => ({
  raw: { headers: key === undefined ? {} : { 'x-canary-key': key } },
  decides,
})

const both = [engine('old', ['fee']), engine('new', ['fee', 'fee.r7'])]

test('a key stays on its side, and candidates are requested from engines that have them', () => {
  const sides = Array.from({ length: 200 }, (_, index) => decide(at(both), request(`user-${index}`)))
  const again = Array.from({ length: 200 }, (_, index) => decide(at(both), request(`user-${index}`)))
  expect(again).toEqual(sides)
  const [candidates, others] = [
    sides.filter((side) => side?.kind === 'canary'),
    sides.filter((one) => one?.kind === 'stable'),
  ]
  expect(candidates.length).toBeGreaterThan(30)
  expect(candidates.length + others.length).toBe(200)
  for (const side of candidates)
    expect([side?.names.asked, side?.engines.map(({ id }) => id)]).toEqual(['fee.r7', ['new']])
  for (const side of others) expect([side?.names.asked, side?.engines]).toEqual(['fee', both])
})

test('a larger share keeps its earlier keys', () => {
  const isCanary = (percent: number, key: string) =>
    decide(at(both, { ...SPLIT, percent }), request(key))?.kind === 'canary'
  for (let index = 0; index < 500; index++)
    if (isCanary(10, `user-${index}`)) expect(isCanary(25, `user-${index}`)).toBe(true)
})

test.each([
  ['no stage is under way', at(both, null), request('a')],
  ['the ruleset has no candidate', at(both), request('a', 'other')],
  ['no engine has reported the candidate', at([engine('old', ['fee'])]), request('a')],
  ['the request is not a single decision', at(both), { ...request('a'), decides: undefined }],
])('the live version decides, uncounted, where %s', (_, destinations, asked) => {
  expect(decide(destinations, asked)).toBeUndefined()
})

const live = [engine('live', ['fee'])]
const whole = { ...SPLIT, percent: 100 }

test('a candidate is requested from the engines for candidates alone, the live version from the others', () => {
  const canaries = [engine('away', ['fee.r7'], false), engine('apart', ['fee.r7']), engine('empty', [])]
  const asked = (percent: number) => decide(at(live, { ...SPLIT, percent }, canaries), request('a'))
  expect([asked(100)?.kind, asked(100)?.engines.map(({ id }) => id)]).toEqual(['canary', ['apart']])
  expect([asked(0)?.kind, asked(0)?.engines.map(({ id }) => id)]).toEqual(['stable', ['live']])
})

test.each([
  ['is unhealthy', [engine('apart', ['fee.r7'], false)], ''],
  ['cannot be connected to', [engine('apart', ['fee.r7'])], 'apart'],
  ['has not taken it', [engine('apart', [])], ''],
])('neither side is counted while the engine for candidates alone %s', (_, canaries, resting) => {
  for (const percent of [0, 100])
    expect(decide(at(live, { ...whole, percent }, canaries), request('a'), resting)).toBeUndefined()
})

const answer = (statusCode: number, headers: Readonly<Record<string, string>> = {}, body = '') => ({
  statusCode,
  headers,
  body: Buffer.from(body),
})

test.each([
  ['a decision', answer(200, { 'x-result-code': 'DONE', 'x-ruleset-digest': 'd' }), { isError: false, code: 'DONE' }],
  ['an execution that failed', answer(422, { 'x-ruleset-digest': 'd' }), { isError: true, code: undefined }],
  ['an engine that fails', answer(503), { isError: true, code: undefined }],
  ['no answer', undefined, { isError: true, code: undefined }],
  ['a request that no ruleset has seen', answer(400), undefined],
  ['a key that may not', answer(403), undefined],
])('%s', (_, given, outcome) => {
  expect(outcomeOf(given)).toEqual(outcome)
})

test('the name of a candidate is removed from its errors, and neither a receipt nor anything else is changed', async () => {
  const body = '{"error":"`fee.r7` calls `fee.r7`","path":"/x"}'
  const side = { kind: 'canary', names: { known: 'fee', asked: 'fee.r7' } } as Side
  const length = String(Buffer.byteLength(body))
  const shown = await unnamed(answer(404, { 'content-length': length, 'x-a': 'b' }, body), side)
  expect(shown.headers).toEqual({ 'content-length': String(Buffer.byteLength(body) - 6), 'x-a': 'b' })
  expect(String(shown.body as Buffer)).toBe('{"error":"`fee` calls `fee`","path":"/x"}')
  const receipt = ',"receipt":{"format":"engine-receipt/1","entry":"{\\"name\\":\\"fee.r7\\"}"}}'
  const signed = await unnamed(answer(500, {}, `{"error":"\`fee.r7\` failed"${receipt}`), side)
  expect(String(signed.body as Buffer)).toBe(`{"error":"\`fee\` failed"${receipt}`)
  for (const untouched of [answer(200, {}, body), answer(404, {}, body)]) {
    const other = untouched.statusCode === 200 ? side : undefined
    expect(await unnamed(untouched, other)).toBe(untouched)
  }
})

test('an error of a candidate passes up to 256 KiB', async () => {
  const side = { kind: 'canary', names: { asked: 'fee.r7', known: 'fee' } } as unknown as Side
  const part = 'x'.repeat(64 * 1024)
  const passed = async (...parts: readonly string[]) => {
    const body = Readable.from(parts.map((text) => Buffer.from(text)))
    const { body: shown, headers } = await unnamed({ statusCode: 500, headers: {}, body }, side)
    expect(headers['content-length']).toBe(String((shown as Buffer).length))
    return (shown as Buffer).toString()
  }
  expect(await passed('fee.r7 ', 'fails')).toBe('fee fails')
  expect((await passed(part, part, part, part)).length).toBe(256 * 1024)
  expect((await passed(part, part, part, part, 'y')).length).toBe(256 * 1024)
})
