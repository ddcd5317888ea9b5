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
const [, table = ''] = page.split('| function of ZEN | here |\n|---|---|\n')
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
7 % -3
\`a\${x}b\${1 + 1}\`
`
    .trim()
    .split('\n'),
)('%s is computed as by the engine of GoRules', (text) => {
  const { rulesets, lost } = imported(text)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [ruleset] = rulesets
  if (ruleset === undefined) throw new Error('nothing was imported')
  const decided = executable(ruleset.ruleset)(CONTEXT)
  const expected = evaluateExpressionSync(text, CONTEXT) as Value
  expect(decided).toMatchObject({ kind: 'decided', output: { y: expected } })
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
