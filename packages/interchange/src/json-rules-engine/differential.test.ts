import type { Value } from '@engine/expression'
import { Engine, type EngineResult, type RuleProperties } from 'json-rules-engine'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { executable } from '../execute.testing.ts'
import { fromJsonRulesEngine } from './from-json-rules-engine.ts'

const DOCUMENTS = casesOf(2000)
const INPUTS_EACH = 10

/** Facts by type: numbers and texts may be missing or null, lists may contain anything. */
const NUMBERS = ['age', 'score', 'if']
const TEXTS = ['country', 'plan type']
const WORDS = ['DE', 'FR', 'gold', 'a"b', '']

function randomCondition(random: Random, depth: number): Value {
  if (depth > 0 && chance(random, 0.4)) {
    const list = Array.from({ length: inRange(random, 0, 3) }, () => randomCondition(random, depth - 1))
    return pick<Value>(random, [{ all: list }, { any: list }, { not: randomCondition(random, depth - 1) }])
  }
  return randomComparison(random)
}

function randomComparison(random: Random): Value {
  const word = () => pick(random, WORDS)
  const number = () => inRange(random, -2, 5) / 2
  const fact = pick(random, [...NUMBERS, ...TEXTS, 'tags', 'order', 'flag'])
  if (NUMBERS.includes(fact)) {
    const operator = pick(random, [
      'lessThan',
      'lessThanInclusive',
      'greaterThan',
      'greaterThanInclusive',
      'equal',
      'notEqual',
    ])
    return chance(random, 0.2)
      ? { fact, operator: pick(random, ['in', 'notIn']), value: [number(), number()] }
      : { fact, operator, value: number() }
  }
  if (fact === 'tags') return { fact, operator: pick(random, ['contains', 'doesNotContain']), value: word() }
  if (fact === 'flag')
    return { fact, operator: pick(random, ['equal', 'notEqual']), value: pick<Value>(random, [true, false, null]) }
  if (fact === 'order')
    return {
      fact,
      path: pick(random, ['$.total', '$.lines[0].n', "$['total']"]),
      operator: pick(random, ['lessThan', 'greaterThanInclusive', 'equal']),
      value: number(),
    }
  return chance(random, 0.4)
    ? { fact, operator: pick(random, ['in', 'notIn']), value: [word(), word()] }
    : { fact, operator: pick(random, ['equal', 'notEqual']), value: pick<Value>(random, [word(), null]) }
}

function randomRule(random: Random, index: number): Value {
  const conditions = {
    [pick(random, ['all', 'any'])]: Array.from({ length: inRange(random, 0, 4) }, () => randomCondition(random, 3)),
  }
  const params = { index, note: pick(random, WORDS), list: [1, { a: null }] }
  return {
    conditions,
    event: { type: `event-${index}`, ...(chance(random, 0.6) && { params }) },
    ...(chance(random, 0.5) && { priority: inRange(random, 1, 4) }),
  }
}

function randomFacts(random: Random): { readonly [name: string]: Value } {
  const maybe = (value: () => Value): Value | undefined =>
    pick(random, [value, value, value, () => null, () => undefined])()
  const number = () => inRange(random, -2, 5) / 2
  const facts: [string, Value | undefined][] = [
    ...NUMBERS.map((name): [string, Value | undefined] => [name, maybe(number)]),
    ...TEXTS.map((name): [string, Value | undefined] => [name, maybe(() => pick(random, WORDS))]),
    [
      'tags',
      maybe(() => Array.from({ length: inRange(random, 0, 3) }, () => pick<Value>(random, [...WORDS, null, 1]))),
    ],
    ['flag', maybe(() => chance(random, 0.5))],
    ['order', randomOrder(random, number())],
  ]
  return Object.fromEntries(facts.filter((entry): entry is [string, Value] => entry[1] !== undefined))
}

/** In json-rules-engine a path into a scalar returns the scalar itself, which no random order is. */
function randomOrder(random: Random, number: number): Value | undefined {
  if (chance(random, 0.2)) return undefined
  return pick<Value>(random, [{ total: number, lines: [{ n: number }] }, { total: number }, { lines: [] }, {}])
}

const ruleOf = (rule: Value) => rule as unknown as Rule

/** Events of one priority are emitted in the order in which their conditions complete. */
function inOrder(events: readonly Value[], rules: readonly Value[]): string {
  const priority = new Map(rules.map((rule) => [ruleOf(rule).event.type, ruleOf(rule).priority ?? 1]))
  const typeOf = (event: Value) => (event as unknown as Rule['event']).type
  const groups = Map.groupBy(events, (event) => priority.get(typeOf(event)))
  const sorted = [...groups.values()].map((group) => group.toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1)))
  return JSON.stringify(sorted)
}

interface Rule {
  readonly event: { readonly type: string }
  readonly priority?: number
}

test(`${DOCUMENTS} random documents have the events that json-rules-engine gives, in the order of their priorities`, async () => {
  printSeed(DOCUMENTS)
  const random = seededRandom(SEED)
  const seen = { some: 0, none: 0 }
  for (let count = 0; count < DOCUMENTS; count++) {
    const rules = Array.from({ length: inRange(random, 1, 5) }, (_, index) => randomRule(random, index))
    const { rulesets, lost } = fromJsonRulesEngine(rules)
    expect(lost).toEqual([])
    const [imported] = rulesets
    if (imported === undefined) throw new Error('nothing was imported')
    const decide = executable(imported.ruleset)
    const engine = new Engine(rules as unknown as RuleProperties[], { allowUndefinedFacts: true })
    for (let round = 0; round < INPUTS_EACH; round++) {
      const facts = randomFacts(random)
      const result: EngineResult = await engine.run(facts)
      const expected = result.events.map(({ type, params }): Value =>
        params === undefined ? { type } : { type, params: params as Value },
      )
      const decided = decide(facts)
      const found = decided.kind === 'decided' ? (decided.output['events'] as readonly Value[]) : []
      if (decided.kind === 'failed' || inOrder(found, rules) !== inOrder(expected, rules))
        throw new Error(JSON.stringify({ expected, decided, facts, rules }, undefined, 1))
      expect(decided.code).toBe(expected.length > 0 ? 'EVENTS' : 'NO_EVENTS')
      seen[expected.length > 0 ? 'some' : 'none']++
    }
  }
  expect(Math.min(seen.some, seen.none)).toBeGreaterThan((DOCUMENTS * INPUTS_EACH) / 20)
}, 1_200_000)
