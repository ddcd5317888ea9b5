import { isObject, stringifyJson, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import type { Contract, InputField, Output, OutputField, WholeContract } from './contract.ts'
import { checkContract, checkVersion, type VersionVerdict } from './check.ts'
import { type FieldNode, fieldTree } from './field-tree.ts'
import { CONCEPTS, randomContract, randomInput } from './random-contract.testing.ts'
import type { Concepts } from '@engine/ruleset'
import { checkInput } from './contract-use.ts'
import { type Bump, compareVersions, nextVersion, parseVersion } from './version.ts'

const CASES = casesOf(20_000)

const AGE: InputField = { name: 'user.age', type: 'number' }
const VIP: InputField = { name: 'vip', type: 'boolean' }
/** A member without meaning that is preserved. */
const DESCRIBED: object = { description: 'in years' }
const YES: Output = { code: 'YES', fields: [{ name: 'limit', type: 'number' }] }
const NO: Output = { code: 'NO', fields: [] }

const contract = (fields: readonly InputField[], outputs: readonly Output[] = [YES], version = '1.0.0'): Contract => ({
  name: 'loan',
  version,
  input: { fields },
  outputs,
})

/** A field before and after, together with unchanged fields. */
const DECIMAL = { type: 'decimal' } as const
const changed = (before: Partial<InputField>, after: Partial<InputField>): [Contract, Contract] => [
  contract([VIP, { ...AGE, ...before }]),
  contract([VIP, { ...AGE, ...after }]),
]
const outputs = (before: readonly Output[], after: readonly Output[]): [Contract, Contract] => [
  contract([AGE], before),
  contract([AGE], after),
]
const withFields = (...fields: Output['fields']): Output => ({ code: 'YES', fields })
const LIMIT = { name: 'limit', type: 'number' }

const STREET = { name: 'street', type: 'string' }
const CITY = { name: 'city', type: 'string' }
const HOME = [{ name: 'home', type: 'concept:address' }]
const referring = (fields: readonly OutputField[]): WholeContract => ({
  ...contract(HOME),
  concepts: [{ name: 'address', fields }],
})
/** Optional fields, then one more. */
const added = (fields: readonly InputField[], field: InputField): [Contract, Contract] => [
  contract(fields),
  contract([...fields, field]),
]
const USER: InputField = { name: 'user', type: 'object' }
const ANY_USER: InputField = { name: 'user', type: 'any' }
const USER_NAME: InputField = { name: 'user.name', type: 'string' }
const inConcept = (field: InputField): [Contract, Contract] => [
  referring([STREET]),
  { ...referring([STREET]), input: { fields: [...HOME, field] } },
]
const described = (description: string): WholeContract => ({
  ...contract([AGE]),
  facts: [{ name: AGE.name, type: AGE.type, description }],
})

type Row = readonly [what: string, pair: [Contract, Contract], bump: Bump, ...breaks: string[]]

const ROWS: readonly Row[] = [
  ['nothing', [contract([AGE]), contract([AGE])], 'none'],
  ['fields in another order', [contract([AGE, VIP]), contract([VIP, AGE])], 'none'],
  ['outputs in another order', outputs([YES, NO], [NO, YES]), 'none'],
  ['an optional field added', [contract([AGE]), contract([AGE, VIP])], 'minor'],
  ['an added field marked as not required', [contract([AGE]), contract([AGE, { ...VIP, required: false }])], 'minor'],
  [
    'a required field added',
    [contract([AGE]), contract([AGE, { ...VIP, required: true }])],
    'major',
    '/input/fields/1/required',
  ],
  [
    'a required field with a default added',
    [contract([AGE]), contract([AGE, { ...VIP, required: true, default: false }])],
    'minor',
  ],
  ['a field above declared ones added', added([USER_NAME], USER), 'major', '/input/fields/1'],
  ['an enum above declared ones added', added([USER_NAME], { ...ANY_USER, enum: [1] }), 'major', '/input/fields/1'],
  ['anything above declared ones added', added([USER_NAME], ANY_USER), 'minor'],
  ['an object above a required field added', added([{ ...USER_NAME, required: true }], USER), 'minor'],
  ['a field below an object added', added([USER], USER_NAME), 'major', '/input/fields/1'],
  ['anything below an object added', added([USER], { ...USER_NAME, type: 'any' }), 'minor'],
  [
    'a range below an object added',
    added([USER], { name: 'user.x', type: 'any', minimum: 1 }),
    'major',
    '/input/fields/1',
  ],
  [
    'a field far below an object added',
    added([USER], { name: 'user.a.b', type: 'string' }),
    'major',
    '/input/fields/1',
  ],
  ['a field below a text added', added([{ name: 'user', type: 'string' }], USER_NAME), 'minor'],
  ['a field added to declared ones', added([USER_NAME], { name: 'user.x', type: 'string' }), 'minor'],
  ['a field of a concept declared by itself', inConcept({ name: 'home.street', type: 'string' }), 'minor'],
  [
    'a field of a concept limited',
    inConcept({ name: 'home.street', type: 'string', enum: ['a'] }),
    'major',
    '/input/fields/1',
  ],
  [
    'a field of a concept of another type',
    inConcept({ name: 'home.street', type: 'number' }),
    'major',
    '/input/fields/1',
  ],
  ['a field that a concept does not have', inConcept({ name: 'home.floor', type: 'number' }), 'minor'],
  ['a field removed', [contract([AGE, VIP]), contract([AGE])], 'major', '/input/fields/1'],
  ['a required field removed', [contract([{ ...AGE, required: true }]), contract([])], 'major', '/input/fields/0'],
  ['a field renamed', [contract([AGE]), contract([{ ...AGE, name: 'age' }])], 'major', '/input/fields/0'],
  ['two fields removed', [contract([AGE, VIP]), contract([])], 'major', '/input/fields/0', '/input/fields/1'],
  ['a type changed', changed({}, { type: 'string' }), 'major', '/input/fields/1/type'],
  ['a type narrowed', changed({ type: 'any' }, { type: 'number' }), 'major', '/input/fields/1/type'],
  ['a type widened', changed({ type: 'integer' }, { type: 'number' }), 'major', '/input/fields/1/type'],
  [
    'the items of an array changed',
    changed({ type: 'array<string>' }, { type: 'array<number>' }),
    'major',
    '/input/fields/1/type',
  ],
  ['another concept', changed({ type: 'concept:a' }, { type: 'concept:b' }), 'major', '/input/fields/1/type'],
  ['optional made required', changed({}, { required: true }), 'major', '/input/fields/1/required'],
  [
    'optional made required with a default',
    changed({}, { required: true, default: 1 }),
    'major',
    '/input/fields/1/required',
  ],
  ['false made required', changed({ required: false }, { required: true }), 'major', '/input/fields/1/required'],
  ['required made optional', changed({ required: true }, {}), 'minor'],
  ['required made false', changed({ required: true }, { required: false }), 'minor'],
  ['not required, stated', changed({}, { required: false }), 'none'],
  ['a default added', changed({}, { default: 1 }), 'minor'],
  ['a default removed', changed({ default: 1 }, {}), 'major', '/input/fields/1/default'],
  ['a default changed', changed({ default: 1 }, { default: 2 }), 'major', '/input/fields/1/default'],
  ['a default of null removed', changed({ default: null }, {}), 'major', '/input/fields/1/default'],
  [
    'the same default, keys the other way round',
    changed({ default: { a: 1, b: 2 } }, { default: { b: 2, a: 1 } }),
    'none',
  ],
  [
    'a default list in another order',
    changed({ default: [1, 2] }, { default: [2, 1] }),
    'major',
    '/input/fields/1/default',
  ],
  ['decimals added', changed(DECIMAL, { ...DECIMAL, decimals: 2 }), 'major', '/input/fields/1/decimals'],
  [
    'fewer decimals',
    changed({ ...DECIMAL, decimals: 3 }, { ...DECIMAL, decimals: 2 }),
    'major',
    '/input/fields/1/decimals',
  ],
  ['more decimals', changed({ ...DECIMAL, decimals: 2 }, { ...DECIMAL, decimals: 3 }), 'minor'],
  [
    'fewer digits before the point',
    changed({ ...DECIMAL, digits: 5, decimals: 2 }, { ...DECIMAL, digits: 5, decimals: 3 }),
    'major',
    '/input/fields/1/digits',
  ],
  [
    'fewer digits in all',
    changed({ ...DECIMAL, digits: 5, decimals: 2 }, { ...DECIMAL, digits: 4 }),
    'major',
    '/input/fields/1/digits',
  ],
  ['more digits', changed({ ...DECIMAL, digits: 5, decimals: 2 }, { ...DECIMAL, digits: 6, decimals: 2 }), 'minor'],
  ['a number becomes a decimal', changed({}, DECIMAL), 'major', '/input/fields/1/type'],
  ['a minimum added', changed({}, { minimum: 0 }), 'major', '/input/fields/1/minimum'],
  ['a minimum raised', changed({ minimum: 0 }, { minimum: 1 }), 'major', '/input/fields/1/minimum'],
  ['a minimum lowered', changed({ minimum: 1 }, { minimum: 0 }), 'minor'],
  ['a minimum removed', changed({ minimum: 0 }, {}), 'minor'],
  ['a maximum added', changed({}, { maximum: 9 }), 'major', '/input/fields/1/maximum'],
  ['a maximum lowered', changed({ maximum: 9 }, { maximum: 8 }), 'major', '/input/fields/1/maximum'],
  ['a maximum raised', changed({ maximum: 8 }, { maximum: 9 }), 'minor'],
  ['a maximum removed', changed({ maximum: 9 }, {}), 'minor'],
  ['both bounds the same', changed({ minimum: 0, maximum: 9 }, { minimum: 0, maximum: 9 }), 'none'],
  [
    'a range moved',
    changed({ minimum: 0, maximum: 9 }, { minimum: 1, maximum: 10 }),
    'major',
    '/input/fields/1/minimum',
  ],
  ['an enum added', changed({}, { enum: [1, 2] }), 'major', '/input/fields/1/enum'],
  ['an enum removed', changed({ enum: [1, 2] }, {}), 'minor'],
  ['a value added to an enum', changed({ enum: [1] }, { enum: [1, 2] }), 'minor'],
  ['a value removed from an enum', changed({ enum: [1, 2] }, { enum: [1] }), 'major', '/input/fields/1/enum'],
  ['a value of an enum replaced', changed({ enum: [1, 2] }, { enum: [1, 3] }), 'major', '/input/fields/1/enum'],
  ['an enum in another order', changed({ enum: [1, 2] }, { enum: [2, 1] }), 'patch'],
  [
    'an enum of objects, keys the other way round',
    changed({ enum: [{ a: 1, b: 2 }] }, { enum: [{ b: 2, a: 1 }] }),
    'none',
  ],
  ['masked from now on', changed({}, { sensitive: true }), 'patch'],
  ['a description changed', changed(DESCRIBED, {}), 'patch'],
  ['an output code added', outputs([YES], [YES, NO]), 'minor'],
  ['an output code removed', outputs([YES, NO], [YES]), 'major', '/outputs/1'],
  ['an output code renamed', outputs([YES], [{ ...YES, code: 'OK' }]), 'major', '/outputs/0'],
  ['an output field added', outputs([YES], [withFields(LIMIT, { name: 'rate', type: 'number' })]), 'minor'],
  ['an output field removed', outputs([YES], [withFields()]), 'major', '/outputs/0/fields/0'],
  [
    'an output type changed',
    outputs([YES], [withFields({ ...LIMIT, type: 'string' })]),
    'major',
    '/outputs/0/fields/0/type',
  ],
  [
    'an output type narrowed',
    outputs([YES], [withFields({ ...LIMIT, type: 'integer' })]),
    'major',
    '/outputs/0/fields/0/type',
  ],
  ['an output field renamed', outputs([YES], [withFields({ ...LIMIT, name: 'max' })]), 'major', '/outputs/0/fields/0'],
  [
    'output fields in another order',
    outputs(
      [withFields(LIMIT, { name: 'rate', type: 'number' })],
      [withFields({ name: 'rate', type: 'number' }, LIMIT)],
    ),
    'none',
  ],
  ['an output code added, one removed', outputs([YES], [NO]), 'major', '/outputs/0'],
  ['a field of the new code', outputs([NO], [NO, YES]), 'minor'],
  ['all outputs removed', outputs([YES, NO], []), 'major', '/outputs/0', '/outputs/1'],
  ['an optional field and an output code', [contract([AGE], [YES]), contract([AGE, VIP], [YES, NO])], 'minor'],
  [
    'a break among other changes',
    [contract([AGE, VIP], [YES]), contract([{ ...AGE, type: 'string' }, VIP], [YES, NO])],
    'major',
    '/input/fields/0/type',
  ],
  ['a field of a concept removed', [referring([STREET, CITY]), referring([STREET])], 'major', '/concepts/0/fields/1'],
  [
    'the type of a field of a concept',
    [referring([STREET, CITY]), referring([STREET, { ...CITY, type: 'number' }])],
    'major',
    '/concepts/0/fields/1/type',
  ],
  ['a field of a concept added', [referring([STREET]), referring([STREET, CITY])], 'minor'],
  ['a concept of which one side has no copy', [contract(HOME), referring([STREET])], 'none'],
  ['a fact described otherwise', [described('years'), described('full years')], 'patch'],
  ['the version alone', [contract([AGE]), contract([AGE], [YES], '2.0.0')], 'none'],
]

test('there are at least 60 pairs', () => expect(ROWS.length).toBeGreaterThanOrEqual(60))

const PAIRS = ROWS.map(([what, [before, after], bump, ...breaks]) => ({ what, before, after, bump, breaks }))

test.each(PAIRS)('$what', ({ before, after, bump, breaks }) => {
  const change = checkContract(before, after)
  expect({ bump: change.bump, breaks: change.breaks.map(({ path }) => path) }).toEqual({ bump, breaks })
  expect(change.breaking).toBe(bump === 'major')
})

describe('the version of a change', () => {
  test.each<[from: string, to: string, change: Bump, VersionVerdict]>([
    ['1.0.0', '1.0.0', 'none', 'fits'],
    ['1.0.0', '1.0.1', 'none', 'fits'],
    ['1.1.0', '1.0.9', 'none', 'too-low'],
    ['1.0.0', '1.0.0', 'patch', 'too-low'],
    ['1.0.0', '1.0.1', 'patch', 'fits'],
    ['1.0.0', '1.0.1', 'minor', 'fits'],
    ['1.0.0', '1.0.0', 'minor', 'too-low'],
    ['1.0.0', '1.0.0-rc.1', 'minor', 'too-low'],
    ['1.0.0', '2.0.0', 'minor', 'fits'],
    ['1.0.9', '1.1.0', 'minor', 'fits'],
    ['1.1.0', '1.0.9', 'minor', 'too-low'],
    ['1.0.0', '1.1.0', 'major', 'breaking'],
    ['1.0.0', '1.0.1', 'major', 'breaking'],
    ['1.0.0', '1.0.0', 'major', 'too-low'],
    ['1.9.9', '2.0.0', 'major', 'fits'],
    ['0.1.0', '0.2.0', 'major', 'fits'],
    ['0.1.0', '0.1.1', 'major', 'breaking'],
    ['0.1.0', '0.1.1', 'minor', 'fits'],
    ['0.9.0', '1.0.0', 'major', 'fits'],
    ['1.0.0-rc.1', '1.0.0', 'patch', 'fits'],
    ['1.0.0', 'two', 'patch', 'too-low'],
  ])('%s to %s with a %s change: %s', (from, to, change, verdict) => {
    const changes: { readonly [Step in Bump]: Contract } = {
      none: contract([AGE], [YES], to),
      patch: contract([{ ...AGE, sensitive: true }], [YES], to),
      minor: contract([AGE, VIP], [YES], to),
      major: contract([], [YES], to),
    }
    const before = contract([AGE], [YES], from)
    const after = changes[change]
    expect(checkVersion(before, after, checkContract(before, after))).toBe(verdict)
  })

  test.each<[from: string, bump: Exclude<Bump, 'none'>, next: string | undefined]>([
    ['1.2.3', 'patch', '1.2.4'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['0.2.3', 'minor', '0.2.4'],
    ['0.2.3', 'major', '0.3.0'],
    ['1.2.3-rc.1', 'patch', '1.2.3'],
    ['1.2.3-rc.1', 'major', '2.0.0'],
    ['1.2.3+build', 'patch', '1.2.4'],
    ['two', 'patch', undefined],
  ])('after %s a %s step leads to %s', (from, bump, next) => expect(nextVersion(from, bump)).toBe(next))

  test('versions have the order of semver.org', () => {
    const order = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
    ]
    const parsed = order.map((text) => parseVersion(text) ?? { major: -1, minor: 0, patch: 0, preRelease: '' })
    expect(parsed.toSorted(compareVersions)).toEqual(parsed)
    for (const text of ['1', '1.0', '01.0.0', '1.0.0-', '1.0.0-01', 'v1.0.0', '1.0.0 '])
      expect(parseVersion(text)).toBeUndefined()
  })
})

test(`${CASES} random pairs: a compatible change accepts every input accepted before, and a break has its reason`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  const seen = { breaks: 0, added: 0, compared: 0 }
  for (let count = 0; count < CASES; count++) {
    const [before, after] = randomPair(random)
    const [from, to] = [conceptsOf(before), conceptsOf(after)]
    const { breaking, breaks } = checkContract(before, after)
    expect(breaking).toBe(breaks.length > 0)
    if (breaking) {
      seen.breaks++
      continue
    }
    if (after.input.fields.length > before.input.fields.length) seen.added++
    const tree = fieldTree(before)
    for (let round = 0; round < 4; round++) {
      // A new optional field restricts values that the earlier contract does not mention (specification 9.3).
      const input = mentioned(randomInput(random), [tree], [], from)
      if (checkInput(before, input, from).length > 0) continue
      seen.compared++
      if (checkInput(after, input, to).length > 0) throw new Error(stringifyJson({ before, after, input }))
    }
  }
  expect(Math.min(seen.breaks, seen.added, seen.compared)).toBeGreaterThan(CASES / 40)
}, 600_000)

/** Two versions of a contract: fields replaced, relaxed and added, and fields added to a concept. */
function randomPair(random: Random): [WholeContract, WholeContract] {
  const before = randomContract(random)
  const other = randomContract(random).input.fields
  const [addedShare, replacedShare] = pick(random, [
    [0.3, 0],
    [0.3, 0.1],
    [0, 0.3],
  ] as const)
  const names = new Set(before.input.fields.map(({ name }) => name))
  const kept = before.input.fields.map((field) => {
    const replacement = chance(random, replacedShare) ? other.find(({ name }) => name === field.name) : undefined
    return relaxed(random, replacement ?? field)
  })
  const further = other.filter(({ name }) => !names.has(name) && chance(random, addedShare))
  const concepts = Array.from(CONCEPTS, ([name, fields]) => ({ name, fields }))
  const fewer = concepts.map(({ name, fields }) => ({ name, fields: fields.filter(() => chance(random, 0.7)) }))
  return [
    { ...before, concepts: chance(random, 0.5) ? fewer : concepts },
    { ...before, input: { fields: [...kept, ...further] }, concepts },
  ]
}

const conceptsOf = ({ concepts = [] }: WholeContract): Concepts =>
  new Map(concepts.map(({ name, fields }) => [name, fields]))

/** The parts of a value that a contract mentions, by the fields on the way and their types. */
function mentioned(value: Value, nodes: readonly FieldNode[], types: readonly string[], concepts: Concepts): Value {
  const isOpen = types.includes('any') || types.includes('object')
  if (Array.isArray(value)) {
    const items = types.flatMap((type) => /^array<(.*)>$/.exec(type)?.[1] ?? [])
    return items.length === 0 ? value : value.map((item) => mentioned(item as Value, [], items, concepts))
  }
  if (!isObject(value)) return value
  const fields = types.flatMap((type) => concepts.get(type.replace(/^concept:/, '')) ?? [])
  const entries = Object.entries(value).flatMap(([key, member]): [string, Value][] => {
    const below = nodes.flatMap((node) => node.members.get(key) ?? [])
    const named = fields.filter(({ name }) => name === key).map(({ type }) => type)
    const own = below.flatMap((node) => node.own?.type ?? [])
    if (below.length + named.length === 0) return isOpen ? [[key, member]] : []
    return [[key, mentioned(member, below, [...own, ...named], concepts)]]
  })
  return Object.fromEntries(entries)
}

/** A field with one requirement possibly removed. */
function relaxed(random: Random, field: InputField): InputField {
  if (!chance(random, 0.3)) return field
  const { [pick(random, ['required', 'minimum', 'maximum', 'enum'] as const)]: _left, ...rest } = field
  return rest
}

test.each<[was: Value | undefined, is: Value | undefined, reason: string | undefined]>([
  [1, undefined, 'the default of the field `user.age` was removed'],
  [1, 2, 'the default of the field `user.age` was changed'],
  [undefined, 2, undefined],
  [1, 1, undefined],
])('a default of %j that becomes %j', (was, is, reason) => {
  const withDefault = (value: Value | undefined) =>
    contract([{ ...AGE, ...(value !== undefined && { default: value }) }])
  const { breaks } = checkContract(withDefault(was), withDefault(is))
  expect(breaks.map(({ message }) => message)).toEqual(reason === undefined ? [] : [reason])
})
