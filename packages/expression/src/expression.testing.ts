import type { BinaryOperator, Expression, Segment } from './ast.ts'
import type { FunctionDefinition, Parameter } from './function-definition.ts'
import { DESCRIPTIONS } from './functions/descriptions.ts'
import { FUNCTIONS } from './functions/index.ts'
import { parse } from './parser.ts'
import { isReference } from './path.ts'
import type { Random } from './random.testing.ts'
import { NO_SPAN } from './source.ts'
import { TYPE, type Type } from './types.ts'
import type { Value } from './value.ts'

/** Names that reach for the host, for generated code or for the parser. */
export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'length',
  'toString',
  'hasOwnProperty',
  '"];process.exit()//',
  '${process.exit()}',
  '\u2028',
  '*/',
  "'",
  '\\',
  '',
  '0',
  '-1',
  'input',
  'runtime',
  'k0',
  't0',
  'if',
  'not',
  'ünïcødé',
  '\ud800',
  '💥',
] as const

const NAMES = ['a', 'b', 'c', 'd', 'items', 'name', 'x', 'y'] as const
const VARIABLES = ['v', 'w', 'result'] as const
const LOCALS = ['x', 'y', 'item', 'i'] as const

const STRINGS = [
  '',
  'a',
  'abc',
  'Ada Lovelace',
  '10',
  '2024-02-29',
  '2026-11-20T10:00:00Z',
  '10.0.0.0/8',
  '10.1.2.3',
  '1.2.3',
  '^a.*$',
  '*.txt',
  'a,b,c',
  '{"k": [1, 2]}',
  'days',
  'YWJj',
  ...HOSTILE_NAMES,
] as const

const NUMBERS: readonly (number | bigint)[] = [
  0,
  -0,
  1,
  -1,
  2,
  3,
  7,
  10,
  0.5,
  -2.25,
  1e-7,
  1e21,
  1.7e308,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  2 ** 53 - 2,
  2 ** 52 + 1,
  94_906_267,
  -4_000_000_000,
  9007199254740993n,
  -9007199254740992n,
  123456789012345678901234567890n,
]

const OPERATORS: readonly BinaryOperator[] = [
  '||',
  '&&',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not in',
  'contains',
  '+',
  '-',
  '*',
  '/',
  '%',
]

/** A random JSON value: wrong types, Unicode, hostile keys and occasional deep nesting. */
function randomValue(random: Random, depth = 3): Value {
  const kind = random.below(depth > 0 ? 9 : 6)
  switch (kind) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
    case 3:
      return random.chance(0.7) ? random.below(12) : random.pick(NUMBERS)
    case 4:
    case 5:
      return random.pick(STRINGS)
    case 6:
      return nested(random)
    case 7:
      return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1))
    default:
      return randomObject(random, depth - 1)
  }
}

function nested(random: Random): Value {
  let value: Value = random.below(3)
  const depth = random.chance(0.05) ? 120 : random.below(6)
  for (let level = 0; level < depth; level++) value = random.chance(0.5) ? [value] : { a: value }
  return value
}

function randomObject(random: Random, depth: number): Value {
  const keys = new Set(Array.from({ length: random.below(5) }, () => randomName(random)))
  return Object.fromEntries([...keys].map((key) => [key, randomValue(random, depth)]))
}

function randomName(random: Random): string {
  return random.chance(0.85) ? random.pick(NAMES) : random.pick(HOSTILE_NAMES)
}

/** A random input: nearly always an object, with the names that `randomExpression` reads. */
export function randomInput(random: Random): Value {
  if (random.chance(0.02)) return randomValue(random)
  const entries = NAMES.filter(() => random.chance(0.8)).map((name) => [name, randomValue(random)] as const)
  const odd = HOSTILE_NAMES.filter(() => random.chance(0.1)).map((name) => [name, randomValue(random, 1)] as const)
  return Object.fromEntries([...entries, ...odd])
}

/** Values of some of the variables that `randomExpression` reads. */
export function randomVariables(random: Random): Map<string, Value> {
  return new Map(VARIABLES.filter(() => random.chance(0.7)).map((name) => [name, randomValue(random)] as const))
}

/**
 * A random tree that the parser could have made: every operator, every function, paths of every kind, lambdas. Types
 * mostly fit, so that evaluation gets past the first operand.
 */
export function randomExpression(
  random: Random,
  depth = 1 + random.below(5),
  locals: readonly string[] = [],
): Expression {
  return new Growth(random, locals).of(TYPE.any, depth)
}

const DEFINITIONS = [...FUNCTIONS.values()]

/** The arguments of the functions' documented examples. */
const EXAMPLES: ReadonlyMap<string, readonly Expression[]> = new Map(
  Object.entries(DESCRIPTIONS).map(([name, { example }]) => {
    const parsed = parse(example.expression)
    const call = parsed.kind === 'parsed' ? parsed.expression : undefined
    return [name, call?.kind === 'call' && call.name === name ? call.args : []]
  }),
)

class Growth {
  readonly #random: Random
  readonly #locals: readonly string[]

  constructor(random: Random, locals: readonly string[]) {
    this.#random = random
    this.#locals = locals
  }

  of(type: Type, depth: number): Expression {
    const random = this.#random
    if (depth <= 0) return random.chance(0.5) ? this.#literal(type) : this.#reference()
    switch (random.below(12)) {
      case 0:
        return this.#literal(type)
      case 1:
        return this.#reference()
      case 2:
      case 3:
      case 4:
      case 5:
        return this.#binary(depth)
      case 6:
        return this.#unary(depth)
      case 7:
        return {
          kind: 'conditional',
          condition: this.of(TYPE.any, depth - 1),
          consequent: this.of(type, depth - 1),
          alternate: this.of(type, depth - 1),
          span: NO_SPAN,
        }
      case 8:
        return this.#container(depth)
      case 9:
        return this.#member(depth)
      default:
        return this.#call(depth)
    }
  }

  #literal(type: Type): Expression {
    const random = this.#random
    if (type !== TYPE.any && (type & TYPE.string) !== 0 && random.chance(0.7)) return literal(random.pick(STRINGS))
    if (type !== TYPE.any && (type & TYPE.number) !== 0 && random.chance(0.7)) return literal(this.#number())
    if (type !== TYPE.any && (type & TYPE.array) !== 0 && random.chance(0.7)) return this.#container(1)
    return literal(random.pick([null, true, false, this.#number(), this.#number(), random.pick(STRINGS)]))
  }

  #number(): number | bigint {
    return this.#random.chance(0.7) ? this.#random.below(12) : this.#random.pick(NUMBERS)
  }

  #reference(): Expression {
    const random = this.#random
    const path = Array.from({ length: random.below(3) }, () => this.#segment())
    if (this.#locals.length > 0 && random.chance(0.5))
      return { kind: 'local', name: random.pick(this.#locals), path, span: NO_SPAN }
    if (random.chance(0.15)) return { kind: 'variable', name: random.pick(VARIABLES), path, span: NO_SPAN }
    if (random.chance(0.02)) return { kind: 'field', path, span: NO_SPAN }
    return { kind: 'field', path: [{ kind: 'name', name: randomName(random) }, ...path], span: NO_SPAN }
  }

  #segment(): Segment {
    const random = this.#random
    if (random.chance(0.15)) return { kind: 'wildcard' }
    if (random.chance(0.25)) return { kind: 'index', index: random.below(5) - 2 }
    return { kind: 'name', name: randomName(random) }
  }

  #member(depth: number): Expression {
    const object = this.of(TYPE.any, depth - 1)
    const path = [this.#segment()]
    return isReference(object) ? object : { kind: 'member', object, path, span: NO_SPAN }
  }

  #binary(depth: number): Expression {
    const random = this.#random
    const operator = random.pick(OPERATORS)
    const type = random.chance(0.6) ? TYPE.number : TYPE.any
    const left = this.of(type, depth - 1)
    const isSet = (operator === 'in' || operator === 'not in') && random.chance(0.7)
    const right = isSet ? this.#container(1) : this.of(type, depth - 1)
    return { kind: 'binary', operator, left, right, span: NO_SPAN, operatorSpan: NO_SPAN }
  }

  /** The parser makes `-5` a literal. */
  #unary(depth: number): Expression {
    const operand = this.of(TYPE.number, depth - 1)
    const isNumber =
      operand.kind === 'literal' && (typeof operand.value === 'number' || typeof operand.value === 'bigint')
    return { kind: 'unary', operator: isNumber || this.#random.chance(0.5) ? '!' : '-', operand, span: NO_SPAN }
  }

  #container(depth: number): Expression {
    const random = this.#random
    const length = random.chance(0.1) ? 6 + random.below(10) : random.below(4)
    if (random.chance(0.7)) {
      const items = Array.from({ length }, () => this.of(TYPE.any, random.chance(0.5) ? 0 : depth - 1))
      return { kind: 'array', items, span: NO_SPAN }
    }
    const keys = new Set(Array.from({ length }, () => randomName(random)))
    const entries = [...keys].map((key) => ({ key, value: this.of(TYPE.any, depth - 1) }))
    return { kind: 'object', entries, span: NO_SPAN }
  }

  #call(depth: number): Expression {
    const random = this.#random
    const definition = random.pick(DEFINITIONS)
    const args = random.chance(0.3)
      ? this.#exampleArguments(definition, depth - 1)
      : this.#arguments(definition, depth - 1)
    if (random.chance(0.01)) args.pop()
    const name = random.chance(0.01) ? 'no_such' : definition.name
    return { kind: 'call', name, args, span: NO_SPAN, nameSpan: NO_SPAN }
  }

  #arguments(definition: FunctionDefinition, depth: number): Expression[] {
    return argumentsOf(definition, this.#random).map((parameter) => this.#argument(definition, parameter, depth))
  }

  /** The arguments of the documented example, occasionally with one replaced: valid dates, versions and units. */
  #exampleArguments(definition: FunctionDefinition, depth: number): Expression[] {
    const args = [...(EXAMPLES.get(definition.name) ?? [])]
    const index = this.#random.below(args.length)
    const parameter = definition.parameters[index]
    if (parameter !== undefined && args[index] !== undefined && this.#random.chance(0.4))
      args[index] = this.#argument(definition, parameter, depth)
    return args
  }

  #argument(definition: FunctionDefinition, parameter: Parameter, depth: number): Expression {
    if (definition.name === 'exists') return this.#reference()
    if (parameter.lambda !== true) return this.of(parameter.type, depth)
    const names = new Set([this.#random.pick(LOCALS), ...(this.#random.chance(0.3) ? [this.#random.pick(LOCALS)] : [])])
    const body = new Growth(this.#random, [...this.#locals, ...names]).of(parameter.type, depth)
    return { kind: 'lambda', parameters: [...names], body, span: NO_SPAN }
  }
}

function argumentsOf({ parameters }: FunctionDefinition, random: Random): readonly Parameter[] {
  return parameters.flatMap((parameter) => {
    if (parameter.variadic) return Array.from({ length: random.below(4) }, () => parameter)
    return parameter.optional && random.chance(0.4) ? [] : [parameter]
  })
}

function literal(value: Value): Expression {
  return { kind: 'literal', value, span: NO_SPAN }
}
