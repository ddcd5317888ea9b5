import { Budget, BudgetError } from '../budget.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { compile } from '../compiler.ts'
import { interpret } from '../interpreter.ts'
import { parse } from '../parser.ts'
import { seeded } from '../random.testing.ts'
import { EvaluationError, LENIENT, LIMITS, type Numbers } from '../runtime.ts'
import { typeOf, typeText } from '../types.ts'
import type { Value } from '../value.ts'
import { defined } from '../defined.ts'
import { DESCRIPTIONS } from './descriptions.ts'
import { FAMILIES } from './groups.ts'
import { FUNCTIONS } from './index.ts'
import { functionReference } from './reference.testing.ts'

/** A budget that ends after 500 clock readings, some ten million units of work, on every machine. */
function boundedBudget(): Budget {
  let looks = 0
  return new Budget({ monotonic: () => 0, processor: () => ++looks }, { deadlineMs: 0, turnMs: 500 })
}

const NOW = Date.UTC(2026, 10, 20, 10)

function evaluate(text: string, input: Value = {}, numbers: Numbers = 'double'): Value {
  const policy = { ...LENIENT, numbers }
  const parsed = parse(text, [], numbers)
  if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problems[0]?.message}`)
  const variables = new Map<string, Value>()
  const runtime = () => ({ now: NOW, budget: boundedBudget() })
  const outcome = (run: () => Value): { value?: Value; error?: string } => {
    try {
      return { value: run() }
    } catch (error) {
      if (error instanceof EvaluationError) return { error: `${error.code} ${error.span.start}: ${error.message}` }
      if (error instanceof BudgetError) return { error: error.reason }
      throw error
    }
  }
  const interpreted = outcome(() => interpret(parsed.expression, { input, variables, policy, runtime: runtime() }))
  expect(outcome(() => compile(parsed.expression, { policy })(input, variables, runtime()))).toEqual(interpreted)
  if (interpreted.error !== undefined) throw new Error(interpreted.error)
  return interpreted.value as Value
}

/** The value, or `code position: message`. */
function answer(text: string, input?: Value): Value {
  try {
    return evaluate(text, input)
  } catch (error) {
    return (error as Error).message
  }
}

test('each function has a description, in the order of the reference page', () =>
  expect(Object.keys(DESCRIPTIONS)).toEqual(FAMILIES.flatMap(({ functions }) => functions.map(({ name }) => name))))

test.each([...FUNCTIONS.values()])(
  '$name: the example holds and has the documented type',
  ({ name, returns, numbers }) => {
    const { example } = defined(DESCRIPTIONS[name])
    const value = evaluate(example.expression, example.input, numbers)
    expect(value).toEqual(example.value)
    const parsed = parse(example.expression)
    if (parsed.kind === 'parsed' && parsed.expression.kind === 'call' && parsed.expression.name === name)
      expect(typeText(typeOf(value) & returns)).toBe(typeText(typeOf(value)))
  },
)

const INPUT = {
  s: 'Grüße 💥',
  n: 7,
  list: [3, 1, 2],
  mixed: [1, 'a'],
  orders: [{ id: 1, total: 5 }, { id: 2 }, { id: 3, total: 20 }],
  big: 9007199254740993n,
  huge: 10n ** 308n,
  nothing: null,
  evil: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as Value,
}

describe.each<[family: string, rows: readonly (readonly [expression: string, value: Value])[]]>([
  [
    'text',
    [
      ['len(s)', 8],
      ['len(orders)', 3],
      ['len(evil)', 2],
      ['upper("straße")', 'STRASSE'],
      ['trim("\\t a \\n")', 'a'],
      ['substring("abcdef", -3)', 'def'],
      ['substring("abc", 2, 1)', ''],
      ['char_at("abc", -1)', 'c'],
      ['char_at("abc", 9)', null],
      ['index_of(list, 2)', 2],
      ['index_of("abc", "z")', -1],
      ['replace("a.b.c", ".", "$&")', 'a$&b$&c'],
      ['split("abc", "")', ['a', 'b', 'c']],
      ['split("", ",")', ['']],
      ['join([], ",")', ''],
      ['join(["a", "b"])', 'ab'],
      ['pad_left("abc", 2)', 'abc'],
      ['pad_right("a", 3, "")', 'a'],
      ['format("{0}{1}{0}", "a", [1])', 'a[1]a'],
      ['starts_with(nothing, "a")', false],
      ['contains(nothing, 1)', false],
      ['upper(nothing)', 'null-argument 6: `nothing` is missing or null: `upper` needs a string'],
      ['upper(first([]))', 'null-argument 6: argument 1 is missing or null: `upper` needs a string'],
      ['upper(n)', 'wrong-type 6: `upper` needs a string, found number'],
      ['join(mixed, ",")', 'wrong-type 5: `join` needs strings, found number at index 0'],
      ['format("{2}", 1)', 'bad-argument 7: `format`: there is no value for the placeholder `{2}`'],
    ],
  ],
  [
    'patterns',
    [
      ['matches("abc", "B")', false],
      ['matches("abc", "(?i)B")', true],
      ['regex_find("x", "abc")', null],
      ['regex_find_all("a*", "baa")', ['', 'aa', '']],
      ['regex_split(",", "")', ['']],
      ['regex_replace("a", "banana", "o")', 'bonono'],
      ['glob_match("*.txt", "a/b.txt")', false],
      ['glob_match("**/*.txt", "b.txt")', true],
      ['glob_match("[!a]?", "bc")', true],
      ['glob_match("a.c", "abc")', false],
      ['glob_match("\\\\*", "*")', true],
      ['matches(s, "(a+)+$")', false],
      ['matches(concat, "a")', false],
    ],
  ],
  [
    'numbers',
    [
      ['abs(-big)', 9007199254740993n],
      ['min("b", "a")', 'a'],
      ['min(5)', 5],
      ['max("a")', 'a'],
      ['max([])', null],
      ['min(mixed)', 'wrong-type 4: `min` needs only numbers, found string at index 1'],
      ['floor(-1.5)', -2],
      ['round(-2.5)', -3],
      ['round(1.005, 2)', 1.01],
      ['round(1250, -2)', 1300],
      ['round(1e21)', 1e21],
      ['round(-840.3702559726687, 13)', -840.3702559726687],
      ['round(5.8084999999999996, 3)', 5.808],
      ['round(0.49999999999999994)', 0],
      ['round(4503599627370497.5)', 4503599627370498],
      ['round(-2.675, 2)', -2.68],
      ['round(1234567.125, 2)', 1234567.13],
      ['round(123456789012.45, 1)', 123456789012.5],
      ['round(5e-324, 15)', 0],
      ['round(12345678901234567891, -1)', 12345678901234567890n],
      ['round(-12345678901234567895, -1)', -12345678901234567900n],
      ['round(9007199254740991, -3)', 9007199254741000n],
      ['round(15, -1)', 20],
      ['round(4, -1)', 0],
      ['round(2.675, 2, "half_even")', 2.68],
      ['round(2.5, 0, "half_even")', 2],
      ['round(2.5, 0, "half_down")', 2],
      ['round(-2.1, 0, "up")', -3],
      ['round(-2.9, 0, "down")', -2],
      ['round(-2.9, 0, "ceiling")', -2],
      ['round(2.1, 1, "floor")', 2.1],
      ['round(1250, -2, "half_even")', 1200],
      ['round(0.30000000000000004, 15, "up")', 0.300000000000001],
      ['round(2.5, 0, list)', 'wrong-type 14: `round` needs a string, found array'],
      [
        'round(2.5, 0, "half_evn")',
        'bad-argument 14: `round`: `half_evn` is not a rounding mode: did you mean `half_even`?',
      ],
      ['sqrt(-1)', 'not-finite 0: the result of `sqrt` is not a finite number'],
      ['pow(10, 400)', 'not-finite 0: the result of `pow` is not a finite number'],
      ['pow(3, 40)', 12157665459056928801n],
      ['pow(-3, 41)', -36472996377170786403n],
      ['pow(big, 2)', 81129638414606699710187514626049n],
      ['pow(10, 15)', 1000000000000000],
      ['pow(2, -1)', 0.5],
      ['pow(1.5, 2)', 2.25],
      ['pow(1e20, 2)', 1e40],
      ['pow(0, 0)', 1],
      ['pow(-1, 1e15)', 1],
      ['sum([])', 0],
      ['sum([0.5, 9007199254740992, -9007199254740993])', -1],
      ['sum([1e20])', 1e20],
      ['sum([1e16, 1])', 1e16],
      ['sum([1e308, 1e308])', 'not-finite 0: the result is beyond the largest number, about 1.8e308'],
      ['n in [1, 2, 3, 4, 7]', true],
      ['n not in [1, 2, 3, 4, 7]', false],
      ['n not in [1, 2, 3, 4, 5]', true],
      ['huge * 1', 10n ** 308n],
      ['huge * 2', 'not-finite 0: the result is beyond the largest number, about 1.8e308'],
      ['huge * -2', 'not-finite 0: the result is beyond the largest number, about 1.8e308'],
      ['avg([9007199254740993])', 9007199254740993n],
      ['avg([9007199254740993, 9007199254740995])', 9007199254740994n],
      ['avg([1, 2])', 1.5],
      ['sum([big, 1])', 9007199254740994n],
      ['sum([9007199254740991, 9007199254740991, -9007199254740991])', 9007199254740991],
      ['sum([0.1, 0.2])', 0.30000000000000004],
      ['sum(mixed)', 'wrong-type 4: `sum` needs numbers, found string at index 1'],
      ['avg([])', null],
    ],
  ],
  [
    'lists',
    [
      ['count(orders, o => o.total > 4)', 2],
      ['any([], x => true)', false],
      ['all([], x => false)', true],
      ['find(orders, o => o.id == 9)', null],
      ['first([])', null],
      ['distinct([1, "1", 1.0, [1], [1], {"a": 1}, {"a": 1}])', [1, '1', [1], { a: 1 }]],
      ['sort(["b", "a"])', ['a', 'b']],
      ['sort(orders, o => -o.id)', [{ id: 3, total: 20 }, { id: 2 }, { id: 1, total: 5 }]],
      ['sort(mixed)', 'wrong-type 5: `sort` needs only numbers or only strings, found string at index 1'],
      ['slice(list, -2)', [1, 2]],
      ['range(5, 0, -2)', [5, 3, 1]],
      ['range(0.5, 3)', [1, 2]],
      ['range(0, 2.5)', [0, 1, 2]],
      ['range(2.5, -0.5, -1)', [2, 1, 0]],
      ['range(0, 1, 0)', 'bad-argument 12: `range`: the step must be a whole number other than 0'],
      ['range(0, 5, 1.5)', 'bad-argument 12: `range`: the step must be a whole number other than 0'],
      ['map_extract(orders, "total")', [5, null, 20]],
      ['group_by(orders, "missing")', { null: [{ id: 1, total: 5 }, { id: 2 }, { id: 3, total: 20 }] }],
      ['list', [3, 1, 2]],
    ],
  ],
  [
    'objects and types',
    [
      ['keys(evil)', ['__proto__', 'constructor']],
      ['keys({"b": 1, "2": 1, "1": 1})', ['1', '2', 'b']],
      ['has_key(evil, "toString")', false],
      ['object_get({"a": null}, "a", 1)', null],
      ['merge({}, evil)', INPUT.evil],
      ['to_int("12abc")', 'bad-argument 7: `to_int`: `12abc` is not a number'],
      ['to_int("9007199254740993")', 9007199254740993n],
      [
        'to_number(nothing)',
        'null-argument 10: `nothing` is missing or null: `to_number` needs a number, string or boolean',
      ],
      ['to_string(big)', '9007199254740993'],
      ['to_bool(nothing)', false],
      ['type(nothing)', 'null'],
    ],
  ],
  [
    'time',
    [
      ['now()', '2026-11-20T10:00:00.000Z'],
      ['now_millis()', NOW],
      ['date(now_millis())', '2026-11-20T10:00:00.000Z'],
      [
        'date("2024-02-30")',
        'bad-argument 5: `date`: `2024-02-30` is not a date or time such as `2026-11-20` or `2026-11-20T10:00:00Z`',
      ],
      ['date_add("2026-03-28T12:00:00Z", 1, "day", "Europe/Berlin")', '2026-03-29T11:00:00.000Z'],
      ['date_add("2026-01-01", 36, "hours")', '2026-01-02T12:00:00.000Z'],
      ['date_add("2026-01-01", 1e12, "years")', 'bad-argument 9: `date_add`: the result is out of range'],
      [
        'date_add("2026-01-01", 1, "fortnight")',
        'bad-argument 26: `date_add`: `fortnight` is not a unit: use years, months, weeks, days, hours, minutes, seconds, milliseconds',
      ],
      ['date_diff("2026-01-01", "2026-01-31", "days")', -30],
      ['date_diff("2024-03-31", "2024-02-29", "months")', 1],
      ['hour("2026-11-20T23:30:00Z", "Asia/Tokyo")', 8],
      ['day_of_week("2026-11-22")', 7],
      ['format_date("2026-11-22T07:08:09Z", "YYYYMMDDTHHmmssZ")', '20261122T070809Z'],
      ['format_date("2026-11-22T07:08:09Z", "am DD.MM., HH h mm: SSS ms")', 'am 22.11., 07 h 08: 000 ms'],
      ...[
        ['MMMM D, YYYY', 'MMMM'],
        ['D.MM.YYYY', 'D'],
        ['yyyy-MM-dd', 'yyyy'],
        ['DD/MM/YY', 'YY'],
        ['YYYYMMMDD', 'YYYYMMMDD'],
        ['hh:mm', 'hh'],
        ['EEEE', 'EEEE'],
      ].map(([pattern, word]): [string, Value] => [
        `format_date("2026-11-22", "${pattern}")`,
        `bad-argument 26: \`format_date\`: \`${word}\` is no part of a pattern: the parts are \`YYYY\`, \`MM\`, \`DD\`, \`HH\`, \`mm\`, \`ss\`, \`SSS\``,
      ]),
      [
        'year("2026-01-01", "Mars/Base")',
        'bad-argument 19: `year`: `Mars/Base` is not a time zone such as `Europe/Berlin`',
      ],
    ],
  ],
  [
    'networks, versions, encodings',
    [
      ['cidr_contains("2001:db8::/32", "2001:db8::1")', true],
      ['cidr_contains("10.0.0.0/8", "::ffff:10.0.0.1")', true],
      ['cidr_contains("10.0.0.0/8", "11.0.0.1")', false],
      ['cidr_contains("0.0.0.0/0", "::1")', false],
      ...['010.0.0.1', '10.0.0.01', '::ffff:010.0.0.1', 'fe80::1%eth0', '10.0.0.0/8', '10.0.0.1/32', '0x0a.0.0.1'].map(
        (ip): [string, Value] => [
          `cidr_contains("10.0.0.0/8", "${ip}")`,
          `bad-argument 28: \`cidr_contains\`: \`${ip}\` is not an address such as \`10.1.2.3\``,
        ],
      ),
      ...['010.0.0.0/8', '10.0.0.0/08', '10.0.0.0/8/8', 'fe80::%eth0/10'].map((network): [string, Value] => [
        `cidr_intersects("${network}", "10.0.0.1")`,
        `bad-argument 16: \`cidr_intersects\`: \`${network}\` is not an address or network such as \`10.0.0.0/8\``,
      ]),
      [
        'cidr_contains("10.1", "10.0.0.1")',
        'bad-argument 14: `cidr_contains`: `10.1` is not an address or network such as `10.0.0.0/8`',
      ],
      ['cidr_intersects("10.0.0.0/9", "10.128.0.0/9")', false],
      ['semver_compare("1.0.0-alpha", "1.0.0")', -1],
      ['semver_is_valid("v1.0.0")', false],
      ['base64_decode(base64_encode(s))', 'Grüße 💥'],
      // U+FEFF is a character like any other.
      ['base64_decode("77u/YQ==")', '\ufeffa'],
      ['base64_decode("/w==")', 'bad-argument 14: `base64_decode`: `base64_decode` cannot decode `/w==`'],
      ['base64_decode("%%")', 'bad-argument 14: `base64_decode`: `base64_decode` cannot decode `%%`'],
      ['hex_decode(hex_encode(s))', 'Grüße 💥'],
      ['url_decode(url_encode(s))', 'Grüße 💥'],
      [
        'json_unmarshal("[1,")',
        'bad-argument 15: `json_unmarshal`: expected a value, found the end of the text (line 1, column 4)',
      ],
      ['json_unmarshal(json_marshal(orders)) == orders', true],
    ],
  ],
  [
    'the functions of the origin of the specification',
    [
      ['sprintf("%s is %d %% of %v, %f", ["a", 1.5, [1]])', 'a is 1.5 %% of [1], %f'],
      ['sprintf("%x %s", ["a", "b"])', '%x a'],
      ['sprintf("%s", nothing)', 'null-argument 14: `nothing` is missing or null: `sprintf` needs a list'],
      ['graph_reachable({"a": ["b", "c"], "b": ["a", "d"], "e": []}, ["a", "z"])', ['a', 'z', 'b', 'c', 'd']],
      ['graph_reachable({}, [])', []],
      ['graph_reachable({"a": [1]}, ["a"])', 'wrong-type 16: `graph_reachable` needs strings, found number at index 0'],
      ['graph_reachable(evil, ["__proto__"])', 'wrong-type 16: `graph_reachable` needs a list, found object'],
      ['base64url_decode(base64url_encode(s))', 'Grüße 💥'],
      ['base64url_encode("~~~?")', 'fn5-Pw'],
      ['base64url_decode("fn5-Pw==")', '~~~?'],
      ['base64url_decode("fn5+Pw")', 'bad-argument 17: `base64url_decode`: `base64url_decode` cannot decode `fn5+Pw`'],
      ['parse_time("2024-01-15 10:30:00", "%Y-%m-%d %H:%M:%S")', 1_705_314_600],
      ['parse_time("1969-12-31T23:59:59", "%FT%T")', -1],
      ['parse_time("5 feb 99 12:07 AM", "%e %b %y %I:%M %p")', Date.UTC(1999, 1, 5, 0, 7) / 1000],
      [
        'parse_time("2024 060 23", "%Y %j %H%M")',
        'bad-argument 11: `parse_time`: `2024 060 23` is not a date and time in the format `%Y %j %H%M`',
      ],
      ['parse_time("2024 060 23:00", "%Y %j %R")', Date.UTC(2024, 1, 29, 23) / 1000],
      ['parse_time("2024-02-29 10:00 +0530", "%F %R %z")', Date.UTC(2024, 1, 29, 4, 30) / 1000],
      ['parse_time("Thursday 2024-02-29 10:00:00.123456", "%A %F %T.%f")', Date.UTC(2024, 1, 29, 10) / 1000],
      ['parse_time("86400", "%s")', 86_400],
      ...['2024-02-30 10:00', '2024-02-29 24:00', '2024-02-29', '2024-02-29 10:00 x', '24-2-29 10:00'].map(
        (text): [string, Value] => [
          `parse_time("${text}", "%F %R")`,
          text === '24-2-29 10:00'
            ? Date.parse('0024-02-29T10:00:00Z') / 1000
            : `bad-argument 11: \`parse_time\`: \`${text}\` is not a date and time in the format \`%F %R\``,
        ],
      ),
      [
        'parse_time("Monday 2024-02-29 10:00", "%A %F %R")',
        'bad-argument 11: `parse_time`: `Monday 2024-02-29 10:00` is not a date and time in the format `%A %F %R`',
      ],
      [
        'parse_time("x", format("%{0}", "Q"))',
        'bad-argument 16: `parse_time`: `%Q` is not a directive: use %Y %y %m %b %h %B %d %e %j %a %A %H %I %p %M %S %f %z %s %F %T %R %D',
      ],
      [
        'format_time(0, "%a %b %e %T %Y %y %j %p %I %f %s %z %% %D")',
        'Thu Jan  1 00:00:00 1970 70 001 AM 12 000000000 0 +0000 % 01/01/70',
      ],
      ['format_time(-1.9, "%F %T")', '1969-12-31 23:59:59'],
      ['format_time(now(), "%F")', '2026-11-20'],
      ['format_time(9e12, "%F")', 'bad-argument 12: `format_time`: the date is out of range'],
      ['time_diff("2026-11-20T10:00:00Z", "2026-11-18T11:00:00Z", "d")', 1],
      ['time_diff(0, 90, "minutes")', -1],
      ['time_diff(0, 1, "h")', 0],
      [
        'time_diff(0, 1, pad_left("", 1, "w"))',
        'bad-argument 16: `time_diff`: `w` is not a unit: use seconds, minutes, hours, days, s, m, h, d',
      ],
      ['time_of_day("2026-11-20T23:59:59+01:00")', '22:59:59'],
      ['time_of_day(1e12)', '01:46:40'],
      ['jwt_decode(jwt_encode(orders.1, "k", "HS512")) == orders.1', true],
      ['jwt_verify(jwt_encode({}, "k", "HS384"), "k", "HS384")', true],
      ['jwt_verify(jwt_encode({}, "k", "HS384"), "k")', false],
      ['jwt_verify(jwt_encode({}, "k") + "x", "k")', false],
      ['jwt_verify("eyJhbGciOiJub25lIn0.e30.", "")', false],
      ['jwt_verify(s, "k") || jwt_verify("a.b.c", "k") || jwt_verify("..", "k")', false],
      ['jwt_verify(nothing, "k")', false],
      ['jwt_encode(list, "k")', 'wrong-type 11: `jwt_encode` needs an object, found array'],
      [
        'jwt_encode({}, "k", upper("rs256"))',
        'bad-argument 20: `jwt_encode`: `RS256` is not an algorithm: use HS256, HS384, HS512',
      ],
      ['jwt_decode("a.b")', 'bad-argument 11: `jwt_decode`: `a.b` is not a JSON Web Token'],
    ],
  ],
])('%s', (_family, rows) => {
  test.each(rows)('%s', (expression, value) => expect(answer(expression, INPUT)).toEqual(value))
})

test.each([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
])('tokens signed by %s are what the cryptography of the platform makes', (algorithm, digest) => {
  for (const secret of ['', 'k', 'ü'.repeat(64), 'long'.repeat(100)]) {
    const token = evaluate(`jwt_encode({"sub": "ada", "n": [1, 2]}, "${secret}", "${algorithm}")`) as string
    const [header = '', payload = '', signature] = token.split('.')
    expect(createHmac(digest, secret).update(`${header}.${payload}`).digest('base64url')).toBe(signature)
    expect(Buffer.from(payload, 'base64url').toString()).toBe('{"sub":"ada","n":[1,2]}')
    expect(evaluate(`jwt_verify("${token}", "${secret}", "${algorithm}")`)).toBe(true)
    for (const changed of [`${header}.${payload}A.${signature}`, token.slice(0, -2), `${token}.a`])
      expect(evaluate(`jwt_verify("${changed}", "${secret}", "${algorithm}")`), changed).toBe(false)
  }
})

test('every instant is read again as it was printed', () => {
  const random = seeded(3)
  for (let count = 0; count < 500; count++) {
    const seconds = Math.floor(-62e9 + random.below(31_400) * 1e7 + random.below(1e7))
    for (const format of ['%F %T', '%A %d %B %Y %I:%M:%S %p', '%Y/%j %H.%M.%S', '%a, %e %b %Y %T %z', '%s'])
      expect(evaluate(`parse_time(format_time(${seconds}, "${format}"), "${format}")`), `${seconds} ${format}`).toBe(
        seconds,
      )
  }
})

describe('what one execution may create is bounded', () => {
  test.each([
    ['pad_left("a", 2000000)', 'value-too-large'],
    ['range(0, 1e15)', 'value-too-large'],
    ['replace(pad_left("", 1000, "a"), "a", pad_left("", 2000, "b"))', 'value-too-large'],
    ['regex_replace("", pad_left("", 100000, "a"), pad_left("", 100, "b"))', 'value-too-large'],
    ['format("{0}{0}{0}", pad_left("", 400000))', 'value-too-large'],
    ['len(map(range(0, 200), x => pad_left("", 1000000)))', 'memory'],
    ['any(range(0, n * 100000), a => any(range(0, n * 1000), b => false))', 'turn'],
    ['array_concat(range(0, 600000), range(0, 600000))', 'value-too-large'],
  ])('%s', (expression, code) => expect(answer(expression, INPUT)).toMatch(code))

  test('the bounds are what the documentation says', () => {
    expect(LIMITS).toEqual({ value: 2 ** 20, members: 100_000 })
  })
})

test('docs/functions.md is what the definitions say (ENGINE_WRITE_DOCS=1 writes it)', () => {
  const page = new URL('../../../../docs/functions.md', import.meta.url)
  if (process.env['ENGINE_WRITE_DOCS'] === '1') writeFileSync(page, functionReference())
  expect(readFileSync(page, 'utf8')).toBe(functionReference())
})
