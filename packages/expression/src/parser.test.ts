import { describe, expect, test } from 'vitest'
import { parse, parsePath } from './parser.ts'
import { print } from './printer.ts'

/** Text, carets below the error, the code, and the suggestion. */
const WRONG: readonly (readonly [text: string, carets: string, code: string, suggestion?: string])[] = [
  ['', '^', 'empty-expression'],
  ['   ', '   ^', 'empty-expression'],
  ['a +', '   ^', 'unexpected-token'],
  ['a + + b', '    ^', 'unexpected-token'],
  ['+a', '^', 'unexpected-token'],
  ['a b', '  ^', 'unexpected-token'],
  ['a 5', '  ^', 'unexpected-token'],
  ['a "x"', '  ^^^', 'unexpected-token'],
  ['(a', '  ^', 'unexpected-token'],
  ['a)', ' ^', 'unexpected-token'],
  ['()', ' ^', 'unexpected-token'],
  ['[1, 2', '     ^', 'unexpected-token'],
  ['[1, ]', '    ^', 'unexpected-token'],
  ['[1 2]', '   ^', 'unexpected-token'],
  ['{a: 1}', ' ^', 'unexpected-token', '"a"'],
  ['{"a" 1}', '     ^', 'unexpected-token'],
  ['{"a": 1, "a": 2}', '         ^^^', 'duplicate-key'],
  ['{"a": 1', '       ^', 'unexpected-token'],
  ['a < b < c', '      ^', 'chained-comparison', 'a < b && b < c'],
  ['18 <= age < 65', '          ^', 'chained-comparison', '18 <= age && age < 65'],
  ['a == b == c', '       ^^', 'chained-comparison', 'a == b && b == c'],
  ['(a + 1) < b != c', '            ^^', 'chained-comparison', '(a + 1) < b && b != c'],
  ['a in b in c', '       ^^', 'chained-membership', '(a in b) in c'],
  ['a not in b contains c', '           ^^^^^^^^', 'chained-membership', '(a not in b) contains c'],
  ['a = 1', '  ^', 'wrong-operator', '=='],
  ['a === 1', '  ^^^', 'wrong-operator', '=='],
  ['a !== 1', '  ^^^', 'wrong-operator', '!='],
  ['a <> 1', '  ^^', 'wrong-operator', '!='],
  ['a =< 1', '  ^^', 'wrong-operator', '<='],
  ['a & b', '  ^', 'wrong-operator', '&&'],
  ['a | b', '  ^', 'wrong-operator', '||'],
  ['a &&& b', '  ^^^', 'wrong-operator', '&&'],
  ['a ** 2', '  ^^', 'wrong-operator', 'pow(a, b)'],
  ['a ^ 2', '  ^', 'wrong-operator', 'pow(a, b)'],
  ['a ?? b', '  ^^', 'wrong-operator', 'coalesce(a, b)'],
  ['a?.b', ' ^^', 'wrong-operator', '.'],
  ['a ≥ 1', '  ^', 'wrong-operator', '>='],
  ['a − 1', '  ^', 'wrong-operator', '-'],
  ['a AND b', '  ^^^', 'unexpected-token', 'and'],
  ['a OR b', '  ^^', 'unexpected-token', 'or'],
  ['a is 1', '  ^^', 'unexpected-token', '=='],
  ['a mod 2', '  ^^^', 'unexpected-token', '%'],
  ['a between 1', '  ^^^^^^^', 'unexpected-token', 'a >= low && a <= high'],
  ['a not 5', '  ^^^', 'unexpected-token', 'not in'],
  ['name == “Ada”', '        ^', 'unexpected-character', '"'],
  ['a @ b', '  ^', 'unexpected-character'],
  ['a;', ' ^', 'unexpected-character'],
  ['a\u00a0> 1', ' ^', 'unexpected-character', ' '],
  ['a 💥', '  ^^', 'unexpected-character'],
  ['"abc', '^', 'unterminated-string', '"'],
  ["name == 'x", '        ^', 'unterminated-string', "'"],
  ['"a\nb"', '  ^', 'line-break-in-string', '\\n'],
  ['"a\\qb"', '  ^^', 'unknown-escape', '\\\\q'],
  ['"\\u12"', ' ^^', 'unknown-escape', '\\\\u'],
  ['.5 + a', '^^', 'malformed-number', '0.5'],
  ['5. + a', '^^', 'malformed-number', '5'],
  ['1_000', '^^^^^', 'malformed-number', '1000'],
  ['0x1F', '^^^^', 'malformed-number'],
  ['1.2.3', '^^^^^', 'malformed-number'],
  ['12abc', '^^^^^', 'malformed-number'],
  ['007', '^^^', 'malformed-number', '7'],
  ['1e999', '^^^^^', 'number-out-of-range'],
  ['a // note', '  ^^^^^^^', 'comment'],
  ['a /* note */ + 1', '  ^^^^^^^^^^', 'comment'],
  ['a[b]', '  ^', 'bad-index', '"b"'],
  ['a[1.5]', '  ^^^', 'bad-index'],
  ['a[*]', '  ^', 'bad-index', '.*'],
  ['a[]', '  ^', 'bad-index'],
  ['a.', '  ^', 'unexpected-token'],
  ['a..b', '  ^', 'unexpected-token'],
  ['a.[0]', '  ^', 'unexpected-token', '[ without the dot'],
  ['name.upper()', '^^^^^^^^^^', 'not-callable', 'upper(name, …)'],
  ['$f(1)', '^^', 'not-callable', 'name(…)'],
  ['len(a', '     ^', 'unexpected-token'],
  ['len(a b)', '      ^', 'unexpected-token'],
  ['len(a,)', '      ^', 'unexpected-token'],
  ['exists(1 + 2)', '       ^^^^^', 'not-a-path'],
  ['exists("a b")', '       ^^^^^', 'not-a-path'],
  ['x => x', '  ^^', 'misplaced-lambda', '>='],
  ['any(a, (x, y, z) => x)', '              ^', 'lambda-parameters'],
  ['any(a, (x, x) => x)', '           ^', 'lambda-parameters'],
  ['if a then b', '           ^', 'unexpected-token'],
  ['if a b', '     ^', 'unexpected-token'],
  ['a ? b', '     ^', 'unexpected-token'],
  ['1 + if a then b else c', '    ^^', 'unexpected-token', '(if … then … else …)'],
  ['then', '^^^^', 'unexpected-token'],
  ['a and', '     ^', 'unexpected-token'],
  ['a ? b c', '      ^', 'unexpected-token'],
  ['a ? : b', '    ^', 'unexpected-token'],
  ['? a : b', '^', 'unexpected-token'],
  ['if', '  ^', 'unexpected-token'],
  ['if a then b else', '                ^', 'unexpected-token'],
  ['not', '   ^', 'unexpected-token'],
  ['in a', '^^', 'unexpected-token'],
  ['a not in', '        ^', 'unexpected-token'],
  ['a not "in" b', '  ^^^', 'unexpected-token', 'not in'],
  ['contains', '^^^^^^^^', 'unexpected-token'],
  ['a IN b', '  ^^', 'unexpected-token', 'in'],
  ['a like "b%"', '  ^^^^', 'unexpected-token', 'matches(text, pattern)'],
  ['a := 1', '  ^^', 'wrong-operator', '=='],
  ['¬a', '^', 'wrong-operator', '!'],
  ['a ∈ b', '  ^', 'wrong-operator', 'in'],
  ['a++', '  ^', 'unexpected-token'],
  ['a, b', ' ^', 'unexpected-token'],
  ['"a" "b"', '    ^^^', 'unexpected-token'],
  ['"x', '^', 'unterminated-string', '"'],
  ['"\\', '^', 'unterminated-string', '"'],
  ['`a`', '^', 'unexpected-character', '"'],
  ['\\', '^', 'unexpected-character'],
  ['a\u0000', ' ^', 'unexpected-character'],
  ['# a', '^^^', 'comment'],
  ['1e', '^^', 'malformed-number'],
  ['1.e5', '^^^^', 'malformed-number'],
  ['0b1', '^^^', 'malformed-number'],
  ['-1..2', ' ^^^^', 'malformed-number'],
  ['$.', '  ^', 'unexpected-token'],
  ['$5', ' ^', 'unexpected-token'],
  ['$$a', ' ^^', 'unexpected-token'],
  ['a.-1', '  ^', 'unexpected-token'],
  ['a[--1]', '   ^', 'bad-index'],
  ['a[9007199254740993]', '  ^^^^^^^^^^^^^^^^', 'bad-index'],
  ['a["b"', '     ^', 'unexpected-token'],
  ['a[0](1)', '^^^^', 'not-callable', 'name(…)'],
  ['a.b.f(1)', '^^^^^', 'not-callable', 'f(a.b, …)'],
  ['5(1)', '^', 'not-callable', 'name(…)'],
  ['{a}', ' ^', 'unexpected-token', '"a"'],
  ['{1: 2}', ' ^', 'unexpected-token'],
  ['{"a": 1,}', '        ^', 'unexpected-token'],
  ['any(a, () => x)', '          ^^', 'lambda-parameters'],
  ['any(a, x =>)', '           ^', 'unexpected-token'],
  ['any(a, 5 => x)', '         ^^', 'misplaced-lambda', '>='],
  ['[x => x]', '   ^^', 'misplaced-lambda', '>='],
  ['a => 5', '  ^^', 'misplaced-lambda', '>='],
  ['exists(len(a))', '       ^^^^^^', 'not-a-path'],
  ['a > 1 &&\n  b = 2', '             ^', 'wrong-operator', '=='],
]

/** Text and canonical text. */
const RIGHT: readonly (readonly [text: string, canonical: string])[] = [
  ['a+1', '(a + 1)'],
  ['a + b * c', '(a + (b * c))'],
  ['a - b - c', '((a - b) - c)'],
  ['a / b * c % d', '(((a / b) * c) % d)'],
  ['a || b && c', '(a || (b && c))'],
  ['a or b and not c', '(a || (b && (!c)))'],
  ['a + 1 in b', '((a + 1) in b)'],
  ['a in b == true', '((a in b) == true)'],
  ['a  not  in  b', '(a not in b)'],
  ['a contains b', '(a contains b)'],
  ['contains(a, b)', 'contains(a, b)'],
  ['!a == b', '((!a) == b)'],
  ['-a * b', '((-a) * b)'],
  ['-5', '-5'],
  ['-(5)', '-5'],
  ['--5', '5'],
  ['a - -5', '(a - -5)'],
  ['a ? b : c ? d : e', '(if a then b else (if c then d else e))'],
  ['if a then b else if c then d else e', '(if a then b else (if c then d else e))'],
  ["'it\\'s'", '"it\'s"'],
  ['"\\u0041\\n"', '"A\\n"'],
  ['"\u2028"', '"\u2028"'],
  ['$', '$'],
  ['$.a.b', 'a.b'],
  ['$["a"]', 'a'],
  ['$["a b"].c', '$["a b"].c'],
  ['$.if', '$.if'],
  ['a.if.then', 'a.if.then'],
  ['a.0.b', 'a[0].b'],
  ['a[-1]', 'a[-1]'],
  ['a[-0]', 'a[0]'],
  ['a["0"]', 'a["0"]'],
  ['items.*.price', 'items.*.price'],
  ['$v.a[0]', '$v.a[0]'],
  ['(a).b', 'a.b'],
  ['(5).a', '(5).a'],
  ['first(a).b.c', 'first(a).b.c'],
  ['größe > 1', '(größe > 1)'],
  ['any(items, x => x.price > $.x)', 'any(items, x => (x.price > $.x))'],
  ['map(a, (x, i) => i)', 'map(a, (x, i) => i)'],
  ['f((x))', 'f(x)'],
  ['exists("a.b")', 'exists(a.b)'],
  ['9007199254740993', '9007199254740993'],
  ['1e3', '1000'],
  ['1.50', '1.5'],
  ['[]', '[]'],
  ['{}', '{}'],
  ['{"a": [1, {"b": null}]}', '{"a": [1, {"b": null}]}'],
  ['a\n  > 1\r\n&& b', '((a > 1) && b)'],
]

describe('an expression that is wrong', () => {
  test.each(WRONG.map(([text, carets, code, suggestion]) => ({ text, carets, code, suggestion })))(
    '$text: $code',
    ({ text, carets, code, suggestion }) => {
      const parsed = parse(text)
      expect(parsed.kind).toBe('failed')
      const [problem] = parsed.kind === 'failed' ? parsed.problems : []
      const start = carets.indexOf('^')
      const width = problem?.at.end === problem?.at.start ? 0 : carets.length - start
      // Fixes are tested separately.
      expect({ ...problem, message: '', fix: undefined }).toEqual({
        code,
        message: '',
        at: { start, end: start + width },
        ...(suggestion === undefined ? {} : { suggestion }),
      })
      expect(problem?.message).toMatch(/^[^A-Z].*[^.]$/s)
    },
  )

  test('all errors of the lexer are reported together', () => {
    const parsed = parse('a = “x” & b')
    expect(parsed.kind === 'failed' && parsed.problems.map(({ at }) => at.start)).toEqual([2, 4, 6, 8])
  })
})

test.each(RIGHT)('%j is %s', (text, canonical) => {
  const parsed = parse(text)
  expect(parsed.kind === 'parsed' ? print(parsed.expression) : parsed.problems).toBe(canonical)
  const again = parse(canonical)
  expect(again.kind === 'parsed' && print(again.expression)).toBe(canonical)
})

/** Every pair of adjacent precedence levels: how `a X b Y c` is parsed, and the effect of parentheses. */
const LEVELS = [
  ['||', 'or'],
  ['&&', 'and'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['in', 'not in', 'contains'],
  ['+', '-'],
  ['*', '/', '%'],
] as const
const CANONICAL: ReadonlyMap<string, string> = new Map([
  ['or', '||'],
  ['and', '&&'],
])
const NOT_CHAINED: ReadonlySet<number> = new Set([2, 3])

const PAIRS = LEVELS.flatMap((first, looser) =>
  LEVELS.flatMap((second, tighter) => first.flatMap((x) => second.map((y) => ({ x, y, looser, tighter })))),
).filter(({ looser, tighter }) => looser !== tighter || !NOT_CHAINED.has(looser))

describe('precedence', () => {
  test.each(PAIRS)('a $x b $y c', ({ x, y, looser, tighter }) => {
    const [first, second] = [CANONICAL.get(x) ?? x, CANONICAL.get(y) ?? y]
    const right = `(a ${first} (b ${second} c))`
    const left = `((a ${first} b) ${second} c)`
    expect(printed(`a ${x} b ${y} c`)).toBe(looser < tighter ? right : left)
    expect(printed(`a ${x} (b ${y} c)`)).toBe(right)
    expect(printed(`(a ${x} b) ${y} c`)).toBe(left)
  })

  test.each([
    ['!a && b', '((!a) && b)'],
    ['not a in b', '((!a) in b)'],
    ['!a.b', '(!a.b)'],
    ['-a.b + c', '((-a.b) + c)'],
    ['-a * -b', '((-a) * (-b))'],
    ['!-a', '(!(-a))'],
    ['a || b ? c : d', '(if (a || b) then c else d)'],
    ['a ? b : c || d', '(if a then b else (c || d))'],
    ['if a || b then c else d + 1', '(if (a || b) then c else (d + 1))'],
    ['(if a then b else c) + 1', '((if a then b else c) + 1)'],
    ['a ? b ? c : d : e', '(if a then (if b then c else d) else e)'],
    ['a ? b : c ? d : e', '(if a then b else (if c then d else e))'],
    ['any(a, x => x > 1 && y)', 'any(a, x => ((x > 1) && y))'],
    ['f(a)[0].b * 2', '(f(a)[0].b * 2)'],
    ['(a + b).c', '(a + b).c'],
  ])('%s', (text, canonical) => expect(printed(text)).toBe(canonical))
})

function printed(text: string): string {
  const parsed = parse(text)
  return parsed.kind === 'parsed' ? print(parsed.expression) : (parsed.problems[0]?.message ?? '')
}

describe('limits', () => {
  const nest = (open: string, inner: string, close: string, levels: number) =>
    open.repeat(levels) + inner + close.repeat(levels)
  test.each([
    ['parentheses', nest('(', 'a', ')', 199), nest('(', 'a', ')', 200), 'nested-too-deeply'],
    ['lists', nest('[', 'a', ']', 199), nest('[', 'a', ']', 200), 'nested-too-deeply'],
    ['signs', `${'!'.repeat(199)}a`, `${'!'.repeat(200)}a`, 'nested-too-deeply'],
    ['else-if', `${'if a then 1 else '.repeat(199)}2`, `${'if a then 1 else '.repeat(200)}2`, 'nested-too-deeply'],
    ['a chain', `a${'+a'.repeat(5000)}`, `a${'+a'.repeat(5001)}`, 'chain-too-long'],
    ['a list', `[${'1,'.repeat(9999)}1]`, `[${'1,'.repeat(10_000)}1]`, 'list-too-long'],
    ['a list right of in', `a in [${'1,'.repeat(30_000)}1]`, `a in [[${'1,'.repeat(10_000)}1]]`, 'list-too-long'],
    ['a path', `a${'.b'.repeat(199)}`, `a${'.b'.repeat(200)}`, 'path-too-long'],
    ['text', `"${'x'.repeat(65_534)}"`, `"${'x'.repeat(65_535)}"`, 'text-too-long'],
  ])('%s', (_what, within, beyond, code) => {
    expect(parse(within).kind).toBe('parsed')
    const parsed = parse(beyond)
    expect(parsed.kind === 'failed' && parsed.problems[0]?.code).toBe(code)
  })
})

describe('a path alone', () => {
  test.each([['a.b[0].*'], ['$v.a'], ['$["odd key"]']])('%s', (text) => {
    const parsed = parsePath(text)
    expect(parsed.kind === 'parsed' && print(parsed.expression)).toBe(text)
  })
  test.each([['a + 1'], ['1'], ['len(a)'], [''], ['a b'], ['"a"']])('%j is not a path', (text) => {
    expect(parsePath(text).kind).toBe('failed')
  })
})
