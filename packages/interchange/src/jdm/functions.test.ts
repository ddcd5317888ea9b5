import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Value } from '@engine/expression'
import { evaluateExpressionSync } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { executable } from '../execute.testing.ts'
import { fromJdm } from './from-jdm.ts'
import { ZEN_CLOSURES, ZEN_FUNCTIONS } from './zen/functions.ts'

/** The functions that GoRules publishes for ZEN. */
const PUBLISHED =
  `len upper lower trim startsWith endsWith contains matches extract fuzzyMatch split abs sum avg min max
  median mode floor ceil round trunc rand isNumeric string number bool type date time duration year dayOfWeek dayOfMonth
  dayOfYear weekOfYear monthOfYear monthString dateString weekdayString startOf endOf d all some none one filter map
  flatMap count keys values flatten merge mergeDeep`.split(/\s+/)

const page = readFileSync(join(import.meta.dirname, '../../../../docs/platform/imports.md'), 'utf8')
const [, table = ''] = page.split('| function of ZEN | imported as |\n|---|---|\n')
const rows = new Map(
  (table.split('\n\n')[0] ?? '').split('\n').map((line): [string, string] => {
    const [, name = '', here = ''] = /^\| `(\w+)` \| (.*) \|$/.exec(line) ?? []
    return [name, here]
  }),
)

test('the page has each function that GoRules publishes, as translated or as refused', () => {
  expect([...rows.keys()].sort()).toEqual([...PUBLISHED].sort())
  for (const [name, here] of rows)
    expect([name, here === 'refused']).toEqual([name, !ZEN_FUNCTIONS.has(name) && !ZEN_CLOSURES.has(name)])
})

test.each([...rows].filter(([, here]) => here === 'refused'))('%s is refused at its place', (name) => {
  const { lost } = imported(`${name}(x)`)
  expect(lost).toContainEqual(
    expect.objectContaining({
      path: '/nodes/1/content/expressions/0/value',
      code: 'no-counterpart',
      severity: 'error',
    }),
  )
})

const CONTEXT = {
  t: '2025-03-20T10:30:00Z',
  n: 1_742_466_600,
  x: 5,
  s: 'abc',
  l: [1, 2, 3],
  deep: [1, [2, [3]], 'a'],
  o: { a: 1, b: { c: 2 } },
  nothing: null,
  yes: true,
}

test.each(
  `
date(t)
date(n)
date('2025-03-20')
date('2025-03-20 10:30:00')
date('2025-03-20T10:30:00+02:00')
date(t) - date('2025-03-19')
time('10:30')
time('10:30:15')
duration('1h')
duration('1d 2h')
duration(5)
year(t)
year(n)
monthOfYear(t)
dayOfMonth(t)
dayOfYear(t)
dayOfYear('2024-12-31')
dayOfWeek(t)
dayOfWeek('2025-03-23')
monthString(t)
weekdayString(t)
dateString(t)
dateString(n)
number('12')
number('12.50')
number(' 12')
number(yes)
number(5)
bool(x > 1)
bool(1 + 1)
bool(x - 5 + 0)
type(1)
type(s)
type(yes)
type(nothing)
type(l)
type(o)
type(missing)
flatten(deep)
split(s, 'b')
split(s, 'bc')
l[0:1]
l[1:2]
s[0:1]
s[1:2]
l[x - 4]
l[x]
o['a']
o[s]
o['b'].c
missing[s]
map([1..3], # * 2)
map([1..4), #)
map((1..4], #)
filter(l, o['a'] == #)
0.1 + 0.2
1.10 * 3
median(l)
median([4, 1, 3, 2])
isNumeric('12')
isNumeric('+1.5e3')
isNumeric(' .5 ')
isNumeric('abc')
isNumeric('')
isNumeric(s)
isNumeric(x)
isNumeric(yes)
isNumeric(nothing)
weekOfYear(t)
weekOfYear('2024-12-31')
startOf(t, 'day')
startOf(t, 'week')
startOf(n, 'month')
endOf(t, 'year')
endOf(t, 'week')
endOf(n, 'hour')
merge([o, {a: 2, z: 1}])
merge([o, nothing, missing])
merge([l, [9]])
extract(s, 'b')
extract(s, 'x')
extract(s, '[ab]+')
bool(s)
bool('true')
bool('True')
bool(yes)
bool(nothing)
bool(l)
bool(o)
bool(x)
bool(missing)
x ^ -2
2 ^ x
(1 + x) ^ 3
a = 5; b = a * 2; a + b
x = 9; x + $root.x
one = o; one.b.c
map(l as item, item * 2 + #)
map(l as item, map(l as other, item * other))
filter(l as item, item > 1)
d(t)
d('2025-03-20')
d('2025-03-20 10:30')
d('2025-03-20 10:30:15')
d('2025-03-20T10:30:00+02:00')
d(1742466600000)
d('2025-03-20', 'UTC')
d(d(t))
type(d(t))
[d(t)]
{at: d(t)}
d(t).add('1d')
d(t).add('1d 5h 3m')
d('2025-01-30').add('1M 1d')
d('2025-07-01').sub('1M 2d')
d(t).add(x, 'days')
d(t).add(-1, 'month')
d('2025-01-31').add(1, 'M')
d('2025-01-31').add('1M')
d('2025-01-31').add('1m')
d('2025-01-31').add(1, 'quarter')
d('2025-01-31').sub(2, 'y')
d(t).sub('24h')
d(t).diff(d('2025-01-31'))
d(t).diff('2025-01-31', 'day')
d(t).diff(d('2025-01-31'), 'month')
d('2025-01-31').diff(d(t), 'month')
d(t).diff(d('2023-03-21'), 'year')
d(t).diff(d('2024-01-31'), 'quarter')
d(t).diff(d('2025-01-31'), 'week')
d(t).diff(nothing, 'day')
d(nothing).diff(t, 'day')
d(t).isBefore(d('2025-03-21'))
d(t).isBefore('2025-03-20')
d(t).isAfter('2025-03-20', 'day')
d(t).isSame('2025-03-01', 'month')
d(t).isSame('2025-03-18', 'week')
d(t).isSame('2025-03-16', 'week')
d(t).isSame('2025-01-16', 'quarter')
d(t).isSameOrBefore('2025-03-20', 'day')
d(t).isSameOrAfter(d(t))
d(nothing).isBefore(t)
not d(nothing).isBefore(t)
d(t).isAfter(nothing)
d(t) < d('2025-03-21')
d(t) == d('2025-03-20 10:30')
d(t) != d(t)
d(t) >= d('2025-03-21')
d(t).year()
d(t).quarter()
d(t).month()
d(t).day()
d(t).weekday()
d('2025-03-23').weekday()
d(t).dayOfYear()
d(t).hour()
d(t).minute()
d('2025-03-20 10:30:15').second()
d(t).timestamp()
d(nothing).year()
d(missing).hour()
d(t).isLeapYear()
d('2024-03-01').isLeapYear()
d().isToday()
d(t).isToday()
d().add('1d').isTomorrow()
d().sub('1d').isYesterday()
d(t).startOf('day')
d(t).startOf('week')
d(t).startOf('month')
d(t).startOf('quarter')
d('2025-08-20').startOf('quarter')
d(t).startOf('year')
d(t).startOf('hour')
d(t).endOf('day')
d(t).endOf('month')
d(t).endOf('quarter')
d(t).endOf('year').timestamp()
d(t).set('year', 2026)
d(t).set('year', 1)
d(t).set('year', 9999)
d(t).set('month', 12)
d(t).set('day', 28)
d(t).set('hour', 0)
d(t).set('hour', 23)
d(t).set('minute', 0)
d(t).set('second', 59)
d(t).set('month', 6)
d(t).set('day', 1)
d(t).set('hour', 1)
d(t).set('minute', 59)
d(t).set('second', 1)
d(t).format()
d(t).format('%Y-%m-%d')
d(t).format('%d.%m.%Y %H:%M:%S')
d(t).format('%A %a %B %b %y %j %I %p %F %T')
d(t).tz('Europe/Berlin').hour()
d('2025-03-20').tz('America/New_York').day()
d(t).tz('Europe/Berlin').format('%d.%m.%Y %H:%M')
d('2025-03-20 10:30:15').tz('Europe/Berlin').format('%F %H:%M:%S')
d(t).tz('Europe/Berlin').diff(d('2025-03-20'), 'hour')
d(t).tz('Europe/Berlin').isAfter(d('2025-03-20'))
d(nothing).isSame(t, 'quarter')
7 % -3
2 ^ 3 ^ 2
10 - 3 - 2
2 + 3 * 4 - 1
12 / 2 / 3
5 not in [1, 2]
x not in [5] or x > 6
1 < 2 and 2 > 3 or 1 == 1
\`a\${x}b\${1 + 1}\`
`
    .trim()
    .split('\n')
    .concat(comparisonsByQuarter()),
)('%s is computed as by the engine of GoRules', (text) => {
  const { rulesets, lost } = imported(text)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [ruleset] = rulesets
  if (ruleset === undefined) throw new Error('nothing was imported')
  const decided = executable(ruleset.ruleset)(CONTEXT)
  const expected = evaluateExpressionSync(text, CONTEXT) as Value
  expect(decided).toMatchObject({ kind: 'decided', output: { y: expected } })
})

/** The methods that GoRules documents for dates, and those of its engine. */
const METHODS =
  `add sub set format tz diff startOf endOf isBefore isAfter isSame isSameOrBefore isSameOrAfter isValid isToday isYesterday
  isTomorrow isLeapYear year quarter month day weekday dayOfYear hour minute second timestamp offsetName`.split(/\s+/)

test('the page has each method of dates', () => {
  const [, methods = ''] = page.split('| method | imported as |\n|---|---|\n')
  const names = [...(methods.split('\n\n')[0] ?? '').matchAll(/`(\w+)`(?=[^|]*\|[^|]+\|$)/gm)].map(([, name]) => name)
  expect(new Set(names)).toEqual(new Set(METHODS))
})

test.each([
  ["d('2025-03-20').year()", 'year("2025-03-20")'],
  ['d().year()', 'year(now())'],
  ["year('now')", 'to_number(format_time(now(), "%Y"))'],
  ["dateString('now')", 'format_time(now(), "%F %T")'],
])('%s is not tested for null', (text, value) => {
  expect(imported(text).rulesets[0]?.ruleset.steps).toMatchObject([{ assignments: [{ value }] }, {}])
})

test.each([
  ["x > 1 and s == 'a'", 'x > 1 && s == "a"'],
  ["x > 1 or s == 'a'", 'x > 1 || s == "a"'],
  ['x > 1 and yes', 'x > 1 ? yes : false'],
])('the text of %s is %s', (text, value) => {
  expect(imported(text).rulesets[0]?.ruleset.steps).toMatchObject([{ assignments: [{ value }] }, {}])
})

test.each([
  ['x / y', 'y == 0 ? null : x / y'],
  ['x / 2', 'x / 2'],
  ['x / 0', '0 == 0 ? null : x / 0'],
  ['x / y > 1', '(y == 0 ? null : x / y) > 1'],
  ["x / y == 1 ? 'a' : 'b'", '(y == 0 ? null : x / y) == 1 ? "a" : "b"'],
  ['(x / y) / z', 'z == 0 ? null : (y == 0 ? null : x / y) / z'],
])('the quotient %s is null for a division by zero', (text, value) => {
  const { rulesets, lost } = imported(text)
  expect(rulesets[0]?.ruleset.steps).toMatchObject([{ assignments: [{ value }] }, {}])
  expect(lost.map(({ code }) => code)).toEqual(['decimals'])
})

test.each([
  'd(t).isValid()',
  'd(t).offsetName()',
  "d(t).endOf('week')",
  "d(t).set('day', 31)",
  "d(t).set('day', x)",
  "d(t).set('year', 0)",
  "d(t).set('year', 10000)",
  "d(t).set('month', 0)",
  "d(t).set('month', 13)",
  "d(t).set('hour', 24)",
  "d(t).set('minute', 60)",
  "d(t).set('week', 1)",
  'd(t).add(s)',
  "d(t).add('1M 1y')",
  "d(t).add(1, 'fortnight')",
  "d(t).add(1, 'day', 2)",
  "d(t).format('%c')",
  'd(t).format(s)',
  "d(t).tz('Europe/Berlin')",
  "d(t).tz('Europe/Berlin').add('1d')",
  'd(t).tz(s)',
  "d(t).tz('Europe/Berlin').format('%A')",
  "d('2025-03-20', 'Europe/Berlin')",
  "d('tomorrow')",
  'd(null)',
  "'on ' + d(t)",
  '`on ${d(t)}`',
  'string(d(t))',
  'd(t) - d(t)',
  'd(t) == t',
  'd(t) > 5',
  'd(t) in [t]',
  'd(t).unknown()',
  'x as y',
  "split(s, '')",
  'split(s, s)',
  'merge(l)',
  'merge([[1], o, {a: 1}])',
  "extract(s, '(a)')",
  "'a' < 5",
])('%s is refused', (text) => {
  expect(imported(text).lost.map(({ severity }) => severity)).toContain('error')
})

test('a template that ends within a value is refused with the place of the value', () => {
  expect(imported('x + `ab${x`').lost.map(({ message }) => message)).toEqual([expect.stringContaining('(character 8)')])
})

function imported(value: string) {
  return fromJdm({
    nodes: [
      { id: 'in', type: 'inputNode', name: 'in' },
      { id: 'a', type: 'expressionNode', name: 'a', content: { expressions: [{ id: 'e', key: 'y', value }] } },
    ],
    edges: [{ id: 'e1', sourceId: 'in', targetId: 'a', type: 'edge' }],
  })
}

/** From the last days of months, which not every month of their quarter has. */
function comparisonsByQuarter(): string[] {
  const methods = ['isSame', 'isBefore', 'isAfter', 'isSameOrBefore', 'isSameOrAfter']
  const days = ['2025-01-31', '2025-05-31', '2025-07-31', '2025-08-31', '2025-10-31']
  return days.flatMap((day) =>
    methods.flatMap((method) =>
      ['2025-02-01', '2025-08-30', day].map((other) => `d('${day}').${method}('${other}', 'quarter')`),
    ),
  )
}
