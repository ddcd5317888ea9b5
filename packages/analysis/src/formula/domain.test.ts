import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { type FieldDomain, isInDomain, kindsOf } from './domain.ts'

const NUMBER: FieldDomain = { types: ['number'], required: true }

test.each<[path: string, domain: FieldDomain, input: ObjectValue, isIn: boolean]>([
  ['a', NUMBER, { a: 1 }, true],
  ['a', NUMBER, { a: 'x' }, false],
  ['a', NUMBER, { a: null }, false],
  ['a', NUMBER, {}, false],
  ['a', NUMBER, { b: 1 }, false],
  ['a', { types: ['number'] }, {}, true],
  ['a', { types: ['null'], required: true }, { a: null }, true],
  ['a', { types: ['null'], required: true }, {}, false],
  ['a', { types: ['number', 'string'] }, { a: 'x' }, true],
  ['a', { types: ['boolean'] }, { a: false }, true],
  ['a', { types: ['array'] }, { a: [] }, true],
  ['a', { types: ['array'] }, { a: {} }, false],
  ['a', { types: ['object'] }, { a: { b: 1 } }, true],
  ['a', { ...NUMBER, integer: true }, { a: 2 }, true],
  ['a', { ...NUMBER, integer: true }, { a: 2.5 }, false],
  ['a', { ...NUMBER, integer: true }, { a: 2n ** 60n }, true],
  ['a', NUMBER, { a: 2.5 }, true],
  ['a', { ...NUMBER, minimum: 2 }, { a: 2 }, true],
  ['a', { ...NUMBER, minimum: 2 }, { a: 1 }, false],
  ['a', { ...NUMBER, maximum: 2 }, { a: 2 }, true],
  ['a', { ...NUMBER, maximum: 2 }, { a: 3 }, false],
  ['a', { types: ['number', 'string'], minimum: 2 }, { a: 'x' }, true],
  ['a', { types: ['number', 'string'], integer: true }, { a: 'x' }, true],
  ['a', { ...NUMBER, values: [1, 2] }, { a: 2 }, true],
  ['a', { ...NUMBER, values: [1, 2] }, { a: 3 }, false],
  ['a', { types: ['object'], values: [{ b: 1, c: 2 }] }, { a: { c: 2, b: 1 } }, true],
  ['a.b', NUMBER, { a: { b: 1 } }, true],
  ['a.b', NUMBER, { a: { b: 'x' } }, false],
  ['a.b', NUMBER, { a: 1 }, false],
  ['a.b', NUMBER, { a: null }, false],
  ['a.b', { types: ['null'] }, { a: null }, true],
  ['a.b', { types: ['number'] }, { a: null }, true],
  ['a.b', { types: ['number'] }, { a: 1 }, true],
  ['a[1]', NUMBER, { a: [0, 1] }, true],
  ['a[1]', NUMBER, { a: [0] }, false],
  ['a[1]', { types: ['string'] }, { a: [0, 1] }, false],
])('the field %s of a domain: %#', (path, domain, input, isIn) => {
  expect(isInDomain(new Map([[path, domain]]), input)).toBe(isIn)
})

test('every field of a domain counts', () => {
  const domain = new Map([
    ['a', NUMBER],
    ['b', NUMBER],
  ])
  expect(isInDomain(domain, { a: 1, b: 2 })).toBe(true)
  expect(isInDomain(domain, { a: 1 })).toBe(false)
  expect(isInDomain(domain, { b: 1 })).toBe(false)
  expect(isInDomain(new Map(), { c: 1 })).toBe(true)
})

test.each<[FieldDomain | undefined, readonly string[]]>([
  [NUMBER, ['number']],
  [{ types: ['number'] }, ['missing', 'number']],
  [{ types: ['boolean', 'array'], required: true }, ['false', 'true', 'empty list', 'list']],
  [{ types: ['null', 'string', 'object'], required: true }, ['null', 'text', 'empty object', 'object']],
])('the domain %j allows the kinds %j', (domain, kinds) => {
  expect(kindsOf(domain)).toEqual(kinds)
})

test('any field has every kind but an error', () => {
  expect(kindsOf(undefined)).not.toContain('error')
  expect(kindsOf(undefined)).toEqual(expect.arrayContaining(['missing', 'null', 'number', 'text']))
})
