import { decodeDraft, type DraftRuleset } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { randomDraft } from '../../authoring/src/random.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../ruleset/src/random.testing.ts'
import type { Loss } from './conversion-result.ts'
import { toDmn } from './dmn/write/to-dmn.ts'
import { fromJdm } from './jdm/from-jdm.ts'
import { randomDecision } from './jdm/random-jdm.testing.ts'
import { randomExpressionsDraft } from './jdm/write/random-expressions.testing.ts'
import { toJdm } from './jdm/write/to-jdm.ts'
import { fromJsonRulesEngine } from './json-rules-engine/from-json-rules-engine.ts'
import { isPlaceIn } from './loss-places.testing.ts'

const DOCUMENTS = casesOf(500)

const RULES: Value = [
  {
    name: 'minors',
    priority: 10,
    event: { type: 'refuse', params: { reason: 'age' } },
    conditions: {
      all: [
        { fact: 'applicant', path: '$.age', operator: 'lessThan', value: 18 },
        { not: { any: [{ fact: 'tags', operator: 'contains', value: 'vip' }] } },
      ],
    },
  },
]

/** Replacements for parts of a document. */
const STRANGERS: readonly Value[] = [
  null,
  7,
  'x',
  'a + ',
  'sha256("a")',
  'date("now")',
  '> >',
  true,
  [],
  {},
  ['x'],
  { a: 1 },
]

/** The value with some of its parts replaced, removed or repeated. */
function changed(random: Random, value: Value): Value {
  let copy = value
  for (let count = inRange(random, 0, 3); count > 0; count--) copy = changedOnce(random, copy)
  return copy
}

function changedOnce(random: Random, value: Value): Value {
  if (Array.isArray(value) && value.length > 0) {
    const items = value as readonly Value[]
    const index = inRange(random, 0, items.length - 1)
    return items.flatMap((item, at) => (at === index ? changedPart(random, item) : [item]))
  }
  if (!isObject(value) || Array.isArray(value) || Object.keys(value).length === 0) return pick(random, STRANGERS)
  const entries = Object.entries(value)
  const index = inRange(random, 0, entries.length - 1)
  return Object.fromEntries(
    entries.flatMap(([key, inner], at) =>
      at === index ? changedPart(random, inner).map((one) => [key, one] as const) : [[key, inner] as const],
    ),
  )
}

function changedPart(random: Random, inner: Value): readonly Value[] {
  if (chance(random, 0.8)) return [changedOnce(random, inner)]
  return pick(random, [[], [pick(random, STRANGERS)], [inner, inner]])
}

const READERS = [
  ['JSON Decision Models', randomDecision, fromJdm],
  ['rules of json-rules-engine', () => RULES, fromJsonRulesEngine],
] as const

test.each(READERS)(`each loss of ${DOCUMENTS} changed %s has a place in them`, (_title, make, read) => {
  printSeed(DOCUMENTS)
  const random = seededRandom(SEED)
  let losses = 0
  for (let count = 0; count < DOCUMENTS; count++) {
    const document = changed(random, make(random))
    losses += placed(document, read(document).lost)
  }
  expect(losses).toBeGreaterThan(DOCUMENTS / 10)
})

const WRITERS = [
  ['JSON Decision Models', (draft: DraftRuleset) => toJdm(draft)],
  ['decision models', toDmn],
] as const

test.each(WRITERS)(
  `each loss of ${DOCUMENTS} changed drafts written as %s has a place in the draft`,
  (_title, write) => {
    printSeed(DOCUMENTS)
    const random = seededRandom(SEED)
    let losses = 0
    for (let count = 0; count < DOCUMENTS; count++) {
      const document = changed(random, pick(random, [randomDraft, randomExpressionsDraft])(random))
      const { draft } = decodeDraft(document)
      if (draft !== undefined) losses += placed(draft, write(draft).lost)
    }
    expect(losses).toBeGreaterThan(DOCUMENTS / 10)
  },
)

function placed(document: DraftRuleset | Value, lost: readonly Loss[]): number {
  for (const loss of lost)
    if (!isPlaceIn(document, loss)) throw new Error(JSON.stringify({ loss, document }, undefined, 1))
  return lost.length
}
