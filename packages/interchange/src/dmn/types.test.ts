import { expect, test } from 'vitest'
import { typeOfShape } from '../feel/shape.ts'
import { readTree } from '../xml/tree.ts'
import { columnType, isBaseType, readTypes } from './types.ts'

const typesIn = (content: string) => readTypes(readTree(`<definitions>${content}</definitions>`, 10_000))
const item = (name: string, content: string, attributes = '') =>
  `<itemDefinition name="${name}"${attributes}>${content}</itemDefinition>`
const component = (name: string, type: string, attributes = '') =>
  `<itemComponent name="${name}"${attributes}><typeRef> ${type} </typeRef></itemComponent>`
const LIST = ' isCollection="true"'

test.each([
  ['string', 'string', 'string'],
  ['number', 'number', 'number'],
  ['integer', 'number', 'number'],
  ['long', 'number', 'number'],
  ['double', 'number', 'number'],
  ['boolean', 'boolean', 'boolean'],
  ['date', 'date', 'string'],
  ['time', 'time', 'string'],
  ['dateTime', 'dateTime', 'string'],
  ['date and time', 'dateTime', 'string'],
  ['dayTimeDuration', 'dayTimeDuration', undefined],
  ['days and time duration', 'dayTimeDuration', undefined],
  ['yearMonthDuration', 'yearMonthDuration', undefined],
  ['years and months duration', 'yearMonthDuration', undefined],
])('the type `%s` of FEEL is %s, in a column %s', (name, type, column) => {
  const { typeOf } = typesIn('')
  expect([name, ` feel:${name} `, `{http://feel}${name}`, `feel.${name}`].map((one) => typeOf(one))).toEqual(
    Array(4).fill(type),
  )
  expect(columnType(type)).toEqual(column === undefined ? {} : { type: column })
  expect([isBaseType(name), isBaseType(` feel:${name} `)]).toEqual([true, true])
})

test('other names are types only where a model defines them', () => {
  expect([isBaseType('Any'), isBaseType('tOwn'), isBaseType('')]).toEqual([true, false, false])
  const { typeOf, itemsOf, shapeOf } = typesIn('')
  expect([typeOf(undefined), typeOf(''), typeOf('tOwn'), itemsOf('tOwn'), shapeOf('tOwn')]).toEqual(
    Array(5).fill(undefined),
  )
  expect(columnType(undefined)).toEqual({})
})

const chain = (length: number) =>
  Array.from({ length }, (_, at) =>
    item(`t${at}`, `<typeRef>${at + 1 === length ? 'number' : `t${at + 1}`}</typeRef>`),
  ).join('')
const TYPES =
  item('tNumber', '<typeRef> m:number </typeRef>') +
  item('number', '<typeRef>number</typeRef>') +
  item('tList', '<typeRef>tNumber</typeRef>', LIST) +
  item('tNotList', '<typeRef>tNumber</typeRef>', ' isCollection="false"') +
  item('tParty', component('name', 'string') + component('tags', 'string', LIST) + component('next', 'tParty')) +
  item('tParties', '<typeRef>tParty</typeRef>', LIST) +
  item('tNone', '')

test.each([
  ['tNumber', [], 'number', undefined],
  ['m:tNumber', [], 'number', undefined],
  ['number', [], 'number', undefined],
  ['tList', [], undefined, 'number'],
  ['tNotList', [], 'number', undefined],
  ['tParty', [], undefined, undefined],
  ['tParty', ['name'], 'string', undefined],
  ['tParty', ['next', 'next', 'name'], 'string', undefined],
  ['tParty', ['other'], undefined, undefined],
  ['tParty', ['name', 'name'], undefined, undefined],
  ['tParty', ['tags'], undefined, undefined],
  ['tParties', [], undefined, undefined],
  ['tParties', ['name'], undefined, undefined],
  ['tNone', [], undefined, undefined],
])('a member of `%s` at %j is %s, an item %s', (reference, path, type, items) => {
  const { typeOf, itemsOf, shapeOf } = typesIn(TYPES)
  expect([typeOf(reference, path), typeOfShape(shapeOf(reference, path))]).toEqual([type, type])
  expect(itemsOf(reference)).toBe(items)
})

test('lists and structures have their items and members', () => {
  const { shapeOf, members } = typesIn(TYPES)
  const party = shapeOf('tParty')
  expect(party?.kind === 'context' && party.names).toEqual(['name', 'tags', 'next'])
  const tags = shapeOf('tParty', ['tags'])
  expect(tags?.kind === 'list' && tags.items()).toEqual({ kind: 'base', type: 'string' })
  const names = shapeOf('tParties', ['name'])
  expect(names?.kind === 'list' && names.items()).toEqual({ kind: 'base', type: 'string' })
  expect([...members]).toEqual(['name', 'tags', 'next'])
})

test('a chain of types has at most 32', () => {
  expect([32, 33].map((length) => typesIn(chain(length)).typeOf('t0'))).toEqual(['number', undefined])
})

test.each(['tRisk', ' tRisk ', ' m:tRisk ', '{http://model}tRisk'])(
  'the allowed values of a reference `%s` are found',
  (name) => {
    const { restrictionsOf } = typesIn(item('tRisk', '<allowedValues><text> "low", "high" </text></allowedValues>'))
    expect(restrictionsOf(name)).toEqual(['"low", "high"'])
  },
)
