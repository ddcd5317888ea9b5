import { expect, test } from 'vitest'
import { type Zen, ZenSyntaxError } from './ast.ts'
import { parseZen, parseZenTest } from './parser.ts'

/** A tree in prefix notation. */
function shown(zen: Zen | undefined): string {
  if (zen === undefined) return '_'
  switch (zen.kind) {
    case 'literal':
      return JSON.stringify(zen.value)
    case 'name':
      return zen.name
    case 'member':
      return `(. ${shown(zen.object)} ${shown(zen.key)})`
    case 'slice':
      return `(: ${shown(zen.object)} ${shown(zen.from)} ${shown(zen.to)})`
    case 'array':
      return `[${zen.items.map(shown).join(' ')}]`
    case 'object':
      return `{${zen.entries.map(({ key, value }) => `${key} ${shown(value)}`).join(' ')}}`
    case 'template':
      return `\`${zen.parts.map((part) => (typeof part === 'string' ? part : `<${shown(part)}>`)).join('|')}\``
    case 'interval':
      return `${zen.open}${shown(zen.from)}..${shown(zen.to)}${zen.close}`
    case 'unary':
      return `(${zen.operator} ${shown(zen.operand)})`
    case 'binary':
      return `(${zen.operator} ${shown(zen.left)} ${shown(zen.right)})`
    case 'conditional':
      return `(? ${shown(zen.condition)} ${shown(zen.consequent)} ${shown(zen.alternate)})`
    case 'call':
      return `${zen.name}(${zen.args.map(shown).join(' ')})`
    case 'method':
      return `(${shown(zen.object)}).${zen.name}(${zen.args.map(shown).join(' ')})`
    case 'alias':
      return `(as ${shown(zen.value)} ${zen.name})`
    case 'assignment':
      return `(= ${zen.name} ${shown(zen.value)} ${shown(zen.body)})`
  }
}

test.each<readonly [string, string]>([
  ['1', '1'],
  ['1.5', '1.5'],
  ['1_000', '1000'],
  ['1e3', '1000'],
  ['1.5E-2', '0.015'],
  ['2e+1', '20'],
  ["'a'", '"a"'],
  ['"it\'s"', '"it\'s"'],
  ["''", '""'],
  // Comparisons have one precedence, and the first one binds first.
  ...['==', '!=', '<', '<=', '>', '>='].map((other) => [`x < y ${other} z`, `(${other} (< x y) z)`] as const),
  ...['==', '!=', '<', '<=', '>', '>='].map((other) => [`x ${other} y < z`, `(< (${other} x y) z)`] as const),
  ['x', 'x'],
  ['_x1', '_x1'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['$', '$'],
  ['$root', '$root'],
  ['#', '#'],
  ['x.y.z', '(. (. x "y") "z")'],
  ['x.true', '(. x "true")'],
  ['x[0]', '(. x 0)'],
  ["x['a b']", '(. x "a b")'],
  ['x[y]', '(. x y)'],
  ['x[y].z', '(. (. x y) "z")'],
  ['x[0:1]', '(: x 0 1)'],
  ['x[:1]', '(: x _ 1)'],
  ['x[0:]', '(: x 0 _)'],
  ['x[:]', '(: x _ _)'],
  ['x.y()', '(x).y()'],
  ['x.y(1, z).w', '(. (x).y(1 z) "w")'],
  ["d().add(1, 'd')", '(d()).add(1 "d")'],
  ['f()', 'f()'],
  ['f(1)', 'f(1)'],
  ['f(1, x + 1)', 'f(1 (+ x 1))'],
  ['f(x as y, 2)', 'f((as x y) 2)'],
  ['[]', '[]'],
  ['[1]', '[1]'],
  ['[1, 2, x]', '[1 2 x]'],
  ['{}', '{}'],
  ['{a: 1}', '{a 1}'],
  ["{'a b': 1, c: x}", '{a b 1 c x}'],
  ['(1)', '1'],
  ['((x))', 'x'],
  ['[1..2]', '[1..2]'],
  ['(1..2)', '(1..2)'],
  ['[1..2)', '[1..2)'],
  ['(1..2]', '(1..2]'],
  [']1..2]', ']1..2]'],
  ['x in [1..2]', '(in x [1..2])'],
  ['x + y * z', '(+ x (* y z))'],
  ['x * y + z', '(+ (* x y) z)'],
  ['x - y - z', '(- (- x y) z)'],
  ['x / y / z', '(/ (/ x y) z)'],
  ['x ^ y ^ z', '(^ x (^ y z))'],
  ['x % y', '(% x y)'],
  ['x ?? y ?? z', '(?? (?? x y) z)'],
  ['x ?? y + 1', '(+ (?? x y) 1)'],
  ['x ^ 2 * y', '(* (^ x 2) y)'],
  ['x == y and z', '(and (== x y) z)'],
  ['x or y and z', '(or x (and y z))'],
  ['x and y or z', '(or (and x y) z)'],
  ['not x', '(not x)'],
  ['not x and y', '(and (not x) y)'],
  ['not x == y', '(== (not x) y)'],
  ['not x + y', '(+ (not x) y)'],
  ['not not x', '(not (not x))'],
  ['-x', '(- x)'],
  ['-x ^ 2', '(^ (- x) 2)'],
  ['- -x', '(- (- x))'],
  ['+x', '(+ x)'],
  ['-x.y', '(- (. x "y"))'],
  ['x not in y', '(not in x y)'],
  ['x in y', '(in x y)'],
  ['not x in y', '(in (not x) y)'],
  ['x < y', '(< x y)'],
  ['x <= y', '(<= x y)'],
  ['x > y', '(> x y)'],
  ['x >= y', '(>= x y)'],
  ['x != y', '(!= x y)'],
  ['x ? y : z', '(? x y z)'],
  ['x ? y : z ? 1 : 2', '(? x y (? z 1 2))'],
  ['x ? y ? 1 : 2 : 3', '(? x (? y 1 2) 3)'],
  ['x > 1 ? y : z + 1', '(? (> x 1) y (+ z 1))'],
  ['x = 1; x + 1', '(= x 1 (+ x 1))'],
  ['x = 1; y = x; x + y', '(= x 1 (= y x (+ x y)))'],
  ['`a`', '`a`'],
  ['`a${x}b`', '`a|<x>|b`'],
  ['`${x}${y + 1}`', '`<x>|<(+ y 1)>`'],
  ['``', '``'],
  ['`a$b`', '`a$b`'],
  ['`a{b}`', '`a{b}`'],
  ['  x  ', 'x'],
  ['x.y ?? 1', '(?? (. x "y") 1)'],
])('%j is read as %s', (text, tree) => {
  expect(shown(parseZen(text))).toBe(tree)
})

test.each([
  ['1', '1'],
  ['1, 2', '1 ; 2'],
  ['> 1', '(> $ 1)'],
  ['>= 1', '(>= $ 1)'],
  ['< 1', '(< $ 1)'],
  ['<= 1', '(<= $ 1)'],
  ['== 1', '(== $ 1)'],
  ['!= 1', '(!= $ 1)'],
  ['in [1, 2]', '(in $ [1 2])'],
  ['not in [1, 2]', '(not in $ [1 2])'],
  ['not x', '(not x)'],
  ['> 1 and < 5', '(and (> $ 1) (< $ 5))'],
  ['> 1 or x', '(or (> $ 1) x)'],
  ['1 or 2 and > 3', '(and (or 1 2) (> $ 3))'],
  ['x > 1', '(> x 1)'],
  ['$ > 1', '(> $ 1)'],
  ['[1..5]', '[1..5]'],
  ['(1..5), 7', '(1..5) ; 7'],
  ['f(x > 1)', 'f((> x 1))'],
  ['x ? 1 : 2', '(? x 1 2)'],
  ['> 1 ? x : y', '(? (> $ 1) x y)'],
])('the test %j of a cell is read as %s', (text, trees) => {
  expect(parseZenTest(text).map(shown).join(' ; ')).toBe(trees)
})

test.each([
  ['1 or 2 and x', '(or 1 (and 2 x))'],
  ['> 1', '(> $ 1)'],
  ['x and > 1', '(and x (> $ 1))'],
  ['not in [1]', '(not in $ [1])'],
])('the cell %j of a column without a field is read as %s', (text, trees) => {
  expect(parseZenTest(text, false).map(shown).join(' ; ')).toBe(trees)
})

test.each<readonly [text: string, offset: number, message: string]>([
  ['', 0, 'expected an expression, found the end of the text'],
  ['x +', 3, 'expected an expression, found the end of the text'],
  ['x y', 2, 'expected an operator, found `y`'],
  ['1 2', 2, 'expected an operator, found `2`'],
  ['(x', 2, 'expected `)`, found the end of the text'],
  ['[1', 2, 'expected `,`, found the end of the text'],
  ['[1, ', 4, 'expected an expression, found the end of the text'],
  ['[1..', 4, 'expected an expression, found the end of the text'],
  ['[1..2', 5, 'expected `]` or `)`, found the end of the text'],
  ['[1..2 x', 6, 'expected `]` or `)`, found `x`'],
  [']1', 2, 'expected `..`, found the end of the text'],
  ['{a', 2, 'expected `:`, found the end of the text'],
  ['{a:', 3, 'expected an expression, found the end of the text'],
  ['{a: 1', 5, 'expected `,`, found the end of the text'],
  ['{a: 1 b: 2}', 6, 'expected `,`, found `b`'],
  ['{1: 2}', 1, 'expected a constant key, found `1`'],
  ['{x + 1: 2}', 3, 'expected `:`, found `+`'],
  ['f(', 2, 'expected an expression, found the end of the text'],
  ['f(1', 3, 'expected `,`, found the end of the text'],
  ['f(1 2)', 4, 'expected `,`, found `2`'],
  ['f(x as 1)', 7, 'expected a name, found `1`'],
  ['f(x as $)', 7, 'expected a name, found `$`'],
  ['f(1, x as y)', 7, 'expected `,`, found `as`'],
  ['x ? 1', 5, 'expected `:`, found the end of the text'],
  ['x ? 1 2', 6, 'expected `:`, found `2`'],
  ['x[', 2, 'expected an expression, found the end of the text'],
  ['x[1', 3, 'expected `:`, found the end of the text'],
  ['x[1:2', 5, 'expected `]`, found the end of the text'],
  ['x.', 1, 'expected an operator, found `.`'],
  ['x.1', 1, 'expected an operator, found `.`'],
  ['.x', 0, 'expected an expression, found `.`'],
  [')', 0, 'expected an expression, found `)`'],
  ['}', 0, 'expected an expression, found `}`'],
  [',', 0, 'expected an expression, found `,`'],
  [';', 0, 'expected an expression, found `;`'],
  ['x;', 1, 'expected an operator, found `;`'],
  ['x = 1', 5, 'expected `;`, found the end of the text'],
  ['x = ;', 4, 'expected an expression, found `;`'],
  ['$ = 1; 2', 2, 'expected an operator, found `=`'],
  ['x as y', 2, 'expected an operator, found `as`'],
  ['x and', 5, 'expected an expression, found the end of the text'],
  ['not', 3, 'expected an expression, found the end of the text'],
  ['-', 1, 'expected an expression, found the end of the text'],
  ['1 ? ', 4, 'expected an expression, found the end of the text'],
  ['?', 0, 'expected an expression, found `?`'],
  [':', 0, 'expected an expression, found `:`'],
  ["'a", 0, 'the text has no closing quotation mark'],
  ['"a', 0, 'the text has no closing quotation mark'],
  ['x @ y', 2, 'unexpected `@`'],
  [' @', 1, 'unexpected `@`'],
  ['`a', 0, 'the text has no closing quotation mark'],
  ["x + 'it''s", 8, 'the text has no closing quotation mark'],
  ['`a${x`', 2, 'the text ends within `${`'],
  ['x + `ab${y`', 7, 'the text ends within `${`'],
  ['`${x +}`', 3, 'expected an expression, found the end of the text'],
  ['1e400', 0, 'the number is too large'],
  ['1e16', 0, 'the number is too large'],
  ['10_000_000_000_000_000', 0, 'the number is too large'],
  ['==', 0, 'expected an expression, found `==`'],
  ['> 1', 0, 'expected an expression, found `>`'],
  ['x..y', 1, 'expected an operator, found `..`'],
  ['=', 0, 'expected an expression, found `=`'],
  ['x == = y', 5, 'expected an expression, found `=`'],
])('%j is refused at %d: %s', (text, offset, message) => {
  expect(() => parseZen(text)).toThrow(expect.objectContaining({ offset, message }))
  expect(() => parseZen(text)).toThrow(ZenSyntaxError)
})

const nested = (levels: number) => `${'('.repeat(levels)}x${')'.repeat(levels)}`
const chained = (operators: number) => `x${' + x'.repeat(operators)}`
const path = (parts: number) => `x${'.a'.repeat(parts)}`
const choices = (levels: number) => `${'x ? 1 : '.repeat(levels)}2`

test.each([
  ['levels of parentheses', nested(199), nested(200), 'must be nested at most 200 levels deep'],
  ['choices in a choice', choices(199), choices(200), 'must be nested at most 200 levels deep'],
  [
    'operators to the right',
    `x${' ^ x'.repeat(199)}`,
    `x${' ^ x'.repeat(200)}`,
    'must be nested at most 200 levels deep',
  ],
  ['signs', `${'-'.repeat(199)}x`, `${'-'.repeat(200)}x`, 'must be nested at most 200 levels deep'],
  ['operators in a row', chained(999), chained(1000), 'an expression may have at most 1000 operators in a row'],
  ['parts of a path', path(200), path(201), 'a path is too long'],
  [
    'characters',
    `"${'a'.repeat(65_534)}"`,
    `"${'a'.repeat(65_535)}"`,
    'an expression may have at most 65536 characters',
  ],
])('%s are read up to a limit', (_, most, more, message) => {
  expect(parseZen(most)).toBeDefined()
  expect(() => parseZen(more)).toThrow(expect.objectContaining({ name: 'Error', message }))
})
