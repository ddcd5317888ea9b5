import { expect, test } from 'vitest'
import { fromCloneable, toCloneable } from './structured-clone.ts'
import { jsonValue, stringifyJson } from './json/json.ts'

const transferred = <Message>(message: Message) => fromCloneable(structuredClone(toCloneable(message)))

test('a message has the same decimals after a structured clone', () => {
  const text =
    '{"a":[0.1000000000000000055,{"b":-1e-400}],"__proto__":[1.23456789012345678901],"c":["x",12345678901234567890]}'
  const value = jsonValue(text)
  expect(stringifyJson(transferred(value))).toBe(stringifyJson(value))
  const map = transferred(new Map([['a', value]]))
  expect(stringifyJson(map.get('a') ?? null)).toBe(stringifyJson(value))
})

test('a message without decimals is not copied', () => {
  const message = { a: [1, { b: null }], bytes: new Uint8Array(3), map: new Map([['a', {}]]) }
  expect(toCloneable(message)).toBe(message)
  expect(fromCloneable(message)).toBe(message)
})
