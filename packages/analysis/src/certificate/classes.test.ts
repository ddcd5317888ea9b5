import { NO_SPAN, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { type Class, Classes } from './classes.ts'
import { decisionOf, type DecisionOptions, expressionOf, rulesetOf } from './rulesets.testing.ts'

const classesOf = (conditions: readonly string[], options?: DecisionOptions) =>
  new Classes([rulesetOf(decisionOf(conditions, options))])

/** A value that is the only one of its class, or `~` before an example. */
function textOf({ value, isOnly }: Class): string {
  const text = value === undefined ? 'missing' : print({ kind: 'literal', value, span: NO_SPAN })
  return isOnly ? text : `~${text}`
}

const OTHERS = 'missing null false true [] {} ~["another value"] ~{"another": 1}'
const CONTRACT = {
  mode: 'warn',
  contract: {
    name: 'c',
    version: '1.0.0',
    input: {
      fields: [
        { name: 'n', type: 'integer', minimum: 3, maximum: 7 },
        { name: 't', type: 'string', enum: ['q'] },
      ],
    },
  },
}

test.each<[conditions: readonly string[], classes: string, options?: DecisionOptions]>([
  [[], '"" ~"text" ~-1 0 ~1'],
  [['n > 5'], '"" ~"text" ~-1 0 ~1 5 ~6'],
  [['5 < n'], '"" ~"text" ~-1 0 ~1 5 ~6'],
  [['n == 0.5', 'n == 0.25'], '"" ~"text" ~-1 0 ~0.1 0.25 ~0.4 0.5 ~1'],
  [['n == -5'], '"" ~"text" ~-6 -5 ~-4 0 ~1'],
  // Behind each text is the end of the texts that begin with it.
  [['t == "b"', 't == "a"'], '"" ~"A" "a" ~"a~" "b" ~"b~" "c" ~"c~" ~-1 0 ~1'],
  [['starts_with(t, "ab")'], '"" ~"a" "ab" ~"ab~" "ac" ~"ac~" ~-1 0 ~1'],
  [['t == "z\uffff\uffff"'], '"" ~"a" "z\uffff\uffff" ~"z\uffff\uffff~" "{" ~"{~" ~-1 0 ~1'],
  [['t == "\uffff"'], '"" ~"~" "\uffff" ~"\uffff~" ~-1 0 ~1'],
  [['n in [3, "x"]'], '"" ~"a" "x" ~"x~" "y" ~"y~" ~-1 0 ~1 3 ~4'],
  [['n + 3 > 7 && m'], '"" ~"text" ~-1 0 ~1 3 ~4 7 ~8'],
  [['n > 1 && n < 1.0000000000000002'], '"" ~"text" ~-1 0 ~0.5 1 1.0000000000000002 ~2'],
  [['n > 0.1 && n < 0.10000000000000001'], '"" ~"text" ~-1 0 ~0.05 0.1 ~1'],
  [
    ['n > 0.1 && n < 0.10000000000000001'],
    '"" ~"text" ~-1 0 ~0.05 0.1 ~0.100000000000000005 0.10000000000000001 ~1',
    { config: { numbers: 'decimal' } },
  ],
  [[], '"" ~"a" "q" ~"q~" ~-1 0 ~1 3 ~4 7 ~8', { config: { contract: CONTRACT } }],
])('the constants of %j divide values', (conditions, classes, options) => {
  expect(classesOf(conditions, options).list.map(textOf).join(' ')).toBe(`${OTHERS} ${classes}`)
})

test('the constants of two versions divide values together', () => {
  const versions = ['n == 2', 'n == 3'].map((condition) => rulesetOf(decisionOf([condition])))
  expect(new Classes(versions).list.map(textOf).join(' ')).toBe(`${OTHERS} "" ~"text" ~-1 0 ~1 2 ~2.5 3 ~4`)
})

const LISTS = '~["another value"]'
const OBJECTS = '~{"another": 1}'
const TEXTS = '~"A" ~"aa" ~"ab~" ~"ac~" ~"b~"'

test.each<[expression: string, notUniform: string]>([
  ['x', ''],
  ['is_number(x)', ''],
  ['exists(x)', ''],
  ['len(x)', 'all'],
  ['is_number(x + 1)', 'all'],
  ['x == 5', ''],
  ['x != 5', ''],
  ['x < 5', ''],
  ['5 <= x', ''],
  ['x > 7', 'all'],
  ['7 > x', 'all'],
  ['x == "ab"', ''],
  ['x == "other"', 'all'],
  ['x == "5"', 'all'],
  ['x == null', ''],
  ['null == x', ''],
  ['x == true', ''],
  ['x == [1]', `${LISTS} ${OBJECTS}`],
  ['x == {"a": 1}', `${LISTS} ${OBJECTS}`],
  ['x == y', 'all'],
  ['x == round(x)', 'all'],
  ['round(x) == x', 'all'],
  ['x + 5', 'all'],
  ['x && true', 'all'],
  ['-x', 'all'],
  ['x in [5, "ab"]', ''],
  ['x not in [5, "ab"]', ''],
  ['x in [5, 7]', 'all'],
  ['x in [null, true]', ''],
  ['x in [[5]]', `${LISTS} ${OBJECTS}`],
  ['x in []', ''],
  ['x in y', 'all'],
  ['x in "ab"', 'all'],
  ['5 in x', 'all'],
  ['[] in x', 'all'],
  ['type(x) == "ab"', ''],
  ['type(x) == "number"', 'all'],
  ['coalesce(x, 1) == 5', ''],
  ['coalesce(x, 1) in [5]', ''],
  ['coalesce(x, y) == 5', 'all'],
  ['coalesce(1, x) == 5', 'all'],
  ['abs(x) == 5', 'all'],
  ['starts_with(x, "ab")', ''],
  ['starts_with(x, "")', ''],
  ['starts_with(x, "b")', 'all'],
  ['starts_with(x, "aa")', 'all'],
  ['starts_with(x, y)', 'all'],
  ['starts_with("ab", x)', 'all'],
  ['ends_with(x, "ab")', TEXTS],
  ['contains_str(x, "ab")', TEXTS],
  ['contains_str(x, y)', 'all'],
  ['contains(x, "ab")', 'all'],
  ['ends_with(x, 5)', 'all'],
])('%s has not one outcome for the values of a class: %s', (text, notUniform) => {
  const classes = classesOf(['starts_with(x, "ab")', 'x == "a"', 'x == 5'])
  const all = classes.list.filter(({ isOnly }) => !isOnly)
  const found = all.filter((one) => !classes.isUniform(expressionOf(text), one))
  expect(found.length === all.length ? 'all' : found.map(textOf).join(' ')).toBe(notUniform)
  for (const one of classes.list) if (one.isOnly) expect(classes.isUniform(expressionOf(text), one)).toBe(true)
})
