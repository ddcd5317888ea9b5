import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { convertDraft } from '../convert/convert.ts'
import type { DraftRuleset } from '../draft/model.ts'
import { type Contract, decodeConcept, decodeContract, decodeFact } from './contract.ts'
import { type Concepts, dependentConcepts } from '@engine/ruleset'
import { declaredFields } from './declared-fields.ts'
import { checkInput, checkTerminals, conceptsNamedBy } from './contract-use.ts'

const CONCEPTS: Concepts = new Map([
  [
    'address',
    [
      { name: 'city', type: 'string' },
      { name: 'geo', type: 'concept:point' },
    ],
  ],
  ['point', [{ name: 'lat', type: 'number' }]],
])

const CONTRACT: Contract = {
  name: 'loan',
  version: '1.0.0',
  input: {
    fields: [
      { name: 'user.age', type: 'integer', required: true, minimum: 0, maximum: 150 },
      { name: 'user.name', type: 'string' },
      { name: 'vip', type: 'boolean', required: true, default: false },
      { name: 'tier', type: 'string', required: true, enum: ['gold', 'silver'] },
      { name: 'home', type: 'concept:address', required: true },
      { name: 'tags', type: 'array<string>' },
      { name: 'extra', type: 'object' },
      { name: 'score', type: 'number', required: true },
    ],
  },
  outputs: [{ code: 'YES', fields: [] }],
}

/** An expression, the characters in error, and the code. */
test.each<[string, string?, string?]>([
  ['user.age > 18'],
  ['user.age > "x"', '>', 'wrong-type'],
  ['user.age + vip', '+', 'wrong-type'],
  ['user.age == "x"'],
  ['user.ages > 18', 'user.ages', 'undeclared-field'],
  ['user.name + "x"'],
  ['user.name * 2', '*', 'wrong-type'],
  ['score * 2 > user.age'],
  ['score / tier', '/', 'wrong-type'],
  ['upper(score)', 'score', 'wrong-type'],
  ['upper(tier)'],
  ['len(vip)', 'vip', 'wrong-type'],
  ['home.city == "Bonn"'],
  ['home.city > 5', '>', 'wrong-type'],
  ['home.geo.lat > 5'],
  ['home.geo.lon > 5', 'home.geo.lon', 'undeclared-field'],
  ['home.street == ""', 'home.street', 'undeclared-field'],
  ['tags[0] == "a"'],
  ['any(tags, t => t == "a")'],
  ['tags > 5', '>', 'wrong-type'],
  ['extra.anything.goes > 5'],
  ['user == null'],
  ['unknown', 'unknown', 'undeclared-field'],
  ['$variable > 5'],
  ['tier in ["gold"]'],
  ['score in 5', 'in', 'wrong-type'],
  ['-tier', '-tier', 'wrong-type'],
  ['!vip && score >= 2'],
  ['vip > 1', '>', 'wrong-type'],
  ['starts_with(score, "a")', 'score', 'wrong-type'],
])('%s against the contract: %s %s', (expression, marked, code) => {
  const draft: DraftRuleset = {
    config: { name: 'loan' },
    startStepId: 'd',
    steps: [
      { id: 'd', type: 'action', assignments: [{ name: 'x', value: expression }], nextStepId: 'end' },
      { id: 'end', type: 'terminal', code: 'YES' },
    ],
  }
  const { problems } = convertDraft(draft, { fields: declaredFields(CONTRACT, CONCEPTS) })
  const errors = problems.filter(({ severity }) => severity === 'error')
  const found = errors.map((problem) => {
    const { column = 0, length = 0 } = problem
    return [expression.slice(column - 1, column - 1 + length), problem.code]
  })
  expect(found).toEqual(marked === undefined ? [] : [[marked, code]])
})

const INPUT = {
  user: { age: 30, name: 'Ada' },
  tier: 'gold',
  home: { city: 'Bonn', geo: { lat: 50.7 } },
  score: 1.5,
}

test.each<[what: string, input: Value, ...expected: string[]]>([
  ['everything required', INPUT],
  ['more than declared', { ...INPUT, more: 1 }],
  ['an optional null', { ...INPUT, tags: null }],
  ['nothing', {}, '/user/age missing-input', '/tier missing-input', '/home missing-input', '/score missing-input'],
  ['a wrong type', { ...INPUT, score: '1' }, '/score input-type'],
  ['a required null', { ...INPUT, score: null }, '/score input-type'],
  ['a fraction for an integer', { ...INPUT, user: { age: 1.5 } }, '/user/age input-type'],
  ['below the minimum', { ...INPUT, user: { age: -1 } }, '/user/age input-range'],
  ['above the maximum', { ...INPUT, user: { age: 151 } }, '/user/age input-range'],
  ['outside of the values', { ...INPUT, tier: 'iron' }, '/tier input-range'],
  ['an item of a wrong type', { ...INPUT, tags: ['a', 1] }, '/tags input-type'],
  ['a field of a concept', { ...INPUT, home: { geo: { lat: 'x' } } }, '/home input-type'],
  ['no object', 5, '/user/age missing-input', '/tier missing-input', '/home missing-input', '/score missing-input'],
])('an input with %s', (_what, input, ...expected) => {
  expect(checkInput(CONTRACT, input, CONCEPTS).map(({ path, code }) => `${path} ${code}`)).toEqual(expected)
})

test('codes of terminals are in the contract', () => {
  const steps: DraftRuleset['steps'] = [
    { id: 'a', type: 'terminal', code: 'YES' },
    { id: 'b', type: 'terminal', code: 'YEZ' },
    { id: 'c', type: 'terminal' },
  ]
  expect(checkTerminals({ config: { name: 'x' }, steps }, CONTRACT)).toEqual([
    {
      path: '/steps/1/code',
      code: 'undeclared-code',
      message: 'the contract has no output code `YEZ`; did you mean `YES`?',
      severity: 'error',
      suggestion: 'YES',
      step_id: 'b',
    },
  ])
})

test('the concepts that a contract or another concept depends on are found', () => {
  expect([...conceptsNamedBy(CONTRACT)]).toEqual(['address'])
  expect([...dependentConcepts(CONCEPTS, 'point')]).toEqual(['point', 'address'])
  expect([...dependentConcepts(CONCEPTS, 'address')]).toEqual(['address'])
})

test.each<[what: string, change: { readonly [key: string]: Value }, ...expected: string[]]>([
  ['nothing wrong', {}],
  ['an invalid version', { version: '1' }, '/version bad-version'],
  ['an unknown type', field({ type: 'date' }), '/input/fields/0/type unknown-type'],
  ['an array of nothing', field({ type: 'array<>' }), '/input/fields/0/type unknown-type'],
  ['a concept that is not there', field({ type: 'array<concept:x>' }), '/input/fields/0/type unknown-concept'],
  ['a name that is not a path', field({ name: 'a b' }), '/input/fields/0/name bad-path'],
  ['a default of another type', field({ default: 'x' }), '/input/fields/0/default bad-default'],
  ['a default out of range', field({ default: 5, maximum: 4 }), '/input/fields/0/default bad-default'],
  ['bounds the wrong way round', field({ minimum: 5, maximum: 4 }), '/input/fields/0/minimum bad-range'],
  ['a missing type', { input: { fields: [{ name: 'a' }] } }, '/input/fields/0/type missing-field'],
  ['fields of one name', { input: { fields: [plain(), plain()] } }, '/input/fields/1/name repeated-name'],
  [
    'codes of one name',
    {
      outputs: [
        { code: 'A', fields: [] },
        { code: 'A', fields: [] },
      ],
    },
    '/outputs/1/code repeated-name',
  ],
])('a contract with %s', (_what, change, ...expected) => {
  const { value, problems } = decodeContract({
    name: 'c',
    version: '1.0.0',
    input: { fields: [] },
    outputs: [],
    ...change,
  })
  expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual(expected)
  expect(value === undefined).toBe(expected.length > 0)
})

function plain() {
  return { name: 'a', type: 'number' }
}

function field(change: { readonly [key: string]: Value }): { readonly [key: string]: Value } {
  return { input: { fields: [{ ...plain(), ...change }] } }
}

test('facts and concepts have known types', () => {
  expect(decodeFact({ name: 'a.b', type: 'concept:point', tags: ['x'] }, CONCEPTS).problems).toEqual([])
  expect(decodeFact({ name: 'a b', type: 'date' }).problems.map(({ code }) => code)).toEqual([
    'bad-path',
    'unknown-type',
  ])
  const tree = { name: 'tree', fields: [{ name: 'children', type: 'array<concept:tree>' }] }
  expect(decodeConcept(tree).problems).toEqual([])
  expect(decodeConcept({ ...tree, name: 'bush' }).problems.map(({ code }) => code)).toEqual(['unknown-concept'])
})

test.each<[type: string, fitting: Value, wrong: Value]>([
  ['string', 'a', 1],
  ['number', 1.5, '1.5'],
  ['integer', 12345678901234567890n, 1.5],
  ['boolean', false, 0],
  ['object', { a: 1 }, []],
  ['array<integer>', [1, 2], [1, '2']],
  ['array<array<string>>', [['a'], []], [['a'], 'b']],
  ['concept:address', { city: 'Bonn', geo: { lat: 1 }, further: 1 }, { geo: { lat: 'north' } }],
  ['array<concept:address>', [{ city: 'Bonn' }, {}], [{ city: 5 }]],
])('the example of a fact of the type %s is of that type', (type, fitting, wrong) => {
  const found = (example: Value) =>
    decodeFact({ name: 'a', type, example }, CONCEPTS).problems.filter(({ code }) => code !== 'fact-type')
  for (const example of [fitting, null]) expect(found(example)).toEqual([])
  expect(found(wrong)).toMatchObject([{ path: '/example', code: 'bad-example', severity: 'error' }])
})
