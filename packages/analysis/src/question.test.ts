import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { analyze } from './analyze.ts'
import { decision, rulesetOf } from './reports.testing.ts'
import { furtherSearch } from './witness/further-search.ts'
import { Guesses } from './witness/guesses.ts'

/** Guesses of an empty input, until the one of a number is `shown`. */
class CountedGuesses extends Guesses {
  count = 0
  readonly #shownAt: number
  readonly #shown: ObjectValue

  constructor(shownAt: number, shown: ObjectValue) {
    super([])
    this.#shownAt = shownAt
    this.#shown = shown
  }

  override next(): ObjectValue {
    return ++this.count === this.#shownAt ? this.#shown : {}
  }
}

/** A row that leaves one claim open: the search finds no text for it, but a number for which it fails. */
const hash = (letter: string) => [`md5(t) == "${letter.repeat(32)}"`, 'N'] as const
/** A row that the text "7" takes. */
const OF_7 = ['md5(t) == "8f14e45fceea167a5a36dedd4bea2543"', 'N'] as const

test.each<[what: string, count: number, rows: Parameters<typeof decision>[0], shownAt?: number]>([
  ['no claim is open', 0, [['t == "a"', 'N']]],
  ['one claim is open', 500, [hash('a')]],
  ['two claims are open', 600, ['a', 'b'].map(hash)],
  ['six claims are open, and none is shown', 600, [...'abcdef'].map(hash)],
  ['the only open claim is shown', 12, [OF_7], 12],
  ['one of three open claims is shown', 612, [hash('a'), OF_7, hash('b')], 12],
  ['one of two open claims is shown by the last guess', 600, [hash('a'), OF_7], 600],
  ['a claim is shown after 600 guesses that show nothing', 600, [...[...'abcdef'].map(hash), OF_7], 601],
])('when %s, %d inputs are guessed', (_what, count, branches, shownAt = 0) => {
  const guesses = new CountedGuesses(shownAt, { t: '7' })
  analyze(rulesetOf({ d: decision(branches, 'N') }), { further: { ...furtherSearch, guesses: () => guesses } })
  expect(guesses.count).toBe(count)
})
