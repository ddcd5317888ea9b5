import { printPath } from '@engine/expression'
import { type Arithmetic, type Comparison, type Feel, FeelFault, type FeelTest, FUNCTIONS, isDuration } from './ast.ts'
import type { FeelScope } from './scope.ts'

/** A difference in meaning for some inputs. */
export type Deviation =
  /** Arithmetic with null fails. */
  | 'arithmetic'
  /** The sum of an empty list is 0 instead of null. */
  | 'sum'
  /** An equality of different types is false instead of null, and an order of them fails. */
  | 'comparison'

/** An expression in our language. */
export interface Written {
  readonly text: string
  readonly deviations: ReadonlySet<Deviation>
  /** Names that it reads, without members. */
  readonly names: ReadonlySet<string>
}

/** Translates an expression to our language. Throws `FeelFault` where there is no equivalent. Linear in its size. */
export function writeValue(feel: Feel, scope: FeelScope): Written {
  const writer = new FeelWriter(scope, undefined)
  const text = writer.value(feel)
  return { text, deviations: writer.deviations, names: writer.names }
}

const SPAN = { start: 0, end: 0 }

/** The path of an input from its name and member names. */
export function inputPath(names: readonly string[]): string {
  return printPath({ kind: 'field', path: names.map((name) => ({ kind: 'name', name })), span: SPAN })
}

/** The path of a variable with member names. */
export function variablePath(variable: string, members: readonly string[]): string {
  const path = members.map((name) => ({ kind: 'name', name }) as const)
  return printPath({ kind: 'variable', name: variable, path, span: SPAN })
}

const SIGNS: { readonly [Operator in Comparison]: string } = {
  '=': '==',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/** The comparison that is true when the given one is false, and false for null like it. */
const OPPOSITES: { readonly [Operator in Comparison]: Comparison } = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

const TIMES: ReadonlySet<string> = new Set(['date', 'time', 'dateTime', 'dayTimeDuration', 'yearMonthDuration'])

/** Kinds whose text needs no parentheses in a larger one. */
const WHOLE: ReadonlySet<Feel['kind']> = new Set([
  'literal',
  'number',
  'time',
  'tested',
  'path',
  'list',
  'context',
  'call',
])

/** Writes parts of one expression. `tested` is the path that `?` stands for. */
export class FeelWriter {
  readonly #scope: FeelScope
  readonly #tested: string | undefined
  readonly deviations = new Set<Deviation>()
  readonly names = new Set<string>()

  constructor(scope: FeelScope, tested: string | undefined) {
    this.#scope = scope
    this.#tested = tested
  }

  value(feel: Feel): string {
    switch (feel.kind) {
      case 'literal':
        return JSON.stringify(feel.value)
      case 'number':
        return feel.text
      case 'time':
        return JSON.stringify(feel.text)
      case 'tested':
        return this.#testedPath()
      case 'path':
        return this.#path(feel.name, feel.members)
      case 'negation':
        this.deviations.add('arithmetic')
        return `-${this.#operand(feel.operand)}`
      case 'arithmetic':
        return this.#arithmetic(feel.operator, feel.left, feel.right)
      case 'comparison':
      case 'logic':
      case 'not':
      case 'membership':
        // Three values: true, false, and null for all else.
        this.deviations.add('comparison')
        return `if ${this.truth(feel)} then true else if ${this.falsehood(feel)} then false else null`
      case 'if':
        return `if ${this.truth(feel.condition)} then ${this.#operand(feel.consequent)} else ${this.#operand(feel.alternate)}`
      case 'list':
        return `[${feel.items.map((item) => this.value(item)).join(', ')}]`
      case 'context':
        return `{${feel.entries.map(([key, value]) => `${JSON.stringify(key)}: ${this.value(value)}`).join(', ')}}`
      case 'call':
        this.deviations.add('arithmetic')
        if (feel.name === 'sum') this.deviations.add('sum')
        return `${FUNCTIONS[feel.name]}(${feel.args.map((value) => this.value(value)).join(', ')})`
    }
  }

  /** A condition that is true exactly where the expression is true rather than false or null. */
  truth(feel: Feel): string {
    switch (feel.kind) {
      case 'comparison':
        return `${this.#compared(feel.left)} ${SIGNS[feel.operator]} ${this.#compared(feel.right)}`
      case 'logic': {
        const sign = feel.operator === 'and' ? '&&' : '||'
        return `${this.#part(this.truth(feel.left), feel.left)} ${sign} ${this.#part(this.truth(feel.right), feel.right)}`
      }
      case 'not':
        return this.falsehood(feel.operand)
      case 'membership': {
        const value = this.#compared(feel.value)
        return any(feel.tests.map((test) => this.test(value, test)))
      }
      default:
        return `${this.#operand(feel)} == true`
    }
  }

  /** A condition that is true exactly where the expression is false. */
  falsehood(feel: Feel): string {
    switch (feel.kind) {
      case 'comparison':
        return this.truth({ ...feel, operator: OPPOSITES[feel.operator] })
      case 'logic': {
        const sign = feel.operator === 'and' ? '||' : '&&'
        return `(${this.falsehood(feel.left)}) ${sign} (${this.falsehood(feel.right)})`
      }
      case 'not':
        return this.truth(feel.operand)
      case 'membership': {
        const value = this.#compared(feel.value)
        return all(feel.tests.map((test) => this.failedTest(value, test)))
      }
      default:
        return `${this.#operand(feel)} == false`
    }
  }

  /** The condition that a value passes a test. */
  test(value: string, test: FeelTest): string {
    switch (test.kind) {
      case 'comparison':
        return `${value} ${SIGNS[test.operator]} ${this.#compared(test.value)}`
      case 'interval': {
        const { low, high } = test
        const above = `${value} ${low.isIncluded ? '>=' : '>'} ${this.#compared(low.value)}`
        return `${above} && ${value} ${high.isIncluded ? '<=' : '<'} ${this.#compared(high.value)}`
      }
      case 'item':
        return `${value} in ${this.#operand(test.list)}`
      case 'condition':
        return this.truth(test.condition)
    }
  }

  /** The condition that a value fails a test; false for values for which the test is null. */
  failedTest(value: string, test: FeelTest): string {
    switch (test.kind) {
      case 'comparison':
        return this.test(value, { ...test, operator: OPPOSITES[test.operator] })
      case 'interval': {
        const { low, high } = test
        const below = `${value} ${low.isIncluded ? '<' : '<='} ${this.#compared(low.value)}`
        return `${below} || ${value} ${high.isIncluded ? '>' : '>='} ${this.#compared(high.value)}`
      }
      case 'item':
        return `${value} not in ${this.#operand(test.list)}`
      case 'condition':
        return this.falsehood(test.condition)
    }
  }

  #arithmetic(operator: Arithmetic, left: Feel, right: Feel): string {
    if (this.#isTime(left) || this.#isTime(right))
      throw new FeelFault('arithmetic with dates and times is not supported', 0)
    this.deviations.add('arithmetic')
    if (operator === '**') return `pow(${this.value(left)}, ${this.value(right)})`
    return `${this.#operand(left)} ${operator} ${this.#operand(right)}`
  }

  #isTime(feel: Feel): boolean {
    if (feel.kind === 'time') return true
    return TIMES.has(this.#typeOf(feel) ?? '')
  }

  /** The declared type of a path. */
  #typeOf(feel: Feel): string | undefined {
    return feel.kind === 'path' ? this.#scope.named(feel.name)?.typeOf(feel.members) : undefined
  }

  #testedPath(): string {
    if (this.#tested === undefined) throw new FeelFault('`?` is only allowed in input entries', 0)
    return this.#tested
  }

  #path(name: string, members: readonly string[]): string {
    this.names.add(name)
    const target = this.#scope.named(name)?.target
    return target?.kind === 'variable' ? variablePath(target.variable, members) : inputPath([name, ...members])
  }

  #compared(feel: Feel): string {
    if (isDuration(this.#typeOf(feel))) throw new FeelFault('durations are texts here, which compare differently', 0)
    return this.#operand(feel)
  }

  #operand(feel: Feel): string {
    return this.#part(this.value(feel), feel)
  }

  #part(text: string, feel: Feel): string {
    return WHOLE.has(feel.kind) ? text : `(${text})`
  }
}

/** The disjunction of conditions; false when empty. */
export function any(conditions: readonly string[]): string {
  return joined(conditions, ' || ')
}

/** The conjunction of conditions. */
export function all(conditions: readonly string[]): string {
  return joined(conditions, ' && ')
}

function joined(conditions: readonly string[], sign: string): string {
  const [only] = conditions
  return conditions.length === 1 && only !== undefined ? only : conditions.map((one) => `(${one})`).join(sign)
}
