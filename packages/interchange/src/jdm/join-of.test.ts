import { expect, test } from 'vitest'
import { type Entry, type Environment, NOTHING, wholeOf } from './environment.ts'
import { joinOf, passedOn } from './join.ts'
import { atom, INPUT, type ValueType } from './zen/text.ts'

const value = (text: string, type: ValueType = 'number', more: object = {}): Entry => ({
  kind: 'value',
  text: atom(text, type),
  ...more,
})
const object = (known: Readonly<Record<string, Entry>>, more: object = {}): Environment => ({
  ...NOTHING,
  known: new Map(Object.entries(known)),
  ...more,
})
const member = (members: Environment, more: object = {}): Entry => ({ kind: 'object', members, ...more })

const LIST: Environment = { ...NOTHING, list: atom('$l', 'list') }
const SETTLED = { settled: true }
const MAYBE = { maybe: true }
const long = (length: number) => value(`$${'a'.repeat(length - 1)}`, 'unknown')
const nullable = (nulls: Environment['nulls']) => object({ a: value('x + 1', 'scalar') }, { nulls })

/** The merged value, with the differences. */
test.each<[title: string, behind: Environment, front: Environment, text: string, told?: string]>([
  ['a list in front', object({ a: value('1') }), LIST, '$l'],
  ['the input in front of a list', LIST, object({}, { rest: INPUT }), '$'],
  ['nothing in front of a list', LIST, NOTHING, '{}', 'members'],
  ['an object in front of a list', LIST, object({ a: value('1') }), '{"a": 1}'],
  [
    'a member that may be missing in front of a list',
    LIST,
    object({ a: value('1', 'number', MAYBE) }),
    '{"a": 1}',
    'members',
  ],
  [
    'a member that is filled in front of a list',
    LIST,
    object({ a: value('1', 'number', { filled: true }) }),
    '{"a": 1}',
    'members',
  ],
  [
    'members of which one may be missing in front of a list',
    LIST,
    object({ a: value('1', 'number', MAYBE), b: value('2') }),
    '{"a": 1, "b": 2}',
  ],
  [
    'an object that is certain in front of a list',
    LIST,
    object({ o: member(NOTHING, { isCertain: true }) }),
    '{"o": {}}',
  ],
  ['an object that is not certain in front of a list', LIST, object({ o: member(NOTHING) }), '{"o": {}}', 'members'],
  ['other members', object({ a: value('1') }), object({ b: value('2') }), '{"a": 1, "b": 2}'],
  ['two parts', object({}, { rest: atom('$r') }), object({}, { rest: atom('$s') }), '$s', 'members'],
  ['one part twice', object({}, { rest: atom('$r') }), object({}, { rest: atom('$r') }), '$r'],
  ['a part behind', object({}, { rest: INPUT }), object({ a: value('1') }), 'merge($, {"a": 1})'],
  ['a part in front', object({ a: value('1') }), object({}, { rest: INPUT }), 'merge($, {"a": exists(a) ? a : 1})'],
  [
    'a part in front, whose null is absent',
    object({ a: value('1') }),
    object({}, { rest: INPUT, nulls: 'absent' }),
    'merge($, {"a": coalesce(a, 1)})',
  ],
  [
    'a part in front, whose null may be absent',
    object({ a: value('1') }),
    object({}, { rest: INPUT, nulls: 'either' }),
    'merge($, {"a": coalesce(a, 1)})',
    'members',
  ],
  [
    'a part in front of null, whose null may be absent',
    object({ a: value('null', 'null') }),
    object({}, { rest: INPUT, nulls: 'either' }),
    'merge($, {"a": coalesce(a, null)})',
  ],
  [
    'a part in front of a value that may be an object',
    object({ a: value('$v', 'unknown') }),
    object({}, { rest: INPUT }),
    'merge($, {"a": exists(a) ? a : $v})',
    'join',
  ],
  [
    'a part in front of itself',
    object({ a: value('a', 'unknown') }),
    object({}, { rest: INPUT }),
    'merge($, {"a": exists(a) ? a : a})',
  ],
  [
    'a part in front of an object',
    object({ o: member(object({ p: value('1') })) }),
    object({}, { rest: INPUT, nulls: 'absent' }),
    'merge($, {"o": is_object(o) ? merge(is_object(o) ? o : {}, {"p": exists(o.p) ? o.p : 1}) : coalesce(o, {"p": 1})})',
  ],
  [
    'a part in front of a text of 4000 characters',
    object({ a: long(4000) }),
    object({}, { rest: INPUT }),
    `merge($, {"a": exists(a) ? a : $${'a'.repeat(3999)}})`,
    'join',
  ],
  [
    'a part in front of a text of 4001 characters',
    object({ a: long(4001) }),
    object({}, { rest: INPUT }),
    'merge($, {"a": a})',
    'members',
  ],
  ['a computed value that may be null', object({ a: value('1') }), nullable('removing'), '{"a": x + 1}'],
  ['a computed value whose null is absent', object({ a: value('1') }), nullable('absent'), '{"a": coalesce(x + 1, 1)}'],
  [
    'a computed value whose null may be absent',
    object({ a: value('1') }),
    nullable('either'),
    '{"a": coalesce(x + 1, 1)}',
    'members',
  ],
  [
    'a computed value that may be missing',
    object({ a: value('1') }),
    object({ a: value('x + 1', 'scalar', MAYBE) }),
    '{"a": coalesce(x + 1, 1)}',
    'members',
  ],
  [
    'a number that may be missing',
    object({ a: value('1') }),
    object({ a: value('$x', 'number', MAYBE) }),
    '{"a": coalesce($x, 1)}',
  ],
  ['a number', object({ a: value('1') }), object({ a: value('2') }), '{"a": 2}'],
  [
    'a number in front of a value that may be an object',
    object({ a: value('$v', 'unknown') }),
    object({ a: value('2') }),
    '{"a": 2}',
  ],
  [
    'two values that may be objects',
    object({ a: value('$v', 'unknown') }),
    object({ a: value('$w', 'object') }),
    '{"a": $w}',
    'join',
  ],
  [
    'two values of which the one in front is settled',
    object({ a: value('$v', 'unknown') }),
    object({ a: value('$w', 'object', SETTLED) }),
    '{"a": $w}',
  ],
  [
    'a value in front of itself',
    object({ a: value('$v', 'unknown') }),
    object({ a: value('$v', 'unknown') }),
    '{"a": $v}',
  ],
  [
    'a value in front of a text of 4001 characters',
    object({ a: long(4001) }),
    object({ a: value('$v', 'scalar', MAYBE) }),
    '{"a": $v}',
    'members',
  ],
  [
    'an object in front of a text of 4001 characters',
    object({ o: long(4001) }),
    object({ o: member(object({ p: value('1') })) }),
    '{"o": {"p": 1}}',
    'members',
  ],
  ['an object', object({ o: value('1') }), object({ o: member(object({ p: value('1') })) }), '{"o": {"p": 1}}'],
  [
    'an object in front of null',
    object({ o: value('null', 'null') }),
    object({ o: member(object({ p: value('$p', 'number', MAYBE) })) }),
    '{"o": {"p": $p}}',
  ],
  [
    'an object that may be null in front of null',
    object({ o: value('null', 'null') }),
    object({ o: member(object({ p: value('$p', 'number', MAYBE) }, { mayBeNull: true })) }),
    '{"o": {"p": $p}}',
  ],
  [
    'an object that may be null',
    object({ o: value('1') }),
    object({ o: member(object({ p: value('$p', 'number', MAYBE) }, { mayBeNull: true })) }),
    '{"o": exists($p) ? {"p": $p} : 1}',
    'members',
  ],
  [
    'an object that may be another value',
    object({ o: value('1') }),
    object({ o: member(object({ p: value('$p') }), { otherwise: { unless: atom('c'), value: atom('2') } }) }),
    '{"o": {"p": $p}}',
    'members',
  ],
  [
    'an object that may not be set',
    object({ o: value('1') }),
    object({ o: member(object({ p: value('$p', 'number', MAYBE) })) }),
    '{"o": exists($p) ? {"p": $p} : 1}',
  ],
  [
    'an object that may not be set, in front of a value that may be one',
    object({ o: value('$v', 'unknown') }),
    object({ o: member(object({ p: value('$p', 'number', MAYBE) })) }),
    '{"o": is_object($v) || exists($p) ? merge(is_object($v) ? $v : {}, {"p": coalesce($p, $v.p)}) : $v}',
  ],
  [
    'an object with a filled member',
    object({ o: value('1') }),
    object({ o: member(object({ p: value('$p', 'number', { filled: true }) })) }),
    '{"o": $p != null ? {"p": $p} : 1}',
  ],
  [
    'an object with a computed member',
    object({ o: value('1') }),
    object({ o: member(object({ p: value('x + 1', 'number', MAYBE) })) }),
    '{"o": exists(x + 1) ? {"p": x + 1} : 1}',
    'members',
  ],
  [
    'an object within an object that may not be set',
    object({ o: value('1') }),
    object({ o: member(object({ p: member(object({ q: value('$q', 'number', MAYBE) })) })) }),
    '{"o": exists($q) ? {"p": {"q": $q}} : 1}',
  ],
  [
    'two objects',
    object({ o: member(object({ p: value('1') })) }),
    object({ o: member(object({ q: value('2') })) }),
    '{"o": {"p": 1, "q": 2}}',
  ],
  [
    'two objects that may not be set',
    object({ o: member(object({ p: value('$p', 'number', MAYBE) })) }),
    object({ o: member(object({ q: value('$q', 'number', MAYBE) })) }),
    '{"o": {"p": $p, "q": $q}}',
  ],
  [
    'an object that may not be set, in front of one that may be another value',
    object({
      o: member(object({ p: value('$p', 'number', MAYBE) }), {
        otherwise: { unless: atom('exists($p)', 'boolean'), value: atom('1') },
      }),
    }),
    object({ o: member(object({ q: value('$q', 'number', MAYBE) })) }),
    '{"o": exists($p) || exists($q) ? {"p": $p, "q": $q} : 1}',
  ],
])('%s', (_, behind, front, text, told) => {
  const differences = new Set<string>()
  const made = joinOf(behind, front, (difference) => differences.add(difference))
  expect(wholeOf(made).text).toBe(text)
  expect([...differences].join(' ')).toBe(told ?? '')
})

test('a merged object may have null or not, and a node receives it without null', () => {
  const joined = () => undefined
  expect(joinOf(object({}, { rest: INPUT }), object({ a: value('1') }), joined)).toEqual({
    known: new Map([['a', value('1')]]),
    rest: INPUT,
    nulls: 'either',
  })
  expect(joinOf(NOTHING, NOTHING, joined)).toEqual({ known: new Map(), nulls: 'either' })
  expect(passedOn(NOTHING)).toEqual({ known: new Map(), nulls: 'absent' })
})

test('an object is certain where one of its members is, or where it is behind', () => {
  const certainty = (behind: Environment, front: Environment) => {
    const found = joinOf(behind, front, () => undefined).known.get('o')
    return found?.kind === 'object' && found.isCertain
  }
  const maybe = object({ o: member(object({ p: value('$p', 'number', MAYBE) })) })
  const certain = object({ o: member(object({ p: value('1') })) })
  const other = object({ o: member(object({ p: value('1') }), { otherwise: { unless: atom('c'), value: atom('2') } }) })
  expect([
    certainty(maybe, certain),
    certainty(certain, maybe),
    certainty(maybe, maybe),
    certainty(other, maybe),
  ]).toEqual([true, true, undefined, undefined])
})
