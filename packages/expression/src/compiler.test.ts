import { Budget } from './budget.ts'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { compile, type MakeFunction, makeFunction } from './compiler.ts'
import { HOSTILE_NAMES, randomExpression } from './expression.testing.ts'
import { parse } from './parser.ts'
import { seeded } from './random.testing.ts'
import { LENIENT, type EvaluationPolicy } from './runtime.ts'
import type { Expression } from './ast.ts'
import type { Value } from './value.ts'

const STRICT: EvaluationPolicy = { mode: 'strict', defaults: new Map(), numbers: 'double' }
const DEFAULTS: EvaluationPolicy = {
  mode: 'default',
  defaults: new Map<string, Value>([['a', '"];process.exit()//']]),
  numbers: 'double',
}

/** The complete vocabulary of generated code: our identifiers, numbers, type names, operators. */
const PIECES = [
  /\s+/,
  /\b(?:const|let|return|typeof|undefined|null|true|false|constants|input|variables(?:\.get)?|runtime)\b/,
  /(?<![\w$])(?:k|\$?t|\$?p)\d+\b/,
  /(?<![\w$])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/,
  /'(?:number|string|boolean)'/,
  // A lambda charges at each call, and listing an object's keys for its truth charges too.
  /(?<=\bruntime)\.budget(?:\.spend(?=\())?/,
  // Only on a constant set.
  /(?<=(?<![\w$])k\d+)\.has(?=\()/,
  /=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\/(?![/*])|[-+*%<>!=?:()[\]{},;]/,
]
const ALLOWED = new RegExp(`^(?:${PIECES.map(({ source }) => source).join('|')})*$`)

function generated(expression: Expression, policy: EvaluationPolicy): string {
  let text = ''
  const recording: MakeFunction = (parameters, body) => {
    text = body
    return makeFunction(parameters, body)
  }
  compile(expression, { policy, makeFunction: recording })
  return text
}

function tree(text: string): Expression {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  return parsed.expression
}

describe('generated code contains no text of the user', () => {
  test('in random expressions with hostile names and texts', () => {
    const cases = casesOf(50_000)
    printSeed(cases)
    const random = seeded(SEED)
    for (let count = 0; count < cases; count++) {
      const code = generated(randomExpression(random), random.pick([LENIENT, STRICT, DEFAULTS]))
      if (!ALLOWED.test(code)) throw new Error(code)
    }
  })

  test.each(HOSTILE_NAMES)('%j as name, key, text and variable', (name) => {
    const quoted = JSON.stringify(name)
    const text = `[$[${quoted}], a[${quoted}], {${quoted}: a}, a == ${quoted}, a in [${quoted}, 1], a in [${quoted}, 1, 2, 3, 4, 5], format(${quoted}), $v[${quoted}]]`
    for (const policy of [LENIENT, STRICT, DEFAULTS]) expect(generated(tree(text), policy)).toMatch(ALLOWED)
  })

  test('the list of allowed code rejects everything else', () => {
    for (const code of [
      'process',
      'k0.x',
      '"a"',
      "'a'",
      '`a`',
      '// a',
      '/* a */',
      'k0x',
      'a',
      '\u2028a',
      'new',
      'input.a',
      '\\',
    ])
      expect(code).not.toMatch(ALLOWED)
  })
})

describe('a compiled expression', () => {
  const run = (text: string, input: Value, variables: ReadonlyMap<string, Value> = new Map(), policy = LENIENT) =>
    compile(tree(text), { policy })(input, variables, { now: 0, budget: Budget.endless() })

  test.each<[text: string, input: Value, value: Value]>([
    ['a', {}, null],
    ['a', null, null],
    ['a', 'text', null],
    ['$', [1], [1]],
    ['a["length"]', { a: 'abc' }, null],
    ['length', [1, 2], null],
    ['__proto__', {}, null],
    ['__proto__.x', JSON.parse('{"__proto__": {"x": 1}}') as Value, 1],
    ['{"__proto__": 1}', {}, JSON.parse('{"__proto__": 1}') as Value],
    ['constructor.name', { a: 1 }, null],
    ['$v', {}, null],
    ['a.0', { a: 'abc' }, null],
    ['a + 1', { a: 9007199254740991 }, 9007199254740992n],
    ['a - 1', { a: 9007199254740992n }, 9007199254740991],
  ])('%s, row %#', (text, input, value) => expect(run(text, input)).toEqual(value))

  test('reads variables by name', () =>
    expect(
      run(
        '$v.a + $w',
        {},
        new Map<string, Value>([
          ['v', { a: 1 }],
          ['w', 2],
        ]),
      ),
    ).toBe(3))

  test.each(['a', 'a.b', '$v', `a${'.b'.repeat(50)}`])(
    '%s may be missing in strict mode within 60 calls of coalesce',
    (reference) =>
      expect(run(`${'coalesce(null, '.repeat(60)}${reference}${')'.repeat(60)}`, {}, new Map(), STRICT)).toBeNull(),
  )

  test('shares nothing that a caller could change', () => {
    const compiled = compile(tree('[1, {"k": [2]}]'), { policy: LENIENT })
    const value = compiled({}, new Map(), { now: 0, budget: Budget.endless() }) as unknown[]
    expect(() => value.push(3)).toThrow(TypeError)
    expect(() => (value[1] as { k: number[] }).k.push(3)).toThrow(TypeError)
    expect(compiled({}, new Map(), { now: 0, budget: Budget.endless() })).toEqual([1, { k: [2] }])
  })

  test('is created by the given function', () => {
    const refusing: MakeFunction = () => {
      throw new Error('the page forbids it')
    }
    expect(() => compile(tree('a'), { policy: LENIENT, makeFunction: refusing })).toThrow('the page forbids it')
  })
})
