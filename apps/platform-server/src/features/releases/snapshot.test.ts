import { describe, expect, test } from 'vitest'
import { contentDigest, type Copy } from './snapshot.ts'

const COPY = {
  name: 'fee',
  fromSeq: 3,
  version: '1.0.0',
  draftId: 'd',
  digest: 'a'.repeat(64),
  ruleset: { config: { name: 'fee' }, steps: [] },
  subRules: [],
  contract: { name: 'fee', version: '1.0.0', input: { fields: [] }, outputs: [] },
  contractIds: ['c'],
  suites: [{ id: 's', name: 'main', cases: [{ name: 'one', input: {}, expect: { code: 'OK' } }] }],
  problems: [],
} as unknown as Copy
const OTHER: Copy = { ...COPY, name: 'rate' }

describe('the digest of the reviewed content is another one', () => {
  test.each<[string, Partial<Copy>]>([
    ['with another name', { name: 'fees' }],
    ['with another save', { fromSeq: 4 }],
    ['with another content', { digest: 'b'.repeat(64) }],
    ['without a content', { digest: undefined }],
    ['with another draft', { ruleset: { config: { name: 'fee', version: '2' }, steps: [] } }],
    ['with another sub-rule', { ruleset: { ...COPY.ruleset, subRules: { a: { steps: [] } } } }],
    ['with another contract', { contract: { ...COPY.contract, version: '1.1.0' } as Copy['contract'] }],
    [
      'with another concept',
      { contract: { ...COPY.contract, concepts: [{ name: 'k', fields: [] }] } as unknown as Copy['contract'] },
    ],
    ['without a contract', { contract: undefined }],
    ['with another case', { suites: [{ id: 's', name: 'main', cases: [] }] }],
    ['with a renamed suite', { suites: COPY.suites.map((suite) => ({ ...suite, name: 'other' })) }],
    ['without a suite', { suites: [] }],
  ])('%s', async (_, more) => {
    expect(await contentDigest([{ ...COPY, ...more }], [])).not.toBe(await contentDigest([COPY], []))
  })

  test('with another removal', async () => {
    const digests = [[], ['old'], ['older'], ['old', 'older']].map((removed) => contentDigest([COPY], removed))
    expect(new Set(await Promise.all(digests)).size).toBe(4)
  })

  test('with another ruleset', async () => {
    expect(await contentDigest([COPY, OTHER], [])).not.toBe(await contentDigest([COPY], []))
  })
})

test('neither the order of rulesets and removals nor anything hidden from reviewers counts', async () => {
  const digest = await contentDigest([COPY, OTHER], ['a', 'b'])
  expect(await contentDigest([OTHER, COPY], ['b', 'a'])).toBe(digest)
  const unseen = { draftId: 'e', contractIds: [], subRules: [{ id: 'x', name: 'y', seq: 1 }] }
  expect(await contentDigest([{ ...COPY, ...unseen }, OTHER], ['a', 'b'])).toBe(digest)
})
