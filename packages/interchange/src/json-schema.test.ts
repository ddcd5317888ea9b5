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

test('a schema of too many fields or levels is read up to the limit', () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, {}]))
  expect(found({ properties: many })).toMatchObject({ fields: { length: 1000 }, unchecked: ['properties'] })
  let deep: { readonly [key: string]: Value } = { type: 'string' }
  for (let depth = 0; depth < 100; depth++) deep = { properties: { a: deep } }
  expect(found(deep).fields).toMatchObject([{ type: 'any' }])
})
