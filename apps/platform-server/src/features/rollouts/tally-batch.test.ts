import { latencyClass } from '@engine/canary'
import { describe, expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import type { Split } from './canary-split.ts'
import { ALL_CODES } from './stage-counts.ts'
import { addAnswer, type Answered, CountedEvents, mergeBatch, newBatch, requestsOf, sizeOf } from './tally-batch.ts'
import type { Batch } from './tally-store.ts'

const SPLIT: Split = {
  executionId: 'x',
  environmentId: 'e',
  releaseId: 'r',
  stage: 0,
  percent: 50,
  slowMs: 100,
  candidates: new Map(),
  groups: new Map(),
}

const answer = (more: Partial<Answered> = {}): Answered => ({
  org: 'o' as OrgId,
  split: SPLIT,
  side: 'canary',
  key: undefined,
  isError: false,
  code: undefined,
  milliseconds: 5,
  ...more,
})

/** The batch of these answers, all of one replica. */
function batchOf(...answers: readonly Partial<Answered>[]): Batch {
  const known = new CountedEvents().of('x e')
  const batch = newBatch(answer(answers[0]))
  for (const one of answers) addAnswer(batch, answer(one), known)
  return batch
}

/** Requests, errors and slow answers by side and code, and the events of keys in the same form. */
function shown({ counts, firsts }: Batch) {
  const direct = [...counts.values()]
    .filter(({ requests, errors, slow }) => requests + errors + slow > 0)
    .map(({ side, code, requests, errors, slow }) => `${side} ${code || '*'} ${requests}/${errors}/${slow}`)
  const keyed = Array.from(firsts.values(), ({ side, member, code }) => `${side} ${code || '*'} ${member}`)
  return [...direct, ...keyed]
}

const LINKED: Split = {
  ...SPLIT,
  groups: new Map([
    ['A', 'group'],
    [ALL_CODES, 'failed'],
  ]),
}

describe('answers without a key count each:', () => {
  test.each<readonly [string, readonly Partial<Answered>[], readonly string[]]>([
    ['requests of each side', [{}, {}, { side: 'stable' }], ['canary * 2/0/0', 'stable * 1/0/0']],
    ['errors', [{ isError: true }, {}], ['canary * 2/1/0']],
    ['slow answers, beyond the limit', [{ milliseconds: 100 }, { milliseconds: 100.1 }], ['canary * 2/0/1']],
    ['slow errors as both', [{ isError: true, milliseconds: 500 }], ['canary * 1/1/1']],
    ['codes', [{ code: 'A' }, { code: 'A' }, { code: 'B' }], ['canary * 3/0/0', 'canary A 2/0/0', 'canary B 1/0/0']],
    ['no code that is empty', [{ code: ALL_CODES }], ['canary * 1/0/0']],
    [
      'a linked code for its group as well',
      [{ split: LINKED, code: 'A' }],
      ['canary * 1/0/0', 'canary group 1/0/0', 'canary A 1/0/0'],
    ],
    [
      'a code that is not linked for itself alone',
      [{ split: LINKED, code: 'B' }],
      ['canary * 1/0/0', 'canary B 1/0/0'],
    ],
    [
      'a failure for the group of failures, whatever its code',
      [{ split: LINKED, code: 'A', isError: true }],
      ['canary * 1/1/0', 'canary failed 1/0/0', 'canary A 1/0/0'],
    ],
    ['no group for an answer without a result', [{ split: LINKED }], ['canary * 1/0/0']],
  ])('%s', (_, answers, counts) => {
    expect(shown(batchOf(...answers))).toEqual(counts)
  })
})

describe('of answers with the same key', () => {
  const key = 'k'
  test.each<readonly [string, readonly Partial<Answered>[], readonly string[]]>([
    ['each is a request', [{ key }, { key }], ['canary * 2/0/0']],
    [
      'the first error counts',
      [
        { key, isError: true },
        { key, isError: true },
      ],
      ['canary * 2/0/0', 'canary * errors'],
    ],
    [
      'the first of each code counts',
      [
        { key, code: 'A' },
        { key, code: 'A' },
        { key, code: 'B' },
      ],
      ['canary * 3/0/0', 'canary A requests', 'canary B requests'],
    ],
    [
      'an error and a slow answer are two events',
      [{ key, isError: true, milliseconds: 500 }],
      ['canary * 1/0/0', 'canary * errors', 'canary * slow'],
    ],
    [
      'those of another key count again',
      [
        { key, isError: true },
        { key: 'l', isError: true },
      ],
      ['canary * 2/0/0', 'canary * errors', 'canary * errors'],
    ],
  ])('%s', (_, answers, counts) => {
    expect(shown(batchOf(...answers))).toEqual(counts)
  })

  test('the first counts once for the whole execution, whatever the batch', () => {
    const events = new CountedEvents()
    const [first, second, other] = [newBatch(answer()), newBatch(answer()), newBatch(answer())]
    addAnswer(first, answer({ key, isError: true }), events.of('x e'))
    addAnswer(second, answer({ key, isError: true }), events.of('x e'))
    addAnswer(other, answer({ key, isError: true }), events.of('y e'))
    expect([first, second, other].map(({ firsts }) => firsts.size)).toEqual([1, 0, 1])
  })

  test('the first counts again when twenty other executions were counted since', () => {
    const events = new CountedEvents()
    const fails = (execution: string) => {
      const batch = newBatch(answer())
      addAnswer(batch, answer({ key, isError: true }), events.of(execution))
      return batch.firsts.size
    }
    expect(fails('x')).toBe(1)
    for (let count = 0; count < 19; count++) fails(`other ${count}`)
    expect(fails('x')).toBe(0)
    for (let count = 0; count < 20; count++) fails(`another ${count}`)
    expect(fails('x')).toBe(1)
  })
})

test('a hundred codes are counted, and those that are known go on', () => {
  const codes = Array.from({ length: 101 }, (_, index) => `C${index}`)
  const { counts } = batchOf(...codes.map((code) => ({ code })), { code: 'C99' }, { code: 'C100' })
  expect(counts.get('canary C99')).toMatchObject({ requests: 2 })
  expect([counts.has('canary C100'), counts.size]).toEqual([false, 101])
})

describe('latencies', () => {
  const open = { ...SPLIT, slowMs: undefined }
  test('of the control are kept by class until there is a limit', () => {
    const { latencies } = batchOf(
      { split: open, side: 'stable', milliseconds: 5 },
      { split: open, side: 'stable', milliseconds: 5 },
      { split: open, side: 'stable', milliseconds: 5000 },
      { split: open, side: 'canary', milliseconds: 5 },
    )
    expect(latencies).toEqual(
      new Map([
        [latencyClass(5), 2],
        [latencyClass(5000), 1],
      ]),
    )
  })

  test('are not kept with a limit, and nothing is slow without one', () => {
    expect(batchOf({ side: 'stable' }).latencies.size).toBe(0)
    expect(shown(batchOf({ split: open, milliseconds: 1e6 }))).toEqual(['canary * 1/0/0'])
  })
})

test('a newer batch is added: counts and latencies sum, an event of a key stays one', () => {
  const open = { ...SPLIT, slowMs: undefined }
  const answers = [
    { split: open, side: 'stable', code: 'A', milliseconds: 5 },
    { split: open, key: 'k', isError: true },
    { isError: true, milliseconds: 500 },
  ] as const
  const [batch, newer] = [batchOf(...answers), batchOf(...answers, { side: 'stable', isError: true })]
  mergeBatch(batch, newer)
  expect(shown(batch)).toEqual(['stable * 3/1/0', 'stable A 2/0/0', 'canary * 4/2/2', 'canary * errors'])
  expect(batch.latencies).toEqual(new Map([[latencyClass(5), 2]]))
  expect(requestsOf(batch)).toBe(7)
})

test('the size of a batch grows with its events of keys', () => {
  const empty = sizeOf(newBatch(answer()))
  expect(sizeOf(batchOf({}))).toBe(empty)
  expect(sizeOf(batchOf({ key: 'k', code: 'A' }, { key: 'l', code: 'A' }))).toBe(empty + 2)
  expect(requestsOf(batchOf({ code: 'A' }, { side: 'stable' }))).toBe(2)
})
