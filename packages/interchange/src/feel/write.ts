import { printPath, quote } from '@engine/expression'
import { type Arithmetic, type Comparison, type Feel, FeelFault, type FeelTest, FUNCTIONS, isDuration } from './ast.ts'
import { shapeOfFeel } from './expansion.ts'
import { isSpan, type NativeDeviation, type NativeFunction } from './natives.ts'
import type { FeelScope } from './scope.ts'
import { typeOfShape } from './shape.ts'

/** A difference in meaning for some inputs. */
export type Deviation =
  /** Arithmetic with null fails. */
  | 'arithmetic'
  /** The sum of an empty list is 0 instead of null. */
  | 'sum'
  /** A comparison of different types is false instead of null for equality, and fails for order. */
  | 'comparison'
  | NativeDeviation

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
  'item',
  'filter',
  'indexed',
])

/** Tests for the types of parameters. */
const TESTS: { readonly [Name in NativeFunction['parameters'][number]]: string | undefined } = {
  string: 'is_string',
  number: 'is_number',
  boolean: 'is_bool',
  list: 'is_array',
  date: 'is_string',
  any: undefined,
}

/** Maximum length of an argument that may be written several times. */
const MAX_ARGUMENT = 500

const spanFault = () =>
  new FeelFault('a duration has no value of its own here: only comparisons and members of it are supported')

/** Whether a value certainly has the type of a parameter. */
function isOfKind(feel: Feel, parameter: NativeFunction['parameters'][number] | undefined): boolean {
  if (feel.kind === 'literal') return typeof feel.value === parameter
  if (feel.kind === 'time') return parameter === 'date'
  return feel.kind === parameter && (feel.kind === 'number' || feel.kind === 'list')
}

/** Names of parameters. */
const PARAMETER = /^each_\d+$/

/** Writes parts of one expression. `tested` is the path that `?` stands for. */
export class FeelWriter {
  readonly #scope: FeelScope
  #tested: string | undefined
  /** The parameter names of the enclosing iterations. */
  readonly #parameters = new Map<symbol, string>()
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
      case 'quantified':
        // Three-valued: true, false, and null for anything else.
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
      case 'item':
        return inputPath([this.#parameters.get(feel.parameter) ?? '', ...feel.members])
      case 'each': {
        const present = this.#present(feel.list)
        const made = this.#each(feel)
        return present === undefined ? made : `if ${present} then ${made} else null`
      }
      case 'filter':
        return this.#filter(feel)
      case 'indexed': {
        const { list, index } = feel
        const end = index === -1 ? '' : `, ${index > 0 ? index : index + 1}`
        return `first(slice(${this.#listed(list)}, ${index > 0 ? index - 1 : index}${end}))`
      }
      case 'sorted': {
        const present = this.#present(feel.list)
        const made = this.#sorted(feel)
        return present === undefined ? made : `if ${present} then ${made} else null`
      }
      case 'rounded':
        this.deviations.add('arithmetic')
        return `round(${this.value(feel.value)}, ${feel.digits}, "half_even")`
      case 'text': {
        const text = this.value(feel.value)
        if (feel.value.kind !== 'path' && feel.value.kind !== 'item') {
          this.deviations.add('arithmetic')
          return `to_string(${text})`
        }
        return `if is_null(${text}) then null else to_string(${text})`
      }
      case 'native':
        if (isSpan(feel.function.shape)) throw spanFault()
        return this.#native(feel)
      case 'span':
        throw spanFault()
      case 'rules':
        return this.#rules(feel)
    }
  }

  /** Null if an argument does not have the type of its parameter. */
  #native({ function: { parameters, deviation, write }, args }: Feel & { readonly kind: 'native' }): string {
    if (deviation !== undefined) this.deviations.add(deviation)
    const texts = args.map((arg) => this.#part(this.#spanOrValue(arg), arg))
    if (texts.some((text) => text.length > MAX_ARGUMENT)) throw new FeelFault('such a long argument of a function')
    const guards = args.flatMap((arg, index) => {
      const test = TESTS[parameters[index] ?? 'any']
      return test === undefined || isOfKind(arg, parameters[index]) ? [] : [`${test}(${texts[index] ?? ''})`]
    })
    const made = write(...texts)
    return guards.length === 0 ? made : `if ${all(guards)} then ${made} else null`
  }

  /** The number of months or seconds of a duration; any other value unchanged. */
  #spanOrValue(feel: Feel): string {
    if (feel.kind === 'span') return String(feel.amount)
    return feel.kind === 'native' ? this.#native(feel) : this.value(feel)
  }

  #sorted({ parameter, list, key, isDescending }: Feel & { readonly kind: 'sorted' }): string {
    this.deviations.add('arithmetic')
    const sort = (text: string) => `sort(${text}, ${this.#lambda(parameter, () => this.value(key))})`
    return isDescending ? `reverse(${sort(`reverse(${this.#list(list)})`)})` : sort(this.#list(list))
  }

  #each({ parameter, list, body, isFlat }: Feel & { readonly kind: 'each' }): string {
    const made = `map(${this.#list(list)}, ${this.#lambda(parameter, () => (isFlat === true && body.kind === 'each' ? this.#joined(body) : this.value(body)))})`
    return isFlat === true ? `flatten(${made})` : made
  }

  /** The values of an inner iteration; a null list has none. */
  #joined(body: Feel & { readonly kind: 'each' }): string {
    const present = this.#present(body.list)
    const made = this.#each(body)
    return present === undefined ? made : `if ${present} then ${made} else []`
  }

  #filter({ parameter, list, test }: Feel & { readonly kind: 'filter' }): string {
    return `filter(${this.#listed(list)}, ${this.#lambda(parameter, () => this.truth(test))})`
  }

  #lambda(parameter: symbol, body: () => string): string {
    const name = `each_${this.#parameters.size + 1}`
    this.#parameters.set(parameter, name)
    const text = `${name} => (${body()})`
    this.#parameters.delete(parameter)
    return text
  }

  /** The text of a non-null list. */
  #list(list: Feel): string {
    return list.kind === 'each' ? this.#each(list) : this.value(list)
  }

  /** The text of a list; an empty list for null. */
  #listed(list: Feel): string {
    const text = this.value(list)
    return list.kind === 'list' || list.kind === 'filter' ? text : `coalesce(${text}, [])`
  }

  /** The condition that a list is not null; undefined if it is never null. An iteration is null if its list is. */
  #present(list: Feel): string | undefined {
    if (list.kind === 'each') return this.#present(list.list)
    return list.kind === 'list' || list.kind === 'filter' ? undefined : `!is_null(${this.value(list)})`
  }

  /** Whether a test holds for an item, or for each. */
  #quantified(feel: Feel & { readonly kind: 'quantified' }, quantifier: 'any' | 'all', outcome: boolean): string {
    const { parameter, list, test } = feel
    const tested = () => (outcome ? this.truth(test) : this.falsehood(test))
    if (quantifier === 'any') return `any(${this.#listed(list)}, ${this.#lambda(parameter, tested)})`
    const present = this.#present(list)
    const every = `all(${this.#list(list)}, ${this.#lambda(parameter, tested)})`
    return present === undefined ? every : `(${present} && ${every})`
  }

  #rules({ name, policy, rules, otherwise }: Feel & { readonly kind: 'rules' }): string {
    if (policy === 'first' || policy === 'unique') {
      const first = rules
        .map(({ condition, value }) => `if ${this.truth(condition)} then (${this.value(value)}) else `)
        .join('')
      const single = `${first}(${this.value(otherwise)})`
      if (policy === 'first' || rules.length < 2) return single
      const matches = rules.map(({ condition }) => `if ${this.truth(condition)} then 1 else 0`).join(', ')
      return `if sum([${matches}]) > 1 then to_number(${faultText(name, 'match: the table allows one')}) else ${single}`
    }
    const found = rules.map(({ condition, value }) => `if ${this.truth(condition)} then [${this.value(value)}] else []`)
    const list = `flatten([${found.join(', ')}])`
    switch (policy) {
      case 'list':
        return list
      case 'any': {
        const fault = faultText(name, 'that match have different outputs')
        return `if len(distinct(${list})) > 1 then to_number(${fault}) else if len(${list}) == 0 then (${this.value(otherwise)}) else first(${list})`
      }
      case 'count':
        return `len(${list})`
      case 'sum':
        return `if len(${list}) == 0 then null else sum(${list})`
      case 'min':
      case 'max':
        return `${policy}(${list})`
    }
  }

  /** A condition that is true exactly if the expression is true, rather than false or null. */
  truth(feel: Feel): string {
    switch (feel.kind) {
      case 'comparison': {
        const [left, right] = [feel.left, feel.right].map((part) => shapeOfFeel(part, this.#scope.shapeOf))
        if (isSpan(left) && typeOfShape(left) === typeOfShape(right)) return this.#comparedSpans(feel)
        return `${this.#compared(feel.left)} ${SIGNS[feel.operator]} ${this.#compared(feel.right)}`
      }
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
      case 'quantified':
        return this.#quantified(feel, feel.quantifier === 'some' ? 'any' : 'all', true)
      case 'literal':
        return typeof feel.value === 'boolean' ? String(feel.value) : `${this.#operand(feel)} == true`
      default:
        return `${this.#operand(feel)} == true`
    }
  }

  /** A comparison of durations of one kind by number. */
  #comparedSpans({ operator, left, right }: Feel & { readonly kind: 'comparison' }): string {
    const number = (span: Feel) => this.#part(this.#spanOrValue(span), span)
    return `${number(left)} ${SIGNS[operator]} ${number(right)}`
  }

  /** A condition that is true exactly if the expression is false. */
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
      case 'quantified':
        return this.#quantified(feel, feel.quantifier === 'some' ? 'all' : 'any', false)
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
        return this.#testing(value, () => this.truth(test.condition))
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
        return this.#testing(value, () => this.falsehood(test.condition))
    }
  }

  /** Writes a condition about a value, its `?`. */
  #testing(value: string, write: () => string): string {
    const before = this.#tested
    this.#tested = value
    const text = write()
    this.#tested = before
    return text
  }

  #arithmetic(operator: Arithmetic, left: Feel, right: Feel): string {
    const parts = operator === '+' ? textParts({ kind: 'arithmetic', operator, left, right }) : undefined
    if (parts !== undefined) return this.#concatenation(parts)
    if (this.#isTime(left) || this.#isTime(right))
      throw new FeelFault('arithmetic with dates and times is not supported')
    this.deviations.add('arithmetic')
    if (operator === '**') return `pow(${this.value(left)}, ${this.value(right)})`
    return `${this.#operand(left)} ${operator} ${this.#operand(right)}`
  }

  /** Concatenates literals and paths; the result is null if a path is not a text. */
  #concatenation(parts: readonly Feel[]): string {
    const paths = parts.filter(({ kind }) => kind !== 'literal').map((part) => this.value(part))
    const made = parts.map((part) => this.value(part)).join(' + ')
    return `if ${all([...new Set(paths)].map((path) => `is_string(${path})`))} then ${made} else null`
  }

  #isTime(feel: Feel): boolean {
    return TIMES.has(this.#typeOf(feel) ?? '')
  }

  #typeOf(feel: Feel): string | undefined {
    return typeOfShape(shapeOfFeel(feel, this.#scope.shapeOf))
  }

  #testedPath(): string {
    if (this.#tested === undefined) throw new FeelFault('`?` is only allowed in input entries')
    return this.#tested
  }

  #path(name: string, members: readonly string[]): string {
    if (PARAMETER.test(name)) throw new FeelFault(`the name ${quote(name)} is used for the items of lists here`)
    this.names.add(name)
    const target = this.#scope.named(name)?.target
    if (target?.kind === 'variable') return variablePath(target.variable, members)
    return inputPath([target?.kind === 'input' ? target.field : name, ...members])
  }

  #compared(feel: Feel): string {
    if (isDuration(this.#typeOf(feel))) throw new FeelFault('durations are texts here, which compare differently')
    return this.#operand(feel)
  }

  #operand(feel: Feel): string {
    return this.#part(this.value(feel), feel)
  }

  #part(text: string, feel: Feel): string {
    return WHOLE.has(feel.kind) ? text : `(${text})`
  }
}

/** Maximum number of parts of one concatenation. */
const MAX_PARTS = 100

/** The operands of a sum of literal texts and paths; undefined for any other sum. */
function textParts(sum: Feel): readonly Feel[] | undefined {
  const parts: Feel[] = []
  let rest = sum
  for (; rest.kind === 'arithmetic' && rest.operator === '+' && parts.length < MAX_PARTS; rest = rest.left)
    parts.push(rest.right)
  parts.push(rest)
  const isText = (part: Feel) => part.kind === 'literal' && typeof part.value === 'string'
  const isPath = ({ kind }: Feel) => kind === 'path' || kind === 'item'
  const isWhole = parts.some(isText) && parts.some(isPath) && parts.every((part) => isText(part) || isPath(part))
  return isWhole ? parts.toReversed() : undefined
}

const faultText = (name: string, fault: string) => JSON.stringify(`rules of ${quote(name)} ${fault}`)

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
