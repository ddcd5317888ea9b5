import { Budget } from './budget.ts'
import { compile } from './compiler.ts'
import { FUNCTIONS } from './functions/index.ts'
import { interpret } from './interpreter.ts'
import { parse } from './parser.ts'
import { LENIENT, type Runtime } from './runtime.ts'
import { sizeOf } from './size.ts'
import type { Value } from './value.ts'

/**
 * Expressions over large inputs, one or more for each function, operator and kind of path: the cases of the charging
 * tests and benchmark. `n` scales the input; each case is the worst known input of its algorithm.
 */
export interface ChargedCase {
  /** The function or operator that the case is about. */
  readonly of: string
  readonly expression: string
  readonly input: (n: number) => { [key: string]: Value }
}

const text = (n: number, part = 'a') => part.repeat(Math.ceil(n / part.length)).slice(0, n)
const list = <Item extends Value>(n: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: n }, (_, index) => item(index))
/** Objects with the given number of members, at most the maximum of an object. */
const members = (n: number): { [key: string]: Value } =>
  Object.fromEntries(list(Math.min(n, 50_000), (index) => [`k${index}`, index]))

const TEXT = (n: number) => ({ s: text(n), t: `${text(n / 2)}b`, u: text(n), w: `${text(n - 1)}b` })
const WIDE = (n: number) => ({ s: text(n, 'äあ'), t: text(n, 'äあ') })
const NUMBERS = (n: number) => ({
  l: list(n, (index) => (index * 7919) % n),
  m: list(n, (index) => (index * 7919) % n),
})
const FRACTIONS = (n: number) => ({ l: list(n, (index) => index + 0.5) })
const LARGE = (n: number) => ({ l: list(n, (index) => 2n ** 900n + BigInt(index)), x: 2n ** 900n - 1n })
const TEXTS = (n: number) => ({ l: list(n / 50, (index) => text(50) + String(index)) })
const OBJECTS = (n: number) => ({
  l: list(n / 4, (index) => ({ a: { b: index }, k: `g${index % 1000}` })),
  m: list(n / 4, (index) => ({ a: { b: index }, k: `g${index % 1000}` })),
})
const LISTS = (n: number) => ({ l: list(n / 10, (index) => list(10, (inner) => index + inner)) })
const MEMBERS = (n: number) => ({ o: members(n), p: members(n) })
const SPLIT = (n: number) => ({ s: text(n, 'a,'), t: text(n, 'abcdefgh,') })
const JSON_TEXT = (n: number) => ({
  s: `[${'{},'.repeat(n / 3)}{}]`,
  t: `[${'1.5,'.repeat(n / 4)}1]`,
  u: `"${text(n)}"`,
})

function cases(of: string, input: (n: number) => { [key: string]: Value }, ...expressions: string[]): ChargedCase[] {
  return expressions.map((expression) => ({ of, expression, input }))
}

/** @internal */
export const CHARGED: readonly ChargedCase[] = [
  ...cases('len', MEMBERS, 'len(o)'),
  ...cases('upper', WIDE, 'upper(s)'),
  ...cases('lower', WIDE, 'lower(s)'),
  ...cases('trim', (n) => ({ s: text(n, ' ') }), 'trim(s)'),
  ...cases('starts_with', TEXT, 'starts_with(s, u)'),
  ...cases('ends_with', TEXT, 'ends_with(s, u)'),
  ...cases('contains', TEXT, 'contains(s, t)', 'contains(s, "aaab")', 'contains(s, "aaaaaaab")'),
  ...cases('contains', NUMBERS, 'contains(l, -1)', 'contains(l, "a")'),
  ...cases('contains_str', TEXT, 'contains_str(s, t)'),
  ...cases('substring', TEXT, 'substring(s, 1)'),
  ...cases('char_at', TEXT, 'char_at(s, -1)'),
  ...cases('index_of', TEXT, 'index_of(s, t)'),
  ...cases('index_of', OBJECTS, 'index_of(l, {"a": {"b": -1}, "k": "g1"})'),
  ...cases('replace', SPLIT, 'replace(s, ",", "")', 'replace(s, "", "")', 'replace(t, "abcdefgh", "")'),
  ...cases('replace', TEXT, 'replace(s, t, "x")'),
  ...cases('split', SPLIT, 'split(s, ",")', 'split(s, "")', 'split(t, "abcdefgh")'),
  ...cases('split', TEXT, 'split(s, t)'),
  ...cases('join', TEXTS, 'join(l, ",")'),
  ...cases('join', (n) => ({ l: list(n, () => '') }), 'join(l, "")'),
  ...cases('pad_left', TEXT, 'pad_left("", len(s), "ab")'),
  ...cases('pad_right', TEXT, 'pad_right("", len(s), "ab")'),
  ...cases('format', (n) => ({ s: text(n, '{0}') }), 'format(s, "a")'),
  ...cases('matches', TEXT, 'matches(s, "(a?){50}b$")', 'matches(s, "a*b")'),
  ...cases('regex_match', TEXT, 'regex_match("(x+x+)+y|a{300}c", s)'),
  ...cases('regex_find', TEXT, 'regex_find("[b-z]+", s)', 'regex_find("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", s)'),
  ...cases('regex_find_all', (n) => ({ s: text(Math.min(n, 1000)) }), 'regex_find_all("a.*b|a", s)'),
  ...cases('regex_find_all', TEXT, 'regex_find_all("a", s)', 'regex_find_all("", s)'),
  ...cases('regex_replace', TEXT, 'regex_replace("a", s, "b")', 'regex_replace("(a)(a)", s, "$2$1")'),
  ...cases('regex_split', SPLIT, 'regex_split(",", s)'),
  ...cases('glob_match', TEXT, 'glob_match("**a*a*a*b", s)'),
  ...cases('abs', LARGE, 'abs(x)'),
  ...cases('min', NUMBERS, 'min(l)'),
  ...cases('max', NUMBERS, 'max(l)'),
  ...cases('max', LARGE, 'max(l)'),
  ...cases('max', TEXTS, 'max(l)'),
  ...cases('floor', LARGE, 'floor(x)'),
  ...cases('ceil', LARGE, 'ceil(x)'),
  ...cases('round', LARGE, 'round(x, -3)'),
  ...cases('sqrt', LARGE, 'sqrt(x)'),
  ...cases('pow', LARGE, 'pow(1.5, 300)'),
  ...cases('sum', NUMBERS, 'sum(l)', 'sum(l, x => x)'),
  ...cases('sum', LARGE, 'sum(l)'),
  ...cases('avg', NUMBERS, 'avg(l)'),
  ...cases('count', NUMBERS, 'count(l)', 'count(l, x => x > 3)'),
  ...cases('any', NUMBERS, 'any(l, x => x < 0)', 'any(l, x => x + x * x - x / 3 == -1 || x - 7 > 1e9)'),
  ...cases('all', NUMBERS, 'all(l, x => x >= 0)'),
  ...cases('none', NUMBERS, 'none(l, x => [x] == 1)'),
  ...cases('filter', NUMBERS, 'filter(l, x => x > 3)'),
  ...cases('map', NUMBERS, 'map(l, x => x)', 'map(l, x => {"a": x, "b": [x]})'),
  ...cases('find', NUMBERS, 'find(l, x => x < 0)'),
  ...cases('first', NUMBERS, 'first(l)'),
  ...cases('last', NUMBERS, 'last(l)'),
  ...cases('distinct', NUMBERS, 'distinct(l)'),
  ...cases('distinct', FRACTIONS, 'distinct(l)'),
  ...cases('distinct', LARGE, 'distinct(l)'),
  ...cases('distinct', TEXTS, 'distinct(l)'),
  ...cases('unique', OBJECTS, 'unique(l)'),
  ...cases('unique', LISTS, 'unique(l)'),
  ...cases('sort', NUMBERS, 'sort(l)', 'sort(l, x => -x)'),
  ...cases('sort', TEXTS, 'sort(l)'),
  ...cases('sort', LARGE, 'sort(l)'),
  ...cases('reverse', NUMBERS, 'reverse(l)'),
  ...cases('slice', NUMBERS, 'slice(l, 1)'),
  ...cases('flatten', LISTS, 'flatten(l)'),
  ...cases('array_concat', NUMBERS, 'array_concat(l, [1], l)'),
  ...cases('range', NUMBERS, 'range(0, len(l))'),
  ...cases('map_extract', OBJECTS, 'map_extract(l, "a.b")'),
  ...cases('filter_by', OBJECTS, 'filter_by(l, "a.b", -1)'),
  ...cases('group_by', OBJECTS, 'group_by(l, "k")', 'group_by(l, "a")'),
  ...cases('keys', MEMBERS, 'keys(o)'),
  ...cases('values', MEMBERS, 'values(o)'),
  ...cases('has_key', MEMBERS, 'has_key(o, "x")'),
  ...cases('object_get', MEMBERS, 'object_get(o, "x")'),
  ...cases('merge', MEMBERS, 'merge(o, p, {"x": 1})'),
  ...cases('type', MEMBERS, 'type(o)'),
  ...cases('is_null', MEMBERS, 'is_null(o)'),
  ...cases('is_number', MEMBERS, 'is_number(o)'),
  ...cases('is_string', MEMBERS, 'is_string(o)'),
  ...cases('is_bool', MEMBERS, 'is_bool(o)'),
  ...cases('is_array', MEMBERS, 'is_array(o)'),
  ...cases('is_object', MEMBERS, 'is_object(o)'),
  ...cases('exists', MEMBERS, 'exists(o.x)'),
  ...cases('exists', OBJECTS, 'exists(l.*.x)'),
  ...cases('coalesce', MEMBERS, 'coalesce(o.x, o)'),
  ...cases('to_number', (n) => ({ s: `0${text(300, '1')}.${text(n, '1')}` }), 'to_number(s)'),
  ...cases('to_number', (n) => ({ s: `${text(n, ' ')}1` }), 'to_number(s)'),
  ...cases('decimal', (n) => ({ s: `0${text(300, '1')}.${text(n, '1')}` }), 'decimal(s)'),
  ...cases('to_float', (n) => ({ s: `1${text(n, ' ')}` }), 'to_float(s)'),
  ...cases('to_int', (n) => ({ s: `0.${text(n, '1')}` }), 'to_int(s)'),
  ...cases('to_string', NUMBERS, 'to_string(l)'),
  ...cases('to_string', LARGE, 'to_string(slice(l, 0, 3000))'),
  ...cases('to_bool', MEMBERS, 'to_bool(o)'),
  ...cases('now', MEMBERS, 'now()'),
  ...cases('now_millis', MEMBERS, 'now_millis()'),
  ...cases('date', MEMBERS, 'date("2026-11-20T10:00:00+02:00")'),
  ...cases('date_add', MEMBERS, 'date_add("2024-01-31", 5000, "months", "Europe/Berlin")'),
  ...cases(
    'date_diff',
    MEMBERS,
    'date_diff("-200000-01-01" == "" ? 1 : 0, "0001-01-01", "days", "Europe/Berlin")'.replace(
      '"-200000-01-01" == "" ? 1 : 0',
      '8e15',
    ),
  ),
  ...cases('year', MEMBERS, 'year("2026-11-20T22:30:00Z", "Asia/Tokyo")'),
  ...cases('month', MEMBERS, 'month("2026-11-20")'),
  ...cases('day', MEMBERS, 'day("2026-11-20")'),
  ...cases('hour', MEMBERS, 'hour("2026-11-20T22:30:00Z")'),
  ...cases('day_of_week', MEMBERS, 'day_of_week("2026-11-20")'),
  ...cases('format_date', (n) => ({ s: text(n, 'YYYY') }), 'format_date("2026-11-20", s)'),
  ...cases('format_date', (n) => ({ s: text(n, 'Y') + 'x' }), 'format_date("2026-11-20", s)'),
  ...cases('cidr_contains', MEMBERS, 'cidr_contains("fd00:1234::/16", "fd00:ffff:1:2:3:4:5:6")'),
  ...cases('cidr_intersects', MEMBERS, 'cidr_intersects("10.0.0.0/8", "10.9.0.0/16")'),
  ...cases('semver_compare', (n) => ({ s: `1.2.3-${text(Math.min(n, 240), 'a.')}b` }), 'semver_compare(s, s)'),
  ...cases('semver_is_valid', TEXT, 'semver_is_valid(s)', 'semver_is_valid("1.2.3-a.b.c+d")'),
  ...cases('base64_encode', (n) => ({ s: text(n / 4) }), 'base64_encode(s)'),
  ...cases('base64_decode', TEXT, 'base64_decode(base64_encode(substring(s, 0, 99999)))'),
  ...cases('hex_encode', (n) => ({ s: text(n / 6) }), 'hex_encode(s)'),
  ...cases('hex_decode', (n) => ({ s: text(n, '61') }), 'hex_decode(s)'),
  ...cases('url_encode', (n) => ({ s: text(n / 9, 'ä!') }), 'url_encode(s)'),
  ...cases('url_decode', (n) => ({ s: '%61'.repeat(n / 3) }), 'url_decode(s)'),
  ...cases('md5', WIDE, 'md5(s)'),
  ...cases('sha256', WIDE, 'sha256(s)'),
  ...cases('hmac_sha256', WIDE, 'hmac_sha256(s, t)'),
  ...cases('sprintf', (n) => ({ s: text(n, '%s'), l: list(n / 2, () => 'a') }), 'sprintf(s, l)'),
  ...cases(
    'graph_reachable',
    (n) => ({ g: Object.fromEntries(list(n / 4, (index) => [`k${index}`, [`k${index + 1}`, 'k0']])) }),
    'graph_reachable(g, ["k0"])',
  ),
  ...cases('graph_reachable', (n) => ({ g: { a: list(n, () => 'a') } }), 'graph_reachable(g, ["a"])'),
  ...cases('base64url_encode', (n) => ({ s: text(n / 4) }), 'base64url_encode(s)'),
  ...cases('base64url_decode', TEXT, 'base64url_decode(base64url_encode(substring(s, 0, 99999)))'),
  ...cases('parse_time', (n) => ({ s: `2026-11-20 10:00${text(n, ' ')}` }), 'parse_time(s, "%F %R ")'),
  ...cases('parse_time', MEMBERS, `parse_time("${'001'.repeat(120)}1", "${'%j'.repeat(120)}%s")`),
  ...cases('parse_time', MEMBERS, 'parse_time("Friday, 20 December 2024 10:00:00 PM", "%A, %d %B %Y %I:%M:%S %p")'),
  ...cases('format_time', MEMBERS, `format_time(1, "${'%A%B%F%j'.repeat(32)}")`),
  ...cases('time_diff', MEMBERS, 'time_diff("2026-11-20T10:00:00+02:00", 1, "d")'),
  ...cases('time_of_day', MEMBERS, 'time_of_day("2026-11-20T10:00:00+02:00")'),
  ...cases('jwt_encode', (n) => ({ o: { s: text(n / 8) }, k: text(n) }), 'jwt_encode(o, k, "HS512")'),
  ...cases('jwt_encode', MEMBERS, 'jwt_encode({"a": 1}, "k")'),
  ...cases('jwt_verify', (n) => ({ o: { s: text(n / 8) }, k: text(n) }), 'jwt_verify(jwt_encode(o, k), k)'),
  ...cases('jwt_verify', MEMBERS, 'jwt_verify("e30.e30.x", "k")'),
  ...cases('jwt_verify', (n) => ({ s: `${text(n / 2)}.${text(n / 2)}.a` }), 'jwt_verify(s, "k")'),
  ...cases('jwt_decode', (n) => ({ o: { s: text(n / 8) } }), 'jwt_decode(jwt_encode(o, "k"))'),
  ...cases('json_marshal', OBJECTS, 'json_marshal(slice(l, 0, 20000))'),
  ...cases('json_marshal', (n) => ({ s: text(n / 6, '\u0001') }), 'json_marshal([s])'),
  ...cases('json_unmarshal', JSON_TEXT, 'json_unmarshal(s)', 'json_unmarshal(t)', 'json_unmarshal(u)'),
  ...cases('==', TEXT, 's == u', '!(s != u)'),
  ...cases('==', OBJECTS, 'l == m'),
  ...cases('==', MEMBERS, 'o == p'),
  ...cases('==', LARGE, 'any(l, y => y == x)'),
  ...cases('<', TEXT, 's < u', 's >= u'),
  ...cases('in', NUMBERS, '-1 in l', '1.5 not in l', '"a" in l'),
  ...cases('in', TEXT, 't in s', '!(w in s)'),
  ...cases('contains', OBJECTS, 'l contains {"a": {"b": -1}}'),
  ...cases('+', LARGE, 'any(l, y => y + x == 0)', 'any(l, y => y * 2 / 2 == 0)', 'any(l, y => y % 7 == 8)'),
  ...cases('+', TEXT, 's + u'),
  ...cases('*', OBJECTS, 'l.*.a.b', '$.*.*.k'),
  ...cases('*', MEMBERS, 'o.*'),
  ...cases('!', MEMBERS, '!o'),
  ...cases('[]', NUMBERS, 'any(l, x => [x, x, x] == 1)'),
]

/** A counting budget without a limit. */
class CountingBudget extends Budget {
  units = 0

  constructor() {
    super({ monotonic: () => 0, processor: () => 0 }, { deadlineMs: 0, bytes: Infinity })
  }

  override spend(units: number): void {
    this.units += units
  }
}

/** Processor time of this thread in nanoseconds. */
function processor(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) * 1000
}

/** The cost of a case in one way of running it. */
export interface Measured {
  readonly mode: 'compiled' | 'interpreted'
  /** Processor time of the fastest of several runs. */
  readonly nanoseconds: number
  /** Units of work charged in one run, the size of the expression included. */
  readonly units: number
  /** Bytes charged. */
  readonly bytes: number
}

/**
 * Measure a case in compiled and interpreted form.
 *
 * @internal
 */
export function measureCase({ of: name, expression, input }: ChargedCase, n: number, runs = 3): Measured[] {
  const parsed = parse(expression)
  if (parsed.kind === 'failed') throw new Error(`${expression}: ${parsed.problems[0]?.message ?? ''}`)
  const tree = parsed.expression
  const given = input(n)
  const variables = new Map<string, Value>()
  const policy = FUNCTIONS.get(name)?.numbers === 'decimal' ? { ...LENIENT, numbers: 'decimal' as const } : LENIENT
  const compiled = compile(tree, { policy })
  return [
    measured('compiled', sizeOf(tree), runs, (runtime) => compiled(given, variables, runtime)),
    measured('interpreted', 0, runs, (runtime) => interpret(tree, { input: given, variables, policy, runtime })),
  ]
}

function measured(mode: Measured['mode'], size: number, runs: number, run: (runtime: Runtime) => Value): Measured {
  let nanoseconds = Infinity
  let budget = new CountingBudget()
  for (let count = 0; count < runs; count++) {
    budget = new CountingBudget()
    const start = processor()
    run({ now: 0, budget })
    nanoseconds = Math.min(nanoseconds, processor() - start)
  }
  return { mode, nanoseconds, units: budget.units + size, bytes: budget.created }
}
