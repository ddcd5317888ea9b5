import {
  BatchRequest,
  EvalRequest,
  ExecuteRequest,
  FilterRequest,
  RollbackRequest,
  RulesetDocument,
  SampleRateRequest,
  type Schema,
  SqlRequest,
  TenantRequest,
  Type,
} from '@engine/api'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../tests/cases.testing.ts'
import { schemaFaults } from './schema-faults.ts'

const SCHEMAS: Readonly<Record<string, Schema>> = {
  BatchRequest,
  EvalRequest,
  ExecuteRequest,
  FilterRequest,
  RollbackRequest,
  RulesetDocument,
  SampleRateRequest,
  SqlRequest,
  TenantRequest,
}

/** Every word and number that a schema names, and what is just beside it. */
function constantsIn(schema: unknown): readonly unknown[] {
  if (Array.isArray(schema)) return schema.flatMap(constantsIn)
  if (typeof schema === 'number') return [schema, schema - 1, schema + 1, schema + 0.5]
  if (typeof schema !== 'object' || schema === null) return [schema]
  return Object.values(schema).flatMap(constantsIn)
}

/** Values that are near to a schema: some fit, most differ in a place or two. */
function near(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const stranger = fc.oneof(fc.constantFrom(null, ...constantsIn(schema)), fc.jsonValue({ maxDepth: 2 }))
  if (depth > 6) return stranger
  const fitting = fittingOf(schema, depth)
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: stranger })
}

function fittingOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { type, anyOf, enum: texts, const: constant, properties = {}, required = [], items } = schema
  if (constant !== undefined) return fc.constant(constant)
  if (texts !== undefined) return fc.constantFrom(...texts)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => near(one, depth + 1)))
  switch (type) {
    case 'object': {
      const { additionalProperties: others } = schema
      const members = Object.entries(properties).map(([name, one]) => [name, near(one, depth + 1)])
      const known = fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: [...required],
      })
      if (typeof others !== 'object') return known
      return fc.dictionary(fc.string({ maxLength: 3 }), near(others, depth + 1), { maxKeys: 3 })
    }
    case 'array':
      return fc.array(items === undefined ? fc.jsonValue() : near(items, depth + 1), { maxLength: 3 })
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) })
    case 'string':
      return fc.string()
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case undefined:
  }
  return fc.jsonValue()
}

test.each(Object.keys(SCHEMAS))('finds faults of %s exactly where TypeBox does', (name) => {
  const schema = SCHEMAS[name] as Schema
  const seen = { fitting: 0, differing: 0 }
  fc.assert(
    fc.property(near(schema), (value) => {
      const fits = schemaFaults(schema, value, 1).length === 0
      seen[fits ? 'fitting' : 'differing']++
      expect(fits).toBe(Check(schema, value))
    }),
    casesOfProperty(5000),
  )
  // Values of one kind alone would show little.
  expect(Math.min(seen.fitting, seen.differing)).toBeGreaterThan(0)
})

describe('names', () => {
  const List = Type.Object({ list: Type.Array(Type.Object({ id: Type.String({ maxLength: 2 }) }), { maxItems: 2 }) })

  test.each([
    ['the path of an item', List, { list: [{ id: 'a' }, { id: 1 }] }, ['type /list/1/id']],
    ['a member with the characters of a pointer', Type.Record(Type.Null()), { 'a/b~c': 1 }, ['type /a~1b~0c']],
    ['every member that is missing', List, {}, ['required ']],
    ['more than one fault', List, { list: [{ id: 'abc' }, {}, {}] }, ['maxItems /list', 'maxLength /list/0/id']],
    ['each alternative', Type.Union([Type.String(), Type.Null()]), 1, ['type ', 'type ']],
    ['nothing of an alternative beside one that fits', Type.Union([Type.String(), Type.Null()]), null, []],
    ['strangers', Type.Object({}, { additionalProperties: false }), { a: 1 }, ['additionalProperties /a']],
    ['a member of the prototype', Type.Object({ toString: Type.String() }), {}, ['required ']],
  ])('%s', (_what, schema, value, faults) => {
    expect(schemaFaults(schema, value, 2).map(({ keyword, path }) => `${keyword} ${path}`)).toEqual(faults)
  })
})
