import { expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { seeded } from './random.testing.ts'
import { positionOf, positionsOf } from './text-search.ts'

const random = seeded(20261122)
const textOf = (length: number, letters: string) =>
  Array.from({ length }, () => letters.charAt(random.below(letters.length))).join('')

test.each([
  ['few letters', 'ab'],
  ['characters beyond 16 bits', 'a💥é'],
])('a part is found where the engine finds it: %s', (_name, letters) => {
  for (let count = 0; count < 3000; count++) {
    const text = textOf(random.below(1500), letters)
    const start = random.below(text.length + 1)
    const part =
      random.below(2) === 0 ? textOf(random.below(40), letters) : text.slice(start, start + random.below(900))
    const budget = Budget.endless()
    expect(positionOf(budget, text, part), `${part} in ${text}`).toBe(text.indexOf(part))
    if (part === '') continue
    expect(positionsOf(budget, text, part).length, `${part} in ${text}`).toBe(text.split(part).length - 1)
  }
})

test('a search takes time linear in the text, whatever the part', () => {
  const text = 'a'.repeat(1_000_000)
  // Half a million by half a million comparisons would take minutes.
  expect(positionOf(Budget.endless(), text, `${'a'.repeat(500_000)}b`)).toBe(-1)
  expect(positionsOf(Budget.endless(), text, `b${'a'.repeat(499_999)}`)).toEqual([])
})
