import type { ObjectValue, Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { readDecisionRecord } from './decision-record.ts'

const CALL = { service: 's', method: 'get', parameters: { k: 1 } }

test.each<[record: ObjectValue, read: object]>([
  [{ input: { n: 1 } }, { input: { n: 1 } }],
  [
    { input: {}, code: 'A', other: 1 },
    { input: {}, code: 'A' },
  ],
  [{ input: {}, code: null, now: null, at: null, calls: null }, { input: {} }],
  [
    { input: {}, outcome: 'refused' },
    { input: {}, isRefused: true },
  ],
  [{ input: {}, outcome: 'executed' }, { input: {} }],
  [
    { input: {}, now: 5 },
    { input: {}, now: 5 },
  ],
  [
    { input: {}, now: 8.64e15 },
    { input: {}, now: 8.64e15 },
  ],
  [
    { input: {}, at: '1970-01-01T00:00:01Z' },
    { input: {}, now: 1000 },
  ],
  [
    { input: {}, at: '1970-01-01T01:00:01.5+01:00' },
    { input: {}, now: 1500 },
  ],
  [
    { input: {}, now: 5, at: '1970-01-01T00:00:01Z' },
    { input: {}, now: 5 },
  ],
  [
    { input: {}, calls: [] },
    { input: {}, calls: [] },
  ],
  [
    { input: {}, calls: [{ ...CALL, answer: { payload: 1 } }] },
    { input: {}, calls: [{ ...CALL, answer: { payload: 1 } }] },
  ],
  [
    { input: {}, calls: [{ ...CALL, error: 'x' }] },
    { input: {}, calls: [CALL] },
  ],
])('the record %j', (record, read) => {
  expect(readDecisionRecord(record)).toEqual(read)
})

test.each<[record: Value, reason: string]>([
  [3, 'object'],
  [{}, 'input'],
  [{ input: [] }, 'input'],
  [{ input: {}, code: 3 }, 'code'],
  [{ input: {}, now: 'x' }, 'now'],
  [{ input: {}, now: 8.65e15 }, 'now'],
  [{ input: {}, at: 3 }, 'at'],
  [{ input: {}, at: '1970-01-01' }, 'at'],
  [{ input: {}, at: '1970-13-01T00:00:01Z' }, 'at'],
  [{ input: {}, calls: {} }, 'calls'],
  [{ input: {}, calls: [3] }, 'calls'],
  [{ input: {}, calls: [{ ...CALL, service: 1, error: 'x' }] }, 'calls'],
  [{ input: {}, calls: [{ ...CALL, method: 1, error: 'x' }] }, 'calls'],
  [{ input: {}, calls: [{ ...CALL, parameters: 1, error: 'x' }] }, 'calls'],
  [{ input: {}, calls: [CALL] }, 'calls'],
  [{ input: {}, calls: [{ ...CALL, answer: 1 }] }, 'calls'],
  [{ input: {}, calls: [{ ...CALL, answer: {}, error: 'x' }] }, 'calls'],
])('%j is no record: it names %s', (record, reason) => {
  expect(readDecisionRecord(record)).toContain(reason === 'object' ? 'is an object' : `\`${reason}\` must`)
})
