import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { digestOfCheck, digestOfTexts } from './check-digest.ts'
import type { CheckTask } from './tasks.ts'

interface Parts {
  readonly draft?: Value
  readonly draftText?: string
  readonly subRules?: Readonly<Record<string, Value>>
  readonly used?: Readonly<Record<string, Value>>
  readonly contract?: {
    readonly contract?: Value
    readonly concepts?: Readonly<Record<string, Value>>
    readonly mode?: string
  }
}

const digest = ({ draft = {}, draftText, subRules = {}, used = {}, contract }: Parts) => {
  const references = {
    subRules: new Map(Object.entries(subRules)),
    contract: contract && { ...contract, concepts: new Map(Object.entries(contract.concepts ?? {})) },
  }
  const subject = draftText === undefined ? { ...references, draft } : { ...references, draftText }
  return digestOfCheck({ subject, used: new Map(Object.entries(used)) } as unknown as CheckTask)
}

const WHOLE = {
  draft: { a: 1 },
  subRules: { s: { x: 1 } },
  used: { s: { inputs: ['x'] } },
  contract: { contract: { name: 'c' }, concepts: { k: { fields: [1] } }, mode: 'warn' },
}

describe('the digest of a check', () => {
  test.each<[string, Parts]>([
    ['the draft', { ...WHOLE, draft: { a: 2 } }],
    ['a sub-rule', { ...WHOLE, subRules: { s: { x: 2 } } }],
    ['the name of a sub-rule', { ...WHOLE, subRules: { t: { x: 1 } } }],
    ['the interface of a sub-rule', { ...WHOLE, used: { s: { inputs: ['y'] } } }],
    ['the contract', { ...WHOLE, contract: { ...WHOLE.contract, contract: { name: 'd' } } }],
    ['a concept', { ...WHOLE, contract: { ...WHOLE.contract, concepts: { k: { fields: [2] } } } }],
    ['the mode', { ...WHOLE, contract: { ...WHOLE.contract, mode: 'enforce' } }],
    ['the absence of a contract', { ...WHOLE, contract: undefined } as unknown as Parts],
  ])('changes with %s', async (_title, parts) => {
    expect(await digest(parts)).not.toBe(await digest(WHOLE))
  })

  test('is the same for a draft and its text', async () => {
    const { draft: _, ...rest } = WHOLE
    expect(await digest({ ...rest, draftText: '{"a":1}' })).toBe(await digest(WHOLE))
  })
})

describe('the digest of texts', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['where they are divided', ['ab', 'c'], ['a', 'bc']],
    ['their order', ['a', 'b'], ['b', 'a']],
    ['a character beyond the first piece', ['x'.repeat(300_000)], [`${'x'.repeat(299_999)}y`]],
    ['half a surrogate pair', ['\ud800'], ['\ud801']],
    ['an empty one', ['a'], ['a', '']],
  ])('depends on %s', async (_title, one, other) => {
    expect(await digestOfTexts(one)).not.toBe(await digestOfTexts(other))
    expect(await digestOfTexts(one)).toBe(await digestOfTexts([...one]))
  })
})
