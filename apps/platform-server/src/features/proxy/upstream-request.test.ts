import { describe, expect, test } from 'vitest'
import {
  forwardedQuery,
  listQuery,
  receiptPlace,
  refuseRulesetName,
  type UpstreamRequest,
  upstreamPath,
  versionNumber,
} from './upstream-request.ts'

const outcome = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return `refused ${(error as { code?: string }).code}`
  }
}
const REFUSED = 'refused invalid-request'
const query = (text: string) => new URLSearchParams(text)

test.each([
  ['fee', undefined],
  ['fee.v2', undefined],
  ['', REFUSED],
  ['../fee', REFUSED],
  ['a/b', REFUSED],
  ['fee.r7', 'refused not-found'],
])('the name %j of a ruleset: %s', (name, expected) => {
  expect(outcome(() => refuseRulesetName(name))).toBe(expected)
})

const UUID = 'aaaaaaaa-0000-4000-8000-000000000001'
test.each<[instance: string, seq: string, expected: unknown]>([
  [`eu-1/${UUID}`, '7', { instance: `eu-1/${UUID}`, seq: 7 }],
  [`eu-1.w12/${UUID}`, '0', { instance: `eu-1.w12/${UUID}`, seq: 0 }],
  [`${'e'.repeat(64)}/${UUID}`, '9007199254740991', { instance: `${'e'.repeat(64)}/${UUID}`, seq: 2 ** 53 - 1 }],
  [`${'e'.repeat(65)}/${UUID}`, '7', REFUSED],
  [`eu-1.w123/${UUID}`, '7', REFUSED],
  [`eu-1/${UUID}0`, '7', REFUSED],
  [`/${UUID}`, '7', REFUSED],
  [`eu-1/${UUID}`, '9007199254740992', REFUSED],
  [`eu-1/${UUID}`, '12345678901234567', REFUSED],
  [`eu-1/${UUID}`, '-1', REFUSED],
  [`eu-1/${UUID}`, '', REFUSED],
])('the receipt %s#%s', (instance, seq, expected) => {
  expect(outcome(() => receiptPlace({ instance, seq }))).toEqual(expected)
})

test.each([
  ['7', '7'],
  ['007', '7'],
  ['0', '0'],
  ['9007199254740991', '9007199254740991'],
  ['9007199254740993', REFUSED],
  ['12345678901234567', REFUSED],
  ['1.5', REFUSED],
  ['', REFUSED],
])('the version %j is %s', (text, expected) => {
  expect(outcome(() => versionNumber(text))).toBe(expected)
})

test.each([
  ['', ''],
  ['unknown=1', ''],
  ['trace=true&unknown=1', '?trace=true'],
  ['trace=false&trace_values=true&receipt=true', '?trace=false&trace_values=true&receipt=true'],
  ['trace=maybe', REFUSED],
  ['limit=1', '?limit=1'],
  ['limit=010000', '?limit=10000'],
  ['limit=0', REFUSED],
  ['limit=10001', REFUSED],
  ['limit=0000010', REFUSED],
  ['cursor=fee', '?cursor=fee'],
  ['cursor=../fee', REFUSED],
  ['seq=1', '?seq=1'],
  ['seq=0', REFUSED],
  ['seq=9007199254740992', REFUSED],
  [`key=${'k'.repeat(500)}`, `?key=${'k'.repeat(500)}`],
  [`key=${'k'.repeat(501)}`, REFUSED],
  [`q=${'q'.repeat(200)}`, `?q=${'q'.repeat(200)}`],
  [`q=${'q'.repeat(201)}`, REFUSED],
  ['q=a%26b', '?q=a%26b'],
])('the query %s is sent as %s', (text, expected) => {
  expect(outcome(() => forwardedQuery(query(text)))).toBe(expected)
})

test.each<[text: string, expected: unknown]>([
  ['', { limit: Infinity, cursor: undefined, q: undefined }],
  ['limit=5&cursor=fee&q=a', { limit: 5, cursor: 'fee', q: 'a' }],
  ['limit=x', REFUSED],
  ['cursor=a/b', REFUSED],
  [`q=${'q'.repeat(201)}`, REFUSED],
])('the query %s of a list', (text, expected) => {
  expect(outcome(() => listQuery(query(text)))).toEqual(expected)
})

describe('the path at an engine', () => {
  const path = (upstream: string, more: object, name?: string) =>
    upstreamPath({ route: { upstreamPath: upstream }, query: '', ...more } as unknown as UpstreamRequest, name)
  test.each<[title: string, upstream: string, more: object, name: string | undefined, expected: string]>([
    ['has the name', '/api/v1/execute/:name', {}, 'fee.r7', '/api/v1/execute/fee.r7'],
    ['has the version', '/api/v1/rulesets/:name/versions/:seq', { seq: '3' }, 'fee', '/api/v1/rulesets/fee/versions/3'],
    [
      'has the receipt',
      '/api/v1/receipts/:instance/:seq',
      { receipt: { instance: 'a/b', seq: 7 } },
      undefined,
      '/api/v1/receipts/a%2Fb/7',
    ],
    ['has the query', '/api/v1/rulesets', { query: '?limit=5' }, undefined, '/api/v1/rulesets?limit=5'],
    [
      'has characters of other scripts only where a URL keeps them',
      '/api/v1/execute/:name',
      {},
      '%C3%A9',
      '/api/v1/execute/%C3%A9',
    ],
  ])('%s', (_title, upstream, more, name, expected) => {
    expect(path(upstream, more, name)).toBe(expected)
  })

  test.each(['../admin', '.', 'a b', 'é', 'a\\b'])('with the name %j is a defect', (name) => {
    expect(() => path('/api/v1/execute/:name', {}, name)).toThrow('is not a path of an engine')
  })
})
