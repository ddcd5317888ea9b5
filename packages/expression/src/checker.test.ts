import { describe, expect, test } from 'vitest'
import { check } from './checker.ts'
import { randomExpression, randomInput, randomVariables } from './expression.testing.ts'
import { FUNCTIONS } from './functions/index.ts'
import { interpret } from './interpreter.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { seeded, seedOfRun } from './random.testing.ts'
import { EvaluationError, LENIENT } from './runtime.ts'
import { TYPE } from './types.ts'

function problemsOf(text: string): readonly string[] {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  return check(parsed.expression, { fields: new Map([['age', TYPE.number]]) }).map(
    ({ code, at, message, suggestion }) =>
      `${code} ${at.start}-${at.end} ${message}${suggestion === undefined ? '' : ` [${suggestion}]`}`,
  )
}

describe('what cannot be right is told', () => {
  test.each([
    ['lenght(a)', 'unknown-function 0-6 there is no function `lenght`'],
    ['uper(a)', 'unknown-function 0-4 there is no function `uper` [upper]'],
    ['len()', 'wrong-arity 0-5 `len` takes 1 argument (value), found 0'],
    ['substring("a")', 'wrong-arity 0-14 `substring` takes 2 to 3 arguments (text, start, end?), found 1'],
    ['upper(5)', 'wrong-type 6-7 `upper` needs string as `text`, found number'],
    ['any(a, b)', 'misplaced-lambda 7-8 `any` takes a function such as `x => …` as `test`'],
    ['len(x => x)', 'misplaced-lambda 4-10 `len` takes no function as `value`'],
    ['1 + "a"', 'wrong-type 2-3 `+` is not defined for number and string'],
    ['1 < "a"', 'wrong-type 2-3 `<` is not defined for number and string'],
    ['-"a"', 'wrong-type 0-4 `-` needs a number, found string'],
    ['a - len(b) * "x"', 'wrong-type 11-12 `*` is not defined for number and string'],
    ['1 in 2', 'wrong-type 2-4 `in` is not defined for number and number'],
    ['1 in "abc"', 'wrong-type 2-4 `in` is not defined for number and string'],
    ['a / 0', 'division-by-zero 4-5 division by zero'],
    ['age - "x"', 'wrong-type 4-5 `-` is not defined for null or number and string'],
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

  test('all at once', () => expect(problemsOf('foo(1 + "a", -true)')).toHaveLength(3))
})

test.each([
  ['a + b'],
  ['a < null'],
  ['null in "a"'],
  ['starts_with(null, "a")'],
  ['min(a)'],
  ['coalesce(a, 1) + 1'],
  ['contains(null, 1)'],
])('%s is fine', (text) => expect(problemsOf(text)).toEqual([]))

test('no single operator or call is refused that gives a value for some input', () => {
  const seed = seedOfRun()
  console.log(`seed ${seed}`)
  const random = seeded(seed)
  for (let count = 0; count < 20_000; count++) {
    const expression = randomExpression(random, 1)
    const refused = check(expression)
    if (refused.length === 0 || expression.kind === 'conditional' || expression.kind === 'lambda') continue
    // `&&`, `||`, `coalesce` and lambdas over empty lists may never reach the part that is refused.
    if (/&&|\|\||coalesce|=>|if /.test(print(expression))) continue
    // Predicates are false when one argument is null, however wrong the other.
    if (expression.kind === 'call' && FUNCTIONS.get(expression.name)?.returns === TYPE.boolean) continue
    const environment = {
      input: randomInput(random),
      variables: randomVariables(random),
      missing: LENIENT,
      runtime: { now: 0, allocated: 0 },
    }
    expect(() => interpret(expression, environment), `${print(expression)}: ${refused[0]?.message}`).toThrow(EvaluationError)
  }
})
