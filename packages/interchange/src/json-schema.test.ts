import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { schemaFields } from './json-schema.ts'

const found = (schema: { readonly [key: string]: Value }) => {
  const unchecked: string[] = []
  const fields = schemaFields(schema, (keyword) => unchecked.push(keyword))
  return { fields, unchecked }
}
const property = (schema: Value, rest = {}) => found({ type: 'object', properties: { a: schema }, ...rest })

test.each<[title: string, schema: Value, field: object]>([
  ['a text', { type: 'string', title: 'A' }, { type: 'string' }],
  ['a number with limits', { type: 'number', minimum: 0, maximum: 9 }, { type: 'number', minimum: 0, maximum: 9 }],
  ['an integer', { type: 'integer' }, { type: 'integer' }],
  ['listed values', { type: 'string', enum: ['x', 'y'] }, { type: 'string', enum: ['x', 'y'] }],
  ['listed values with null', { type: ['string', 'null'], enum: ['x', null] }, { type: 'string', enum: ['x'] }],
  ['a list', { type: 'array', items: { type: 'number' } }, { type: 'array<number>' }],
  ['a list of lists', { type: 'array', items: { type: 'array', items: {} } }, { type: 'array<array<any>>' }],
  ['a list of anything', { type: 'array' }, { type: 'array<any>' }],
  ['an object without members', { type: 'object' }, { type: 'object' }],
  ['anything', {}, { type: 'any' }],
])('%s is a field of a contract', (_, schema, field) => {
  expect(property(schema)).toEqual({ fields: [{ name: 'a', ...field }], unchecked: [] })
})

test('members of an object are paths, required where all objects around them are', () => {
  const inner = { type: 'object', required: ['b'], properties: { b: { type: 'string' }, c: { type: 'boolean' } } }
  expect(property(inner, { required: ['a'] }).fields).toEqual([
    { name: 'a.b', type: 'string', required: true },
    { name: 'a.c', type: 'boolean' },
  ])
  expect(property(inner).fields[0]).toEqual({ name: 'a.b', type: 'string' })
})

test('a field that takes null is not required', () => {
  expect(property({ type: ['number', 'null'] }, { required: ['a'] }).fields).toEqual([{ name: 'a', type: 'number' }])
})

test.each<[title: string, schema: Value, unchecked: readonly string[]]>([
  ['a pattern', { type: 'string', pattern: '^x' }, ['pattern']],
  ['two types', { type: ['string', 'number'] }, ['type']],
  ['an unknown type', { type: 'date' }, ['type']],
  ['a limit of a text', { type: 'string', minimum: 1 }, ['minimum']],
  ['a reference', { $ref: '#/definitions/a' }, ['$ref']],
  ['objects in a list', { type: 'array', items: { type: 'object', properties: { b: {} } } }, ['properties']],
  ['limits in a list', { type: 'array', items: { type: 'number', minimum: 1 } }, ['minimum']],
  [
    'no other members',
    { type: 'object', properties: { b: {} }, additionalProperties: false },
    ['additionalProperties'],
  ],
  ['a member that is not a schema', true, ['a']],
])('%s is reported as unchecked', (_, schema, unchecked) => {
  expect(property(schema).unchecked).toEqual(unchecked)
})

test('a name that is not a path is reported', () => {
  expect(found({ properties: { 'a b': {} } })).toEqual({ fields: [], unchecked: ['a b'] })
})

test.each([
  ['object', [{ name: 'a.b', type: 'any' }]],
  ['array', [{ name: 'a', type: 'array<any>' }]],
  [['object', 'null'], [{ name: 'a', type: 'object' }]],
])('members are fields where the type is %j alone', (type, fields) => {
  expect(found({ properties: { a: { type, properties: { b: {} } } } }).fields).toEqual(fields)
})

test('a schema of too many fields or levels is read up to the limit', () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, {}]))
  expect(found({ properties: many })).toMatchObject({ fields: { length: 1000 }, unchecked: ['properties'] })
  let deep: { readonly [key: string]: Value } = { type: 'string' }
  for (let depth = 0; depth < 100; depth++) deep = { properties: { a: deep } }
  expect(found(deep).fields).toMatchObject([{ type: 'any' }])
})

test.each(
  '$schema $id $comment title description examples default deprecated format type properties required enum items minimum maximum'
    .split(' ')
    .map((keyword) => [keyword]),
)('the keyword %s is not reported', (keyword) => {
  const value = keyword === 'type' ? 'object' : keyword.startsWith('m') ? undefined : keyword === 'properties' ? {} : []
  expect(found({ [keyword]: value ?? null }).unchecked).toEqual([])
})

test.each<[title: string, schema: Value, field: object, unchecked: readonly string[]]>([
  ['without a type', {}, { type: 'any' }, []],
  ['of null', { type: 'null' }, { type: 'any' }, []],
  ['of two types', { type: ['string', 'number'] }, { type: 'any' }, ['type']],
  ['of a type and null', { type: ['null', 'integer'] }, { type: 'integer' }, []],
  ['of an unknown type', { type: 'money' }, { type: 'any' }, ['type']],
  ['of a type that is a number', { type: 7 }, { type: 'any' }, ['type']],
  ['of lists', { type: 'array' }, { type: 'array<any>' }, []],
  ['of lists of any items', { type: 'array', items: true }, { type: 'array<any>' }, []],
  [
    'of lists of lists',
    { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    { type: 'array<array<number>>' },
    [],
  ],
  [
    'of lists of limited items',
    { type: 'array', items: { type: 'number', minimum: 1, maximum: 2, enum: [1], multipleOf: 2 } },
    { type: 'array<number>' },
    ['multipleOf', 'enum', 'minimum', 'maximum'],
  ],
  [
    'of lists of objects',
    { type: 'array', items: { type: 'object', properties: { b: {} } } },
    { type: 'array<object>' },
    ['properties'],
  ],
  [
    'of lists of texts with properties',
    { type: 'array', items: { type: 'string', properties: {} } },
    { type: 'array<string>' },
    [],
  ],
  ['of an empty object', { type: 'object', properties: {} }, { type: 'object' }, []],
  ['of a limit that is a text', { type: 'number', minimum: '1' }, { type: 'number' }, ['minimum']],
  ['of a text with limits', { type: 'string', minimum: 1, maximum: 2 }, { type: 'string' }, ['minimum', 'maximum']],
  [
    'of an integer with limits',
    { type: 'integer', minimum: 1, maximum: 2 },
    { type: 'integer', minimum: 1, maximum: 2 },
    [],
  ],
  ['that takes no others', { type: 'string', additionalProperties: true }, { type: 'string' }, []],
  [
    'that excludes others',
    { type: 'string', additionalProperties: false },
    { type: 'string' },
    ['additionalProperties'],
  ],
  ['whose values are no list', { type: 'string', enum: 'x' }, { type: 'string' }, []],
])('a field %s', (_, schema, field, unchecked) => {
  expect(property(schema)).toEqual({ fields: [{ name: 'a', ...field }], unchecked })
})

test.each<[schema: Value, names: readonly string[], isRequired: boolean]>([
  [{ type: 'string' }, ['a'], true],
  [{ type: ['string', 'null'] }, [], true],
  [{}, [], true],
  [{ type: 'money' }, [], true],
  [{ type: 'array' }, ['a'], true],
  [{ type: ['array', 'null'] }, [], true],
  [{ properties: { b: { type: 'string' } }, required: ['b'] }, ['a.b'], true],
  [{ properties: { b: { type: 'string' } }, required: ['b'] }, [], false],
  [{ properties: { b: { type: 'string' } }, required: 'b' }, [], true],
])('the required fields of %j are %j', (schema, names, isRequired) => {
  const { fields } = property(schema, isRequired ? { required: ['a'] } : {})
  expect(fields.flatMap(({ name, required }) => (required === true ? [name] : []))).toEqual(names)
})

test('a schema without properties has no fields', () => {
  expect(found({ properties: [] })).toEqual({ fields: [], unchecked: [] })
  expect(found({ properties: { 'a b': {}, c: 5 } })).toEqual({ fields: [], unchecked: ['a b', 'c'] })
})

test('objects are taken apart 20 levels deep, and 1000 fields are read', () => {
  const nested = (levels: number): Value =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } }
  const names = (levels: number) => found(nested(levels) as never).fields.map(({ name, type }) => `${name} ${type}`)
  expect(names(21)).toEqual([`${Array.from({ length: 21 }, () => 'a').join('.')} string`])
  expect(names(22)).toEqual([`${Array.from({ length: 21 }, () => 'a').join('.')} object`])
  const many = (count: number) =>
    found({ properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, {}])) })
  expect([many(1000).fields.length, many(1000).unchecked]).toEqual([1000, []])
  expect([many(1002).fields.length, many(1002).unchecked]).toEqual([1000, ['properties']])
})
