import { Budget, CountedBudget } from './budget.ts'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import type { Expression, Field } from './ast.ts'
import { check } from './checker.ts'
import { randomExpression, randomInput, randomVariables } from './expression.testing.ts'
import { FUNCTIONS } from './functions/index.ts'
import { interpret } from './interpreter.ts'
import { parse } from './parser.ts'
import { print, printPath } from './printer.ts'
import { seeded } from './random.testing.ts'
import { NO_SPAN } from './source.ts'
import { EvaluationError, LENIENT } from './runtime.ts'
import { TYPE, type Type, typeOf, typeText } from './types.ts'
import type { Value } from './value.ts'
import { walk } from './visitor.ts'

const EXPRESSIONS = casesOf(20_000)
printSeed(EXPRESSIONS)

const FIELDS = new Map([
  ['user.age', TYPE.number],
  ['age', TYPE.number],
  ['nick', TYPE.string | TYPE.null],
])

const typeAt = (path: Field['path']) => FIELDS.get(printPath({ kind: 'field', path, span: NO_SPAN }))

function problemsOf(text: string): readonly string[] {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  return check(parsed.expression, { typeAt }).map(
    ({ code, at, message, suggestion }) =>
      `${code} ${at.start}-${at.end} ${message}${suggestion === undefined ? '' : ` [${suggestion}]`}`,
  )
}

describe('an expression that cannot be right is reported', () => {
  test.each([
    ['lenght(a)', 'unknown-function 0-6 there is no function `lenght` [len]'],
    ['uper(a)', 'unknown-function 0-4 there is no function `uper` [upper]'],
    ['zzz(a)', 'unknown-function 0-3 there is no function `zzz`'],
    ['parseInt(a)', 'unknown-function 0-8 there is no function `parseInt` [to_int]'],
    ['toUpperCase(a)', 'unknown-function 0-11 there is no function `toUpperCase` [upper]'],
    ['startsWith(a, "b")', 'unknown-function 0-10 there is no function `startsWith` [starts_with]'],
    ['a && b || lne(c)', 'unknown-function 10-13 there is no function `lne` [len]'],
    ['len()', 'wrong-arity 0-5 `len` takes 1 argument (value), found 0'],
    ['substring("a")', 'wrong-arity 0-14 `substring` takes 2 to 3 arguments (text, start, end?), found 1'],
    ['upper(5)', 'wrong-type 6-7 `upper` needs string as `text`, found number'],
    ['any(a, b)', 'misplaced-lambda 7-8 `any` takes a function such as `x => …` as `test`'],
    ['len(x => x)', 'misplaced-lambda 4-10 `len` does not take a function as `value`'],
    ['1 + "a"', 'wrong-type 2-3 `+` is not defined for number and string'],
    ['1 < "a"', 'wrong-type 2-3 `<` is not defined for number and string'],
    ['-"a"', 'wrong-type 0-4 `-` needs a number, found string'],
    ['a - len(b) * "x"', 'wrong-type 11-12 `*` is not defined for number and string'],
    ['1 in 2', 'wrong-type 2-4 `in` is not defined for number and number'],
    ['1 in "abc"', 'wrong-type 2-4 `in` is not defined for number and string'],
    ['user.age > "x"', 'wrong-type 9-10 `>` is not defined for number and string'],
    ['"x" <= user.age', 'wrong-type 4-6 `<=` is not defined for string and number'],
    ['true < false', 'wrong-type 5-6 `<` is not defined for boolean and boolean'],
    ['upper(age)', 'wrong-type 6-9 `upper` needs string as `text`, found number'],
    ['len(upper(a)) + lower(b)', 'wrong-type 14-15 `+` is not defined for number and string'],
    ['(if a then 1 else 2) + "x"', 'wrong-type 21-22 `+` is not defined for number and string'],
    ['any(list, x => 1 - "x")', 'wrong-type 17-18 `-` is not defined for number and string'],
    ['null + 1', 'wrong-type 5-6 `+` is not defined for null and number'],
    ['[1] + [2]', 'wrong-type 4-5 `+` is not defined for array and array'],
    ['age - "x"', 'wrong-type 4-5 `-` is not defined for number and string'],
    [
      'matches(a, "[")',
      'bad-argument 11-14 `pattern` of `matches`: `[` is not a regular expression: missing closing ]: `[`',
    ],
    ['date_add(a, 1, "dayz")', 'bad-argument 15-21 `unit` of `date_add`: `dayz` is not a unit: use `days`'],
    [
      'year("20.11.2026")',
      'bad-argument 5-17 `date` of `year`: `20.11.2026` is not a date or time such as `2026-11-20` or `2026-11-20T10:00:00Z`',
    ],
    [
      'cidr_contains("10.0.0/8", a)',
      'bad-argument 14-24 `network` of `cidr_contains`: `10.0.0/8` is not an address or network such as `10.0.0.0/8`',
    ],
  ])('%s', (text, problem) => expect(problemsOf(text)).toEqual([problem]))

  test('all together', () => expect(problemsOf('foo(1 + "a", -true)')).toHaveLength(3))
})

describe('an expression that could succeed is not refused', () => {
  test.each([
    'a + b',
    'a < null',
    'null < a',
    'null in "a"',
    'a in null',
    'starts_with(null, "a")',
    'min(a)',
    'min(1, a)',
    'coalesce(a, 1) + 1',
    'contains(null, 1)',
    'contains([1], "x")',
    '1 == "a"',
    'user.age == "x"',
    'nick > 5',
    'is_null(age)',
    'coalesce(age, "x")',
    'first(a) - last(a)',
    'upper(a).b',
    'matches(a, b)',
    'year(a) + 1',
    'a / b',
    '0 / a',
    'any(items, x => x.age > 1)',
    'count(items)',
    'count(items, x => x)',
    'if age then "a" else 1',
  ])('%s', (text) => expect(problemsOf(text)).toEqual([]))
})

test.each([
  ['any(items, x => x.age > 1)', 'items items[0].age'],
  ['map(a.*.b, (x, i) => x + i)', 'a.*.b a[0].b'],
  ['any(a, x => all(x.list, y => y.b > x.c))', 'a a[0].list a[0].list[0].b a[0].c'],
  ['map(first(a), x => x.b)', 'a a[0][0].b'],
  ['first(items).prixe', 'items items[0].prixe'],
  ['find(a.*.b, x => x.c).d.e', 'a.*.b a[0].b.c a[0].b.d.e'],
  ['filter(items, x => x.a > 1)[0].skux', 'items items[0].a items[0].skux'],
  ['sort(slice(reverse(items), 1), x => x.a)[2].b', 'items items[0].a items[0].b'],
  ['map(filter(items, x => x.a), y => y.b)', 'items items[0].a items[0].b'],
  ['first(map(items, x => x.lines)).b', 'items items[0].lines items[0].lines.b'],
  ['first(first(items).lines).qty', 'items items[0].lines items[0].lines[0].qty'],
  ['any(a, x => any(b, x => x))', 'a b b[0]'],
])('%s reads %s', (text, paths) => {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(text)
  const read: string[] = []
  check(parsed.expression, { reads: (path) => read.push(printPath({ kind: 'field', path, span: NO_SPAN })) })
  expect(read.join(' ')).toBe(paths)
})

test('members of members of computed values cost their number', () => {
  const text = (depth: number) => `${'('.repeat(depth)}$v + 1${')[0]'.repeat(depth)}`
  const cost = (depth: number) => {
    const parsed = parse(text(depth))
    if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
    const budget = new CountedBudget(1_000_000)
    check(parsed.expression, { budget })
    return budget.spent
  }
  expect(cost(40)).toBeLessThan(3 * cost(20))
})

describe('elements of lists are checked against their use', () => {
  const TYPES = new Map([
    ['n', TYPE.number],
    ['s', TYPE.string],
    ['tags[0]', TYPE.string],
    ['scores[0]', TYPE.number],
    ['items[0].sku', TYPE.string],
    ['items[0].qty', TYPE.number],
  ])
  const typeOfElements = (path: Field['path']) => TYPES.get(printPath({ kind: 'field', path, span: NO_SPAN }))
  const told = (text: string) => {
    const parsed = parse(text)
    if (parsed.kind === 'failed') throw new Error(text)
    const found: string[] = []
    const warn = ({ message }: { readonly message: string }) => found.push(`warning: ${message}`)
    const errors = check(parsed.expression, { typeAt: typeOfElements, warn })
    return [...found, ...errors.map(({ message }) => message)]
  }
  test.each([
    ['sum(tags)', 'warning: `sum` needs a list of number, found a list of string'],
    ['avg(filter(tags, t => t != "a"))', 'warning: `avg` needs a list of number, found a list of string'],
    ['sum(map(items, q => q.sku))', 'warning: `sum` needs a list of number, found a list of string'],
    ['sum(items, q => q.sku)', 'warning: the function `f` of `sum` must return number, found string'],
    ['join(scores, ", ")', 'warning: `join` needs a list of string, found a list of number'],
    ['sum(["a", "b"])', 'warning: `sum` needs a list of number, found a list of string'],
    ['max([true])', 'warning: `max` needs a list of number or string, found a list of boolean'],
    ['max(n, s)', '`max` needs only numbers or only strings, found number and string'],
    ['min(1, "a", b)', '`min` needs only numbers or only strings, found number and string and any value'],
    ['first(tags) + 1', '`+` is not defined for null or string and number'],
    ['first(items).sku > 5', '`>` is not defined for string and number'],
    ['any(filter(items, i => i.qty > 1), i => i.sku > 5)', '`>` is not defined for string and number'],
    ['any(map(items, i => i.sku), x => x > 5)', '`>` is not defined for string and number'],
  ])('%s', (text, problem) => expect(told(text)).toEqual([problem]))

  test.each([
    'sum(scores)',
    'sum([])',
    'sum(map(items, i => i.qty))',
    'sum(items, i => i.qty)',
    'sum([1, a])',
    'max(tags)',
    'max(n, scores[0], b)',
    'join(tags, "")',
    'first(tags) == "a"',
    'first(scores) > 5',
    'sum(map(things, t => t.price))',
    'last(a) - 1',
  ])('%s can succeed', (text) => expect(told(text)).toEqual([]))
})

test('lambda parameters have the types of items, and the second one is a number', () => {
  const typeOfItems = (path: Field['path']) => (path.some(({ kind }) => kind === 'index') ? TYPE.string : undefined)
  const found = (text: string) => {
    const parsed = parse(text)
    if (parsed.kind === 'failed') throw new Error(text)
    return check(parsed.expression, { typeAt: typeOfItems }).map(({ at }) => text.slice(at.start, at.end))
  }
  expect(found('any(items, x => x > 1)')).toEqual(['>'])
  expect(found('any(items, (x, i) => upper(i) == x)')).toEqual(['i'])
  expect(found('any(items, (x, i) => i > 1 && x > "a")')).toEqual([])
})

/**
 * Nodes that may leave a part unevaluated, and tests that are false when one argument is null even if others are
 * invalid.
 */
function isForgiving(node: Expression): boolean {
  switch (node.kind) {
    case 'binary':
      return node.operator === '&&' || node.operator === '||'
    case 'call':
      return node.name === 'coalesce' || FUNCTIONS.get(node.name)?.returns === TYPE.boolean
    default:
      return node.kind === 'conditional' || node.kind === 'lambda'
  }
}

test('no expression is refused that gives a value for some input', () => {
  const random = seeded(SEED)
  let refusals = 0
  for (let count = 0; count < EXPRESSIONS; count++) {
    const expression = randomExpression(random, 1 + random.below(3))
    const [refused] = check(expression)
    if (refused === undefined || has(expression, isForgiving)) continue
    refusals++
    const runtime = { now: 0, budget: Budget.endless() }
    const environment = { input: randomInput(random), variables: randomVariables(random), policy: LENIENT, runtime }
    expect(() => interpret(expression, environment), `${print(expression)}: ${refused.message}`).toThrow(
      EvaluationError,
    )
  }
  expect(refusals).toBeGreaterThan(EXPRESSIONS / 40)
})

test.each([
  ['a / 0', 'division-by-zero 4-5'],
  ['a % -0', 'division-by-zero 4-6'],
  ['no && 1 / 0', 'division-by-zero 10-11'],
])('%s is allowed with a warning: it may never be reached', (text, warning) => {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(text)
  const warned: string[] = []
  const problems = check(parsed.expression, {
    warn: ({ code, at }) => warned.push(`${code} ${at.start}-${at.end}`),
  })
  expect([problems, warned]).toEqual([[], [warning]])
})

test('every function gives values of the types that it promises', () => {
  const random = seeded(SEED)
  for (let count = 0; count < EXPRESSIONS; count++) {
    const expression = randomExpression(random)
    if (expression.kind !== 'call') continue
    const runtime = { now: 0, budget: Budget.endless() }
    const environment = { input: randomInput(random), variables: randomVariables(random), policy: LENIENT, runtime }
    const given = typeGiven(() => interpret(expression, environment))
    const promised = FUNCTIONS.get(expression.name)?.returns ?? TYPE.any
    expect(given & ~promised, `${print(expression)} gives ${typeText(given)}, not ${typeText(promised)}`).toBe(0)
  }
})

/** No type when evaluation fails. */
function typeGiven(evaluate: () => Value): Type {
  try {
    return typeOf(evaluate())
  } catch (error) {
    if (error instanceof EvaluationError) return 0
    throw error
  }
}

function has(expression: Expression, isWanted: (node: Expression) => boolean): boolean {
  let found = false
  walk(expression, (node) => {
    found ||= isWanted(node)
  })
  return found
}
