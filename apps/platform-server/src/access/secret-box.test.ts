import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeal } from './secret-box.ts'

const key = randomBytes(32)
const seal = createSeal(key)

test('a sealed secret opens, and two of the same secret differ', () => {
  const [one, two] = [seal.seal('grüße', 'a'), seal.seal('grüße', 'a')]
  expect([seal.open(one, 'a'), createSeal(key).open(two, 'a')]).toEqual(['grüße', 'grüße'])
  expect(one.equals(two)).toBe(false)
  expect(one.includes('gr')).toBe(false)
})

test('it opens neither for another purpose nor with another key', () => {
  const sealed = seal.seal('secret', 'a')
  expect(() => seal.open(sealed, 'b')).toThrow(/was sealed with another key/)
  expect(() => createSeal(randomBytes(32)).open(sealed, 'a')).toThrow(/was sealed with another key/)
})

test('a change of any byte is found', () => {
  const sealed = seal.seal('secret', 'a')
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => seal.open(changed, 'a'), String(index)).toThrow(/was sealed with another key|unknown format/)
  }
  expect(() => seal.open(sealed.subarray(0, 8), 'a')).toThrow(/was sealed with another key/)
})
