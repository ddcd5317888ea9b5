import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeFlags } from './flags.ts'

/** The form of a flag with these members. */
const formOf = (members: { readonly [name: string]: Value }) => {
  const { key, ruleset, ...form } =
    decodeFlags({ flags: { dark: { ruleset: 'r', ...members } } }, 'list', 'i').listed.get('dark') ?? {}
  expect([key, ruleset]).toEqual(['dark', 'r'])
  return form
}
const kind = (name: string) => ({ kind: name })
const names = (count: number) => Array.from({ length: count }, () => 'a').join('.')

test.each<[members: { readonly [name: string]: Value }, form: object]>([
  [{}, { value: kind('auto'), type: undefined, targeting: undefined }],
  [{ value: 'auto' }, { value: kind('auto') }],
  [{ value: 'code' }, { value: kind('code') }],
  [{ value: 'message' }, { value: kind('message') }],
  [{ value: 'output' }, { value: { kind: 'output', path: [] } }],
  [{ value: 'output.limit.max' }, { value: { kind: 'output', path: ['limit', 'max'] } }],
  [{ value: `output.${names(32)}` }, { value: { kind: 'output' } }],
  [{ on: ['A', 'B'] }, { value: { kind: 'on', codes: new Set(['A', 'B']) } }],
  [
    { on: ['A'], value: 'code', type: 'boolean' },
    { value: { kind: 'on', codes: new Set(['A']) }, type: 'boolean' },
  ],
  [{ targeting: 'user.id' }, { targeting: ['user', 'id'] }],
  [{ targeting: names(32) }, { targeting: names(32).split('.') }],
])('the form of %j', (members, form) => expect(formOf(members)).toMatchObject(form))

test.each(['boolean', 'string', 'integer', 'float', 'object'])('the type %s', (type) =>
  expect(formOf({ type })).toMatchObject({ type }),
)

test.each<[members: { readonly [name: string]: Value }, message: string]>([
  [{ value: 'result' }, '`flags.dark.value` must be `auto`, `code`, `message`, `output` or a member'],
  [{ value: 'output.' }, '`flags.dark.value` must be at most 32 names with a dot between them'],
  [{ value: `output.${names(33)}` }, '`flags.dark.value` must be at most 32 names'],
  [{ targeting: 'a..b' }, '`flags.dark.targeting` must be at most 32 names'],
  [{ targeting: names(33) }, '`flags.dark.targeting` must be at most 32 names'],
  [{ targeting: '' }, '`flags.dark.targeting` must be a string of 1 to 1024 characters'],
  [{ on: ['A'], value: 'auto' }, '`flags.dark.on` lists codes, so `value` must be `code` or absent'],
  [{ on: ['A'], type: 'object' }, '`flags.dark.type` contradicts `on`'],
  [{ type: 'number' }, '`flags.dark.type` must be one of'],
])('%j is refused', (members, message) => expect(() => formOf(members)).toThrow(message))

test('the mode, the form of others and the identity', () => {
  const flags = decodeFlags({ default: { value: 'code', targeting: 'id' } }, 'all', 'seven')
  expect(flags).toEqual({
    mode: 'all',
    listed: new Map(),
    initial: { value: kind('code'), type: undefined, targeting: ['id'] },
    identity: 'seven',
  })
  expect(decodeFlags({ flags: {} }, 'list', '').initial).toEqual({
    value: kind('auto'),
    type: undefined,
    targeting: undefined,
  })
})

test('a list of flags is required where only listed ones are offered', () => {
  expect(() => decodeFlags({}, 'list', '')).toThrow('`flags` is missing')
  expect(decodeFlags({}, 'all', '').listed.size).toBe(0)
  expect(() => decodeFlags({ flags: [] }, 'all', '')).toThrow('`flags` must be an object of flags by key')
})

const flagsOf = (keys: readonly string[]) => ({ flags: Object.fromEntries(keys.map((key) => [key, { ruleset: 'r' }])) })

test.each([
  ['one letter', 'a', true],
  ['all characters', 'aZ09._-', true],
  ['128 characters', 'k'.repeat(128), true],
  ['129 characters', 'k'.repeat(129), false],
  ['nothing', '', false],
  ['a slash', 'a/b', false],
  ['another letter', 'é', false],
])('a key: %s', (_, key, isValid) => {
  const decode = () => decodeFlags(flagsOf([key]), 'list', '').listed.has(key)
  if (isValid) expect(decode()).toBe(true)
  else expect(decode).toThrow(`\`flags.${key.slice(0, 60)}`)
})

test('there are at most 1000 flags', () => {
  const keys = Array.from({ length: 1001 }, (_, index) => `f${index}`)
  expect(decodeFlags(flagsOf(keys.slice(1)), 'list', '').listed.size).toBe(1000)
  expect(() => decodeFlags(flagsOf(keys), 'list', '')).toThrow(
    '`flags` has 1001 flags, at most 1000 are answered together',
  )
})

test.each<[flag: { readonly [name: string]: Value }, message: string]>([
  [{}, '`flags.dark.ruleset` is missing'],
  [{ ruleset: '../r' }, '`flags.dark.ruleset` is no name of a ruleset'],
  [{ ruleset: 'r', rules: 1 }, '`flags.dark.rules` is unknown'],
])('the flag %j is refused', (flag, message) =>
  expect(() => decodeFlags({ flags: { dark: flag } }, 'list', '')).toThrow(message),
)

test('a default has the form of a flag without its ruleset', () => {
  expect(() => decodeFlags({ default: { ruleset: 'r' } }, 'all', '')).toThrow('`default.ruleset` is unknown')
  expect(() => decodeFlags({ default: { value: 'x' } }, 'all', '')).toThrow('`default.value` must be `auto`')
})
