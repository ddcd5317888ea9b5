import { expect, test } from 'vitest'
import { approvalOf, executionOf, lastProtected } from './release-requests.ts'

const KNOWN = [
  { name: 'prod', order: 3, requires_release: true },
  { name: 'test', order: 1, requires_release: false },
  { name: 'stage', order: 2, requires_release: true },
  { name: 'live', order: 4, requires_release: true },
]

test.each<[environments: readonly string[], name: string | undefined]>([
  [['test', 'stage', 'prod'], 'prod'],
  [['prod', 'stage'], 'prod'],
  [['stage', 'test'], 'stage'],
  [['test'], undefined],
  [['gone'], undefined],
  [[], undefined],
])('a release to %j is confirmed by the name %s', (environments, name) => {
  expect(lastProtected(KNOWN, environments)).toBe(name)
})

test.each<[reason: string, expected: readonly object[], body: object]>([
  ['', [], {}],
  ['outage', [], { emergency_reason: 'outage' }],
  ['', [{ from: 'A', to: 'B' }], { expect: [{ from: 'A', to: 'B' }] }],
  ['outage', [{ from: 'A', to: 'B' }], { emergency_reason: 'outage', expect: [{ from: 'A', to: 'B' }] }],
])('the reason %j and the expected changes %j are sent', (reason, expected, body) => {
  expect(executionOf(reason, expected)).toEqual(body)
})

test('an approval names the whole digest of the displayed content', () => {
  const digest = 'sha256:0123456789abcdef'
  expect(approvalOf({ content_digest: digest }, 'fine')).toEqual({ comment: 'fine', content_digest: digest })
})
