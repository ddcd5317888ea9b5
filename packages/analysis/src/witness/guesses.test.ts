import { isObject, stringifyJson, type Value } from '@engine/expression'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decisionOf, rulesetOf } from '../certificate/rulesets.testing.ts'
import { Guesses } from './guesses.ts'

type Input = { readonly [key: string]: Value }

/** Inputs that are guessed one after the other for a decision with these conditions. */
function guessed(conditions: readonly string[], pool: readonly Input[], count: number): readonly Input[] {
  const guesses = new Guesses([rulesetOf(decisionOf(conditions))])
  return Array.from({ length: count }, () => guesses.next(pool))
}

const textsOf = (values: Iterable<Value | undefined>) =>
  new Set([...values].map((one) => (one === undefined ? 'missing' : stringifyJson(one))))

test('the same ruleset gives the same guesses', () => {
  const conditions = ['n > 5', 'o.t == "x"']
  expect(guessed(conditions, [{ n: 1 }], 50)).toEqual(guessed(conditions, [{ n: 1 }], 50))
})

describe('the values of a field', () => {
  const values = textsOf(guessed(['n > 5', 't in ["x", 7]', 'n == null'], [{}], 2000).map(({ n }) => n))

  test.each<[title: string, values: readonly Value[]]>([
    ['constants', [5, 'x', 7, ['x', 7], null]],
    ['numbers near constants', [4, 6, 5.5, 8, 7.5]],
    ['texts that functions read', ['2000-01-01', '2026-07-15T12:00:00Z', '10', 'true', '1.2.3', '10.0.0.1']],
    ['values of each kind', [null, false, true, 1, 'text', [], ['other'], {}, { other: 1 }]],
  ])('are %s', (_title, expected) => {
    for (const value of expected) expect(values).toContain(stringifyJson(value))
  })

  test('are none where the field is missing', () => expect(values).toContain('missing'))

  test('are mostly constants and numbers near them', () => {
    const near = textsOf([5, 4, 6, 5.5])
    const all = guessed(['n > 5'], [], 1000).flatMap(({ n }) => (n === undefined ? [] : [stringifyJson(n)]))
    const share = all.filter((one) => near.has(one)).length / all.length
    expect(share).toBeGreaterThan(0.6)
    expect(share).toBeLessThan(0.9)
  })
})

describe('most guesses change a given input', () => {
  const fields = ['a', 'b', 'c', 'd', 'e', 'f']
  const conditions = fields.map((name) => `${name} == "changed"`)
  const base = Object.fromEntries(fields.map((name) => [name, 'given']))
  const all = guessed(conditions, [base], 1000)
  const changes = all.map((input) => fields.filter((name) => input[name] !== 'given').length)

  test('in one to three fields', () => {
    expect(changes.filter((count) => count >= 1 && count <= 3).length).toBeGreaterThan(700)
    expect(new Set(changes)).toContain(3)
    expect(changes.filter((count) => count > 3).length).toBeLessThan(250)
  })

  test('the others have values in fields of their own', () => {
    expect(all.filter((input) => !Object.values(input).includes('given')).length).toBeGreaterThan(80)
  })

  test('some lack a field', () => {
    expect(all.filter((input) => Object.keys(input).length === 5).length).toBeGreaterThan(20)
  })

  test('the given inputs stay as they are', () => {
    expect(base).toEqual(Object.fromEntries(fields.map((name) => [name, 'given'])))
  })
})

test('without a given input, a guess is one of its own', () => {
  for (const input of guessed(['n == 5'], [], 100)) expect(Object.keys(input).every((name) => name === 'n')).toBe(true)
})

test.each(['1 == 2', 'len($) == 2'])(
  'a ruleset that reads no field has the given inputs and the empty one: %s',
  (condition) => {
    expect(textsOf(guessed([condition], [{ x: 1 }], 50))).toEqual(textsOf([{ x: 1 }, {}]))
  },
)

describe('members and items', () => {
  test('a member is changed beside the others of its object', () => {
    const all = guessed(['o.n == 5'], [{ o: { n: 1, m: 2 }, p: 3 }], 200)
    const given = all.filter(({ p }) => p === 3)
    expect(given.length).toBeGreaterThan(100)
    for (const { o } of given) expect(o).toMatchObject({ m: 2 })
    expect(textsOf(given.map(({ o }) => (isObject(o) ? o['n'] : null)))).toContain('5')
  })

  test('an item is changed beside the others of its list', () => {
    const all = guessed(['l[1] == "x"'], [{ l: ['a', 'b', 'c'] }], 300).map(({ l }) => l)
    expect(textsOf(all)).toContain('["a","x","c"]')
    for (const l of all) if (Array.isArray(l) && l.length === 3) expect([l[0], l[2]]).toEqual(['a', 'c'])
  })

  test('the first item is changed before the others', () => {
    const all = guessed(['l[0] == "x"'], [{ l: ['a', 'b', 'c'] }], 300).map(({ l }) => l)
    expect(textsOf(all)).toContain('["x","b","c"]')
    for (const l of all) if (Array.isArray(l)) expect(l.slice(1)).toEqual(['b', 'c'])
  })

  test('an item behind the last is appended, and one farther is put anywhere', () => {
    const appended = textsOf(guessed(['l[1] == "x"'], [{ l: ['a'] }], 300).map(({ l }) => l))
    expect(appended).toContain('["a","x"]')
    expect(appended).not.toContain('["x"]')
    const farther = guessed(['l[5] == "x"'], [{ l: ['a'] }], 300).map(({ l }) => l)
    expect(textsOf(farther)).toContain('["x"]')
    expect(textsOf(farther)).toContain('["a","x"]')
    expect(farther.every((l) => !Array.isArray(l) || l.length <= 4)).toBe(true)
  })

  test('the index of an object is a name', () => {
    const all = guessed(['o[0] == "x"'], [{ o: { a: 1 } }], 300).map(({ o }) => o)
    expect(textsOf(all)).toContain('{"0":"x","a":1}')
  })

  test('a list has an item where all items are read', () => {
    const all = guessed(['sum(l.*.n) == 5'], [{}], 300).map(({ l }) => l)
    expect(all.some((l) => Array.isArray(l) && l.some((item) => isObject(item) && 'n' in item))).toBe(true)
  })

  test('items of lists have the names that lambdas read', () => {
    const all = guessed(['any(l, item => item.n == 5 && item.m == 6)'], [{}], 1000).map(({ l }) => l)
    const items = all.flatMap((l) => (Array.isArray(l) ? l.filter(isObject) : []))
    const names = textsOf(items.map((item) => Object.keys(item)))
    for (const wanted of [['m', 'n'], ['n'], ['m']]) expect(names).toContain(stringifyJson(wanted))
    const both = items.filter((item) => 'n' in item && 'm' in item).length
    expect(both).toBeGreaterThan(items.filter((item) => 'n' in item && !('m' in item)).length)
  })
})

test('all releases guess the same', () => {
  const conditions = ['n > 5', 'any(l, item => item.k == 2)', 'p[0].q == "x"', 'sum(w.*.m) == 7']
  const all = guessed(conditions, [{ n: 1, p: [{ q: 'a' }, { q: 'b' }] }, { l: [{ k: 3 }] }], 2000)
  const texts = all.map((one) => stringifyJson(one))
  expect(createHash('sha256').update(texts.join('\n')).digest('hex')).toBe(
    'ba294a4970e70fb6164a630dfd1362d71bf888c042149b4dec5d3c6e086c3bc2',
  )
  expect(texts.slice(0, 24)).toEqual([
    '{"n":1,"p":[{},{"q":"b"}],"l":5}',
    '{"n":1,"p":[{"q":7.5},{"q":"b"}],"w":[{"m":6}]}',
    '{"p":[{"q":"a"},{"q":"b"}],"n":2}',
    '{"l":[{"k":3}],"n":"text","w":[{"m":1}],"p":{"0":{"q":6}}}',
    '{"l":[{"k":3}],"n":6}',
    '{"n":1,"p":[{"q":"a"},{"q":"b"}],"l":[]}',
    '{"l":[{"k":3}],"n":["other"]}',
    '{"p":{"0":{"q":4}},"w":[{"m":2.5}],"n":7.5,"l":8}',
    '{"p":{"0":{"q":3}},"w":[{}],"l":5.5}',
    '{"n":1,"p":[{"q":7.5},{"q":"b"}],"l":[7.5],"w":[{"m":5}]}',
    '{"n":1,"p":[{"q":["1.2.3"]},{"q":"b"}]}',
    '{"l":[{"k":3}],"n":"2000-01-01"}',
    '{"w":[{"m":7}],"p":{"0":{"q":1}},"n":8}',
    '{"l":[{"k":3}],"p":{"0":{"q":[]}},"w":[{"m":[]}]}',
    '{"p":[{"q":"a"},{"q":"b"}],"n":"x"}',
    '{"p":[{"q":"a"},{"q":"b"}],"l":5,"n":2.5}',
    '{"n":1,"p":[{"q":"a"},{"q":"b"}],"w":[{"m":2.5}]}',
    '{"l":"1.2.3"}',
    '{"l":[{"k":3}],"w":[{"m":2}],"p":{"0":{"q":7}}}',
    '{"l":[{"k":3}],"w":[{"m":true}],"n":"x","p":{"0":{"q":"1.2.3"}}}',
    '{"l":[{"k":3}],"n":7,"p":{"0":{"q":8}}}',
    '{"n":1,"p":[{"q":{}},{"q":"b"}],"l":7}',
    '{"l":5,"p":{"0":{"q":3}}}',
    '{"n":1,"l":["other"],"w":[{"m":3}],"p":[{"q":1},{"q":"b"}]}',
  ])
})
