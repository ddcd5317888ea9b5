import { type ObjectValue, stringifyJson } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { action, decision, rulesetOf } from './reports.testing.ts'
import { type Counterfactual, type WhyNotOptions, whyNot } from './why-not.ts'

function ruleset(
  config: ObjectValue,
  decisions: readonly (readonly [condition: string, next: string, otherwise: string])[],
) {
  const end = (code: string) => ({ id: code, type: 'terminal', result: { code, message: '' } })
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'd0', ...config },
    steps: {
      ...Object.fromEntries(
        decisions.map(([condition, next_step, default_next], index) => [
          `d${index}`,
          { id: `d${index}`, type: 'decision', branches: [{ condition, next_step }], default_next },
        ]),
      ),
      X: end('X'),
      N: end('N'),
    },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

test.each([
  [
    'by a branch',
    ruleset({ max_depth: 3 }, [
      ['a > 1', 'd1', 'N'],
      ['b > 1', 'X', 'd0'],
    ]),
  ],
  [
    'by defaults',
    ruleset({ max_depth: 3 }, [
      ['a <= 1', 'N', 'd1'],
      ['b <= 1', 'd0', 'X'],
    ]),
  ],
  [
    'behind an action',
    rulesetOf(
      {
        d: decision([['a > 1', 'e']], 'N'),
        e: action({ v: '1' }, 'f'),
        f: decision([['b > 1', 'X']], 'd'),
      },
      { max_depth: 4 },
    ),
  ],
])('a result is reached %s in a loop by the last step that the depth allows', (_title, one) => {
  const found = whyNot(one, { a: 0, b: 0 }, { code: 'X' })
  expect(found).toMatchObject({ verdict: 'found', fewest: 'proved' })
  expect(found.changes.map(({ path }) => path).toSorted()).toEqual(['a', 'b'])
})

test('the search ends with its budget', () => {
  const one = ruleset({}, [['a > 1 && b > 1 && c > 1', 'X', 'N']])
  expect(whyNot(one, { a: 0, b: 0, c: 0 }, { code: 'X', budget: 1 })).toMatchObject({
    verdict: 'unknown',
    reason: 'the search took longer than its budget',
  })
})

/** One decision that has the result X for each of some conditions. */
const table = (...conditions: readonly string[]): ObjectValue => ({
  d: decision(
    conditions.map((condition) => [condition, 'X'] as const),
    'N',
  ),
})

/** A counterfactual in one line. */
function lineOf({ verdict, changes, witness, fewest, reason }: Counterfactual): string {
  const textOf = (value: ObjectValue[string] | undefined) => (value === undefined ? 'nothing' : stringifyJson(value))
  const texts = changes.map(({ path, from, to }) => `${path}: ${textOf(from)} > ${textOf(to)}`)
  const why = reason === undefined ? '' : `, ${reason}`
  return `${verdict} (${fewest})${why}: ${texts.join(', ')}${witness === undefined ? '' : ` <- ${stringifyJson(witness.input)}`}`
}

test.each<
  [
    what: string,
    line: string,
    steps: ObjectValue,
    input: ObjectValue,
    options?: Partial<WhyNotOptions>,
    config?: ObjectValue,
  ]
>([
  ['a limit above', 'found (proved): n: 1 > 5.01 <- {"n":5.01}', table('n > 5'), { n: 1 }],
  ['a limit above, at it', 'found (proved): n: 1 > 5 <- {"n":5}', table('n >= 5'), { n: 1 }],
  ['a limit below', 'found (proved): n: 9 > 4.99 <- {"n":4.99}', table('n < 5'), { n: 9 }],
  ['a limit below, at it', 'found (proved): n: 9 > 5 <- {"n":5}', table('n <= 5'), { n: 9 }],
  ['an interval above', 'found (proved): n: 1 > 5.01 <- {"n":5.01}', table('n > 5 && n < 7'), { n: 1 }],
  ['an interval below', 'found (proved): n: 9 > 6.99 <- {"n":6.99}', table('n > 5 && n < 7'), { n: 9 }],
  ['a narrow interval', 'found (proved): n: 1 > 5.0001 <- {"n":5.0001}', table('n > 5 && n < 5.001'), { n: 1 }],
  ['an exact value', 'found (proved): n: 1 > 7 <- {"n":7}', table('n == 7'), { n: 1 }],
  ['the nearer of two intervals', 'found (proved): n: 1 > -3.01 <- {"n":-3.01}', table('n > 100', 'n < -3'), { n: 1 }],
  [
    'the nearest of three intervals, behind a bound that it excludes',
    'found (proved): n: 1 > 50.01 <- {"n":50.01}',
    table('n > 100', 'n > 50 && n < 60', 'n < -70'),
    { n: 1 },
  ],
  ['the nearest of points', 'found (proved): n: 1 > 5 <- {"n":5}', table('n in [-9, 11, 5]'), { n: 1 }],
  ['a number rather than a far one', 'found (proved): n: 7 > 6 <- {"n":6}', table('n >= 1e9', 'n <= 6'), { n: 7 }],
  ['a text', 'found (proved): s: "a" > "b" <- {"s":"b"}', table('s == "b"'), { s: 'a' }],
  ['a text instead of a number', 'found (proved): s: 5 > "b" <- {"s":"b"}', table('s == "b"'), { s: 5 }],
  ['true', 'found (proved): f: false > true <- {"f":true}', table('f'), { f: false }],
  ['a missing field', 'found (proved): n: 1 > nothing <- {"m":2}', table('!exists(n)'), { n: 1, m: 2 }],
  [
    'a missing member',
    'found (proved): o.n: 1 > nothing <- {"o":{"m":2}}',
    table('!exists(o.n)'),
    { o: { n: 1, m: 2 } },
  ],
  ['a new member', 'found (proved): o.n: nothing > 3 <- {"o":{"m":2,"n":3}}', table('o.n == 3'), { o: { m: 2 } }],
  ['a new member of nothing', 'found (proved): o.n: nothing > 3 <- {"o":{"n":3}}', table('o.n == 3'), {}],
  ['an item', 'found (proved): l[1]: 2 > 3 <- {"l":[1,3]}', table('l[1] == 3'), { l: [1, 2] }],
  ['a list', 'found (proved): l: [1,2] > [3] <- {"l":[3]}', table('contains(l, 3)'), { l: [1, 2] }],
  ['null', 'found (proved): n: 5 > nothing <- {}', table('is_null(n)'), { n: 5 }],
  [
    'two fields',
    'found (proved): n: 1 > 5.01, m: 1 > 5.01 <- {"n":5.01,"m":5.01}',
    table('n > 5 && m > 5'),
    { n: 1, m: 1 },
  ],
  ['one of two fields', 'found (proved): n: 1 > 5.01 <- {"n":5.01,"m":9}', table('n > 5 && m > 5'), { n: 1, m: 9 }],
  [
    'one field in two ways',
    'found (proved): n: 1 > 5.01 <- {"n":5.01,"m":1,"k":1}',
    table('n > 5 || (m > 5 && k > 5)'),
    { n: 1, m: 1, k: 1 },
  ],
  [
    'a field that may change alone',
    'found (proved): m: 1 > 5.01, k: 1 > 5.01 <- {"n":1,"m":5.01,"k":5.01}',
    table('n > 5 || (m > 5 && k > 5)'),
    { n: 1, m: 1, k: 1 },
    { changeable: ['m', 'k'] },
  ],
  [
    'a member of a field that may change',
    'found (proved): o.n: 1 > 5.01 <- {"o":{"n":5.01}}',
    table('o.n > 5'),
    { o: { n: 1 } },
    { changeable: ['o'] },
  ],
  [
    'a field of which a member may change',
    'found (proved): o.n: 1 > 5.01 <- {"o":{"n":5.01}}',
    table('o.n > 5'),
    { o: { n: 1 } },
    { changeable: ['o.n'] },
  ],
  ['a field with a name that begins alike', 'impossible (proved): ', table('on > 5'), { on: 1 }, { changeable: ['o'] }],
  [
    'an item of a field that may change',
    'found (proved): l[0]: 1 > 5.01 <- {"l":[5.01]}',
    table('l[0] > 5'),
    { l: [1] },
    { changeable: ['l'] },
  ],
  ['no field that may change', 'impossible (proved): ', table('n > 5'), { n: 1 }, { changeable: [] }],
  [
    'more fields than may change',
    'unknown (unknown), more than 4 fields have to change: ',
    table('a && b && c && d && e'),
    {},
  ],
  [
    'four fields',
    'found (proved): a: nothing > true, b: nothing > true, c: nothing > true, d: nothing > true <- {"a":true,"b":true,"c":true,"d":true}',
    table('a && b && c && d'),
    {},
  ],
  [
    'an integer',
    'found (proved): n: 1 > 6 <- {"n":6}',
    table('n > 5'),
    { n: 1 },
    { domain: new Map([['n', { types: ['number'], required: true, integer: true }]]) },
  ],
  ['an unchanged result', 'found (proved):  <- {"n":9}', table('n > 5'), { n: 9 }],
  [
    'an opaque condition',
    'unknown (unknown), no input was found that gives the code: ',
    table(`is_string(s) && md5(s) == "${'b'.repeat(32)}"`),
    { s: 'a' },
  ],
  ['a contradiction', 'impossible (proved): ', table('n > 5 && n < 3'), { n: 1 }],
  ['a text of a text', 'found (proved): s: "x" > "ab" <- {"s":"ab"}', table('starts_with(s, "ab")'), { s: 'x' }],
  [
    'a variable',
    'found (proved): n: 1 > 5.000000000000001 <- {"n":5.000000000000001}',
    { d: action({ v: 'n * 2' }, 'e'), e: decision([['$v > 10', 'X']], 'N') },
    { n: 1 },
  ],
  [
    'an action of a branch',
    'found (proved): a: false > true <- {"a":true}',
    { d: decision([['a', 'e', { v: '1' }]], 'e'), e: decision([['$v == 1', 'X']], 'N') },
    { a: false },
  ],
  ['a gap', 'found (proved): n: 1 > 5.01 <- {"n":5.01}', { d: decision([['n > 5', 'X']]) }, { n: 1 }],
  ['a computed value', 'found (proved): n: 1 > 10 <- {"n":10,"m":1}', table('n + m > 10'), { n: 1, m: 1 }],
  [
    'a feature of a text',
    'found (proved): n: 1 > 5.01 <- {"s":"bab","n":5.01}',
    table('contains(s, "a") && n > 5'),
    { s: 'bab', n: 1 },
    { changeable: ['n'] },
  ],
  [
    'a feature that a text has not',
    'impossible (proved): ',
    table('contains(s, "a") && n > 5'),
    { s: 'b', n: 1 },
    { changeable: ['n'] },
  ],
  [
    'an ending of a text',
    'found (proved): n: 1 > 5.01 <- {"s":"ba","n":5.01}',
    table('ends_with(s, "a") && n > 5'),
    { s: 'ba', n: 1 },
    { changeable: ['n'] },
  ],
  ['decimals', 'found (proved): n: 1 > 5.01 <- {"n":5.01}', table('n > 5'), { n: 1 }, {}, { numbers: 'decimal' }],
  [
    'a number far away',
    'found (proved): n: 1 > 1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540161 <- {"n":1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540161}',
    table('n > 1e300'),
    { n: 1 },
  ],
  ['small numbers', 'found (proved): n: 0 > 0.00011 <- {"n":0.00011}', table('n > 0.0001 && n < 0.0002'), { n: 0 }],
  [
    'a point next to an open interval',
    'found (proved): n: 1 > 5 <- {"n":5}',
    table('n > 5 && n < 9', 'n == 5', 'n == 9'),
    { n: 1 },
  ],
  [
    'a point behind an open interval',
    'found (proved): n: 12 > 9 <- {"n":9}',
    table('n > 5 && n < 9', 'n == 5', 'n == 9'),
    { n: 12 },
  ],
  ['seven digits', 'found (proved): n: 1 > 5.0000001 <- {"n":5.0000001}', table('n > 5 && n < 5.0000002'), { n: 1 }],
  [
    'fifteen digits',
    'found (proved): n: 0 > 0.500000000000001 <- {"n":0.500000000000001}',
    table('n > 0.5 && n < 0.500000000000002'),
    { n: 0 },
  ],
  [
    'a number beside a text that stays',
    'found (proved): n: 1 > 5.01 <- {"s":"x","n":5.01}',
    table('s == "y" && n > 2 && n < 4', 's == "x" && n > 5'),
    { s: 'x', n: 1 },
  ],
  [
    'a number beside a text that no condition names',
    'found (proved): n: 1 > 5.01 <- {"s":"z","n":5.01}',
    table('s == "y" && n > 2 && n < 4', 's > "x" && n > 5'),
    { s: 'z', n: 1 },
  ],
  [
    'a field with the name of a method',
    'found (proved): constructor: nothing > 3 <- {"constructor":3}',
    table('constructor == 3'),
    {},
  ],
  [
    'a field of a field that is none',
    'found (proved): o.p.n: nothing > 3 <- {"o":{"p":{"n":3}}}',
    table('o.p.n == 3'),
    {},
  ],
  ['a list of values', 'found (proved): n: 1 > 5 <- {"n":5}', table('n in [5, 7]'), { n: 1 }],
  [
    'a field beside a list that stays',
    'found (proved): n: 1 > 5.01 <- {"l":[1],"n":5.01}',
    table('contains(l, 1) && n > 5'),
    { l: [1], n: 1 },
  ],
])('the smallest change for %s', (_what, line, steps, input, options = {}, config = {}) => {
  expect(lineOf(whyNot(rulesetOf(steps, config), input, { code: 'X', ...options }))).toBe(line)
})

test('a change removes what has to be omitted', () => {
  const { changes } = whyNot(rulesetOf(table('!exists(n)')), { n: 1 }, { code: 'X' })
  expect(changes).toEqual([{ path: 'n', from: 1, remove: true }])
})

test('the input stays as it was given', () => {
  const input = { o: { n: 1, l: [1, { m: 2 }] } }
  whyNot(rulesetOf(table('!exists(o.n) && o.l[1].m == 3')), input, { code: 'X' })
  expect(input).toEqual({ o: { n: 1, l: [1, { m: 2 }] } })
})

describe('the new value of one number is the nearest', () => {
  const BOUNDS = [-7, -2, 1, 8]
  const INTEGER = new Map([['n', { types: ['number' as const], required: true, integer: true }]])
  const pairs = BOUNDS.flatMap((low) => BOUNDS.map((high) => [low, high] as const))

  test.each<[form: string, holds: (n: number, low: number, high: number) => boolean]>([
    ['n > $high || n < $low', (n, low, high) => n > high || n < low],
    ['n >= $high || n <= $low', (n, low, high) => n >= high || n <= low],
    ['n > $low && n < $high', (n, low, high) => n > low && n < high],
    ['n == $low || n >= $high + 0.5', (n, low, high) => n === low || n >= high + 0.5],
    ['n in [$low, $high, 20]', (n, low, high) => n === low || n === high || n === 20],
  ])('where %s', (form, holds) => {
    for (const [low, high] of pairs)
      for (const from of [-11, 0, 10]) {
        const condition = form
          .replace('$high + 0.5', String(high + 0.5))
          .replace('$low', `${low}`)
          .replace('$high', `${high}`)
        const nearest = Array.from({ length: 60 }, (_, distance) => distance).find(
          (distance) => holds(from + distance, low, high) || holds(from - distance, low, high),
        )
        const answer = whyNot(rulesetOf(table(condition)), { n: from }, { code: 'X', domain: INTEGER })
        const to = answer.witness?.input['n'] ?? null
        const distance = typeof to === 'number' ? Math.abs(to - from) : undefined
        expect([condition, from, distance]).toEqual([condition, from, nearest])
        expect(to).not.toBe(-0)
      }
  })
})
