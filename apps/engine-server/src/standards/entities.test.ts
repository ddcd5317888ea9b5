import { stringifyJson } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeEntities } from './entities.ts'

const ADA = '{"type":"user","id":"ada","properties":{"level":3}}'
const BOB = '{"type":"user","id":"bob"}'
const DOOR = '{"type":"door","id":"1"}'

/** Ids by type, and the properties of an entity for both kinds of numbers. */
async function decoded(text: string, id = 'ada') {
  const entities = await decodeEntities(text)
  const properties = entities.get('user')?.byId.get(id)?.properties
  return {
    ids: Object.fromEntries([...entities].map(([type, { ids }]) => [type, ids])),
    double: stringifyJson(properties?.double ?? null),
    decimal: stringifyJson(properties?.decimal ?? null),
  }
}

test.each([
  ['lines', `${BOB}\n${ADA}\n${DOOR}\n`],
  ['no end of the last line', `${BOB}\n${ADA}\n${DOOR}`],
  ['empty lines', `\n${BOB}\n  \n${ADA}\n\n${DOOR}\n\n`],
  ['lines that end with two characters', `${BOB}\r\n${ADA}\r\n${DOOR}\r\n`],
])('%s', async (_, text) => {
  expect(await decoded(text)).toEqual({
    ids: { user: ['ada', 'bob'], door: ['1'] },
    double: '{"level":3}',
    decimal: '{"level":3}',
  })
})

test('nothing', async () => {
  expect(await decodeEntities('')).toEqual(new Map())
})

test('absent properties are none', async () => {
  expect(await decoded(BOB, 'bob')).toMatchObject({ double: '{}', decimal: '{}' })
})

test('one id of two types', async () => {
  const { ids } = await decoded(`${DOOR}\n{"type":"user","id":"1"}`)
  expect(ids).toEqual({ door: ['1'], user: ['1'] })
})

test('a type and an id have up to 1024 characters', async () => {
  const name = 'n'.repeat(1024)
  const { ids } = await decoded(`{"type":"${name}","id":"${name}"}`)
  expect(ids).toEqual({ [name]: [name] })
})

const LONG = '0.1000000000000000055'

test.each([
  ['a member', `{"share":${LONG}}`, '{"share":0.1}'],
  ['an item of a list', `{"shares":[1,${LONG},2]}`, '{"shares":[1,0.1,2]}'],
  ['deeper', `{"a":{"b":[{"c":${LONG}}],"d":1}}`, '{"a":{"b":[{"c":0.1}],"d":1}}'],
])('rulesets of doubles read the nearest double of a decimal: %s', async (_, properties, double) => {
  const found = await decoded(`{"type":"user","id":"ada","properties":${properties}}`)
  expect(found).toMatchObject({ double, decimal: properties })
})

const NAME = 'must be a string of 1 to 1024 characters, found'

test.each([
  [
    'no JSON',
    '{',
    'line 1: cannot be read as JSON: expected a key in double quotes, found the end of the text (column 2)',
  ],
  [
    'a repeated member',
    `${ADA}\n{"id":"1","id":"2"}`,
    'line 2: cannot be read as JSON: the key `id` occurs twice in one object (column 11)',
  ],
  ['a list', `${ADA}\n[]`, 'line 2: must be an object, found a list'],
  ['an unknown member', '{"type":"a","id":"1","props":{}}', 'line 1: `props` is unknown'],
  [
    'properties that are null',
    '{"type":"a","id":"1","properties":null}',
    '`properties` must be an object, found `null`',
  ],
  ['no type', '{"id":"1"}', `line 1: \`type\` ${NAME} nothing`],
  ['an empty type', '{"type":"","id":"1"}', `line 1: \`type\` ${NAME} one of 0`],
  ['no id', '{"type":"a"}', `line 1: \`id\` ${NAME} nothing`],
  ['a long id', `{"type":"a","id":"${'n'.repeat(1025)}"}`, `line 1: \`id\` ${NAME} one of 1025`],
  ['a repeated entity', `${ADA}\n\n${ADA}`, 'line 3: repeats the entity `ada` of type `user`'],
])('%s is refused', async (_, text, message) => {
  await expect(decodeEntities(text)).rejects.toThrow(message)
})
