import { quote } from '@engine/expression'
import {
  type Arithmetic,
  type Bound,
  type Comparison,
  type Feel,
  FeelFault,
  type FeelTest,
  FUNCTIONS,
  isDuration,
  OF_LISTS,
  TWO_ARGUMENTS,
  type UnaryTests,
} from './ast.ts'
import { ExpansionBudget, memberOf, type ModelFunction, partsOf, shapeOfFeel } from './expansion.ts'
import { dateArithmetic, durationLiteral, NATIVE_NAMES, nativeCall } from './natives.ts'
import { filterOver, iterationOver, numbersOf, requireCondition, sortedBy } from './iteration.ts'
import { FeelReader } from './reader.ts'
import { boundName, type FeelScope } from './scope.ts'
import { numberLiteral, timeLiteral } from './literal.ts'
import { typeOfShape } from './shape.ts'

/** Parses a FEEL expression. Throws `FeelFault` for unsupported parts. Linear in the length of the text. */
export function parseFeel(text: string, scope: FeelScope): Feel {
  const parser = new Parser(new FeelReader(text), scope)
  const expression = parser.expression()
  parser.end()
  return expression
}

/** Parses an input entry: unary tests. Throws `FeelFault`. */
export function parseUnaryTests(text: string, scope: FeelScope): UnaryTests {
  const parser = new Parser(new FeelReader(text), scope)
  const tests = parser.unaryTests()
  // `not(a) and b` is a condition that starts like a negated test.
  if (tests.isNegated && parser.isUnfinished) return { isNegated: false, tests: [conditionIn(text, scope)] }
  parser.end()
  return tests
}

const COMPARISONS: readonly Comparison[] = ['<=', '>=', '!=', '<', '>', '=']
const RESERVED: ReadonlySet<string> = new Set([
  'for',
  'some',
  'every',
  'in',
  'function',
  'return',
  'satisfies',
  'then',
  'else',
])

/** Maximum number of filters, indexes and members after one value. */
const MAX_STEPS = 50

/** Maximum number of operators of one kind in a row: each adds a level to the expression. */
const MAX_OPERATORS = 500

/** The replacement for a word between the values of a cell. */
const ADVICE = {
  or: '`or` joins conditions: write values as `1, 2`, or name the tested value as in `? < 1 or ? > 2`',
  and: '`and` joins conditions: write a range as `[1..2]`, or name the tested value as in `? > 1 and ? < 2`',
} as const

class Parser {
  readonly #reader: FeelReader
  #scope: FeelScope
  /** Whether a `[` may end an interval. */
  #isInInterval = false

  constructor(reader: FeelReader, scope: FeelScope) {
    this.#reader = reader
    this.#scope = scope
  }

  end(): void {
    if (!this.#reader.isAtEnd) this.#reader.fail(`unexpected ${quote(this.#reader.peek(20))}`)
  }

  // tests = "-" | "not" "(" test {"," test} ")" | test {"," test}
  unaryTests(): UnaryTests {
    const reader = this.#reader
    if (reader.isAtEnd || (reader.text.trim() === '-' && reader.take('-'))) return { isNegated: false, tests: [] }
    if (!/^\s*not\s*\(/.test(reader.text)) return { isNegated: false, tests: this.#tests() }
    reader.takeWord('not')
    reader.expect('(')
    const tests = this.#tests()
    reader.expect(')')
    return { isNegated: true, tests }
  }

  get isUnfinished(): boolean {
    return !this.#reader.isAtEnd
  }

  #tests(): readonly FeelTest[] {
    const tests = [this.#test()]
    while (this.#reader.take(',')) tests.push(this.#test())
    return tests
  }

  // test = comparison operand | interval | expression
  #test(): FeelTest {
    const reader = this.#reader
    const operator = COMPARISONS.find((sign) => reader.take(sign))
    if (operator !== undefined) return { kind: 'comparison', operator, value: this.#sum() }
    const interval = this.#interval()
    if (interval !== undefined) return interval
    const value = this.expression()
    if (isLiteral(value) || this.#isCompared(value, 'type')) return { kind: 'comparison', operator: '=', value }
    if (this.#isCompared(value, 'items')) return { kind: 'item', list: value }
    if (value.kind === 'path' && this.#scope.named(value.name) === undefined)
      throw new FeelFault(`the model has no name ${quote(value.name)}: a text needs quotation marks`)
    if (value.kind === 'logic' && !usesTested(value)) throw new FeelFault(ADVICE[value.operator])
    if (!usesTested(value))
      throw new FeelFault('whether this expression is compared or is itself a condition depends on its value')
    return { kind: 'condition', condition: value }
  }

  /** Whether a value of this type, or list items, can only be compared: a boolean may itself be a condition. */
  #isCompared(value: Feel, kind: 'type' | 'items'): boolean {
    if (value.kind !== 'path') return false
    const named = this.#scope.named(value.name)
    const items = value.members.length === 0 ? named?.items : undefined
    const type = kind === 'items' ? items : named?.typeOf(value.members)
    return type !== undefined && type !== 'boolean' && !isDuration(type)
  }

  // interval = ("[" | "(" | "]") sum ".." sum ("]" | ")" | "[")
  #interval(): FeelTest | undefined {
    const reader = this.#reader
    const [open] = /^[[(\]]/.exec(reader.peek()) ?? []
    if (open === undefined || !isIntervalAt(reader.text, reader.offset)) return undefined
    reader.take(open)
    const low: Bound = { value: this.#endpoint(), isIncluded: open === '[' }
    reader.expect('..')
    const value = this.#endpoint()
    const isIncluded = reader.take(']')
    if (!isIncluded && !reader.take(')') && !reader.take('[')) reader.fail('the interval is not closed')
    return { kind: 'interval', low, high: { value, isIncluded } }
  }

  #endpoint(): Feel {
    const before = this.#isInInterval
    this.#isInInterval = true
    const value = this.#sum()
    this.#isInInterval = before
    return value
  }

  // expression = "if" expression "then" expression "else" expression | iteration | disjunction
  expression(): Feel {
    return this.#reader.nested(() => {
      const reader = this.#reader
      if (reader.takeWord('for')) return this.#iteration('for')
      if (reader.takeWord('some')) return this.#iteration('some')
      if (reader.takeWord('every')) return this.#iteration('every')
      if (!reader.takeWord('if')) return this.#disjunction()
      const condition = this.expression()
      if (!reader.takeWord('then')) reader.fail('expected `then`')
      const consequent = this.expression()
      if (!reader.takeWord('else')) reader.fail('expected `else`')
      return { kind: 'if', condition, consequent, alternate: this.expression() }
    })
  }

  // iteration = variable "in" list {"," variable "in" list} ("return" | "satisfies") expression
  #iteration(kind: 'for' | 'some' | 'every'): Feel {
    const reader: FeelReader = this.#reader
    const variable = this.#word()
    if (!reader.takeWord('in')) reader.fail('expected `in`')
    const list = this.#iterated()
    const { parameter, scope } = iterationOver(list, variable, this.#scope)
    const isLast = !reader.take(',')
    const word = kind === 'for' ? 'return' : 'satisfies'
    if (isLast && !reader.takeWord(word)) reader.fail(`expected ${quote(word)}`)
    const body = this.#inScope(scope, () => (isLast ? this.expression() : this.#iteration(kind)))
    if (kind !== 'for') requireCondition(body, scope)
    if (kind === 'for') return { kind: 'each', parameter, list, body, isFlat: !isLast }
    return { kind: 'quantified', quantifier: kind, parameter, list, test: body }
  }

  // list = expression [".." expression]
  #iterated(): Feel {
    const from = this.expression()
    return this.#reader.take('..') ? numbersOf(from, this.expression()) : from
  }

  #inScope<Result>(scope: FeelScope, read: () => Result): Result {
    const before = this.#scope
    this.#scope = scope
    const result = read()
    this.#scope = before
    return result
  }

  #disjunction(): Feel {
    return this.#chain(
      () => (this.#reader.takeWord('or') ? ('or' as const) : undefined),
      () => this.#conjunction(),
      (operator, left, right) => ({ kind: 'logic', operator, left, right }),
    )
  }

  #conjunction(): Feel {
    return this.#chain(
      () => (this.#reader.takeWord('and') ? ('and' as const) : undefined),
      () => this.#comparison(),
      (operator, left, right) => ({ kind: 'logic', operator, left, right }),
    )
  }

  /** Operands of left-associative operators. */
  #chain<Operator>(
    operatorAt: () => Operator | undefined,
    operand: () => Feel,
    made: (operator: Operator, left: Feel, right: Feel) => Feel,
  ): Feel {
    let left = operand()
    for (let count = 0; ; count++) {
      const operator = operatorAt()
      if (operator === undefined) return left
      if (count === MAX_OPERATORS) this.#reader.fail(`more than ${MAX_OPERATORS} operators in a row`)
      left = made(operator, left, operand())
    }
  }

  // comparison = sum [operator sum | "between" sum "and" sum | "in" (test | "(" tests ")")]
  #comparison(): Feel {
    const reader = this.#reader
    const left = this.#sum()
    const operator = COMPARISONS.find((sign) => reader.take(sign))
    if (operator !== undefined) return { kind: 'comparison', operator, left, right: this.#sum() }
    if (reader.takeWord('between')) return this.#between(left)
    if (!reader.takeWord('in')) return left
    if (isIntervalAt(reader.text, reader.offset) || !reader.take('('))
      return { kind: 'membership', value: left, tests: [this.#test()] }
    const tests = this.#tests()
    reader.expect(')')
    return { kind: 'membership', value: left, tests }
  }

  #between(value: Feel): Feel {
    const low = { value: this.#sum(), isIncluded: true }
    if (!this.#reader.takeWord('and')) this.#reader.fail('expected `and`')
    const high = { value: this.#sum(), isIncluded: true }
    return { kind: 'membership', value, tests: [{ kind: 'interval', low, high }] }
  }

  #sum(): Feel {
    return this.#arithmetic(
      () => (['+', '-'] as const).find((sign) => this.#reader.take(sign)),
      () => this.#product(),
    )
  }

  #product(): Feel {
    return this.#arithmetic(
      () => (['*', '/'] as const).find((sign) => this.#reader.take(sign)),
      () => this.#power(),
    )
  }

  #power(): Feel {
    return this.#arithmetic(
      () => (this.#reader.take('**') ? '**' : undefined),
      () => this.#signed(),
    )
  }

  #arithmetic(operatorAt: () => Arithmetic | undefined, operand: () => Feel): Feel {
    const shapeOf = (feel: Feel) => shapeOfFeel(feel, this.#scope.shapeOf)
    return this.#chain(
      operatorAt,
      operand,
      (operator, left, right) =>
        dateArithmetic(operator, left, right, shapeOf) ?? { kind: 'arithmetic', operator, left, right },
    )
  }

  #signed(): Feel {
    if (!this.#reader.take('-')) return this.#operand()
    return this.#reader.nested(() => {
      const operand = this.#signed()
      return operand.kind === 'number' ? negative(operand.text) : { kind: 'negation', operand }
    })
  }

  // operand = primary {"[" (index | condition) "]" | "." name}
  #operand(): Feel {
    const reader = this.#reader
    let value = this.#primary()
    for (let steps = 0; ; steps++) {
      if (steps > MAX_STEPS) throw new FeelFault(`more than ${MAX_STEPS} filters and members of one value`)
      if (!this.#isInInterval && reader.take('[')) value = this.#filtered(value)
      else if (reader.peek(2) !== '..' && reader.take('.')) value = memberOf(value, [this.#name()], this.#scope.shapeOf)
      else return value
    }
  }

  #filtered(list: Feel): Feel {
    const reader = this.#reader
    const [index] = /^-?\d+(?=\s*\])/.exec(reader.peek(20)) ?? []
    if (index !== undefined && shapeOfFeel(list, this.#scope.shapeOf)?.kind === 'list') {
      reader.take(index)
      reader.expect(']')
      if (Number(index) === 0) throw new FeelFault('the index 0: items are counted from 1')
      return { kind: 'indexed', list, index: Number(index) }
    }
    const { parameter, scope } = filterOver(list, this.#scope)
    const test = this.#inScope(scope, () => this.expression())
    requireCondition(test, scope)
    reader.expect(']')
    return { kind: 'filter', parameter, list, test }
  }

  #primary(): Feel {
    const reader = this.#reader
    const digits = reader.number()
    if (digits !== undefined) return { kind: 'number', text: numberLiteral(digits) }
    const string = reader.string()
    if (string !== undefined) return { kind: 'literal', value: string }
    if (reader.take('?')) return { kind: 'tested' }
    if (reader.take('@')) {
      const text = reader.string() ?? reader.fail('expected a text')
      return durationLiteral(text) ?? timeLiteral(undefined, text)
    }
    if (reader.take('[')) return { kind: 'list', items: this.#items(']') }
    if (reader.take('{')) return this.#context()
    if (!reader.take('(')) return this.#named()
    const inner = this.expression()
    reader.expect(')')
    return inner
  }

  #items(close: string): readonly Feel[] {
    const items: Feel[] = []
    if (this.#reader.take(close)) return items
    do items.push(this.expression())
    while (this.#reader.take(','))
    this.#reader.expect(close)
    return items
  }

  #context(): Feel {
    const reader = this.#reader
    const entries: (readonly [string, Feel])[] = []
    if (reader.take('}')) return { kind: 'context', entries }
    const budget = new ExpansionBudget()
    const scope = this.#scope.with([])
    do {
      const key = reader.string() ?? this.#name()
      reader.expect(':')
      if (entries.some(([other]) => other === key)) reader.fail(`the context has the entry ${quote(key)} twice`)
      // An entry may read the preceding ones.
      const value = budget.checked(this.#inScope(scope, () => this.expression()))
      entries.push([key, value])
      scope.add(boundName(key, value, scope))
    } while (reader.take(','))
    reader.expect('}')
    return { kind: 'context', entries }
  }

  /** A constant, a call, or a path. */
  #named(): Feel {
    const reader = this.#reader
    for (const [word, value] of CONSTANTS) if (reader.takeWord(word)) return { kind: 'literal', value }
    const made = this.#native()
    if (made !== undefined) return made
    if (/^(?:sort|decimal|string)\s*\(/.test(reader.peek(40))) return this.#converted()
    const call = this.#call()
    if (call !== undefined) return call
    const start = reader.offset
    const name = this.#name()
    const members: string[] = []
    const invoked = reader.peek() === '(' ? this.#scope.functionNamed(name) : undefined
    if (invoked !== undefined) return this.#invocation(name, invoked)
    while (reader.peek(2) !== '..' && reader.take('.')) members.push(this.#name())
    if (reader.peek() === '(') throw new FeelFault(`the function ${quote(name)} is not supported`)
    const called = UNKNOWN_CALL.exec(reader.text.slice(start, start + 100))?.[1]
    if (called !== undefined) throw new FeelFault(`the function ${quote(called)} is not supported`)
    const target = this.#scope.named(name)?.target
    if (target?.kind === 'bound') return memberOf(target.value, members, this.#scope.shapeOf)
    if (target === undefined && name === 'partial') throw new FeelFault('the results so far, `partial`')
    if (target === undefined && this.#scope.isClosed)
      throw new FeelFault(`${quote(name)} is neither a parameter nor a function of the model`)
    return memberOf({ kind: 'path', name, members: [] }, members, this.#scope.shapeOf)
  }

  // arguments = "(" [expression {"," expression} | name ":" expression {"," name ":" expression}] ")"
  #invocation(name: string, invoked: ModelFunction): Feel {
    const reader = this.#reader
    const { parameters } = invoked
    reader.expect('(')
    const given = new Map<string, Feel>()
    while (!reader.take(')')) {
      if (given.size > 0) reader.expect(',')
      const parameter = this.#parameter(parameters) ?? parameters[given.size]
      if (parameter === undefined || given.has(parameter))
        throw new FeelFault(
          parameters.length === 0
            ? `the function ${quote(name)} has no parameters`
            : `the function ${quote(name)} has the parameters ${parameters.map((one) => quote(one)).join(', ')}`,
        )
      given.set(parameter, this.expression())
    }
    if (given.size < parameters.length)
      throw new FeelFault(`the function ${quote(name)} has ${parameters.length} parameters, found ${given.size}`)
    return invoked.expand(parameters.map((parameter) => given.get(parameter) ?? reader.fail('an argument is missing')))
  }

  /** The name of a parameter and its colon. */
  #parameter(parameters: readonly string[]): string | undefined {
    const reader = this.#reader
    const name = parameters.find(
      (one) => /^\s*:/.test(reader.text.slice(reader.offset + one.length)) && reader.take(one),
    )
    if (name !== undefined) reader.expect(':')
    return name
  }

  /** A call of a function that the model does not define. */
  #native(): Feel | undefined {
    const reader = this.#reader
    const ahead = reader.text.slice(reader.offset, reader.offset + 60)
    const name = NATIVES.exec(ahead)?.[1]?.replace(/\s+/g, ' ')
    if (name === undefined || this.#scope.functionNamed(name) !== undefined) return undefined
    // `date` and `duration` of a text are parsed as literals.
    if (/^date\s*\(\s*"/.test(ahead)) return undefined
    reader.takeWord(name)
    reader.expect('(')
    const args = this.#items(')')
    const called = nativeCall(name, args, (feel) => shapeOfFeel(feel, this.#scope.shapeOf))
    if (called === undefined) throw new FeelFault(`this call of the function ${quote(name)} is not supported`)
    return called
  }

  #call(): Feel | undefined {
    const reader = this.#reader
    const word = CALLED.exec(reader.text.slice(reader.offset, reader.offset + 40))?.[1]?.replace(/\s+/g, ' ')
    if (word === undefined) return undefined
    reader.takeWord(word)
    reader.expect('(')
    const args = this.#items(')')
    const [first] = args
    if (word === 'not' && first !== undefined && args.length === 1) return { kind: 'not', operand: first }
    if (isFunction(word) && args.length === (TWO_ARGUMENTS.has(word) ? 2 : 1)) return { kind: 'call', name: word, args }
    if (isFunction(word) && args.length > 1 && OF_LISTS.has(word))
      return { kind: 'call', name: word, args: [{ kind: 'list', items: args }] }
    if (args.length === 1 && first?.kind === 'literal' && typeof first.value === 'string')
      return (word === 'duration' ? durationLiteral(first.value) : undefined) ?? timeLiteral(word, first.value)
    throw new FeelFault(`this call of the function ${quote(word)} is not supported`)
  }

  // converted = "sort" "(" list "," order ")" | "decimal" "(" number "," digits ")" | "string" "(" value ")"
  #converted(): Feel {
    const reader = this.#reader
    const word = reader.peekWord()
    reader.take(word ?? '')
    reader.expect('(')
    const value = this.expression()
    const type = typeOfShape(shapeOfFeel(value, this.#scope.shapeOf))
    if (word === 'string') {
      reader.expect(')')
      if (type === 'number' || type === 'string' || type === 'boolean') return { kind: 'text', value }
      throw new FeelFault('the text of a value whose type is not known at import')
    }
    reader.expect(',')
    if (word === 'sort') return this.#sorted(value)
    const [digits] = /^-?\d{1,2}(?=\s*\))/.exec(reader.peek(20)) ?? []
    if (digits === undefined || Math.abs(Number(digits)) > 15)
      throw new FeelFault('`decimal` needs a whole number of places in the text, of at most 15')
    reader.take(digits)
    reader.expect(')')
    return { kind: 'rounded', value, digits: Number(digits) }
  }

  // order = "function" "(" name "," name ")" expression
  #sorted(list: Feel): Feel {
    const reader: FeelReader = this.#reader
    if (!reader.takeWord('function')) reader.fail('expected `function`')
    reader.expect('(')
    const one = this.#word()
    reader.expect(',')
    const second = this.#word()
    reader.expect(')')
    const outer = iterationOver(list, one, this.#scope)
    const inner = iterationOver(list, second, outer.scope)
    const order = this.#inScope(inner.scope, () => this.expression())
    reader.expect(')')
    return sortedBy(list, order, [outer.parameter, inner.parameter])
  }

  #word(): string {
    const reader: FeelReader = this.#reader
    const word = reader.peekWord()
    if (word === undefined) reader.fail('expected the name of an item')
    reader.take(word)
    return word
  }

  #name(): string {
    const reader: FeelReader = this.#reader
    const word = reader.peekWord()
    if (word === undefined)
      reader.fail(
        reader.isAtEnd ? 'the expression ends too early' : `expected a value, found ${quote(reader.peek(20))}`,
      )
    if (RESERVED.has(word)) reader.fail(`${quote(word)} is not supported`)
    const name = this.#scope.longest(reader.text, reader.offset, word) ?? word
    reader.take(name)
    return name
  }
}

const CONSTANTS = [
  ['null', null],
  ['true', true],
  ['false', false],
] as const

/** Names of known functions before their arguments. */
const CALLED =
  /^(not|date\s+and\s+time|date|time|duration|upper\s+case|lower\s+case|starts\s+with|ends\s+with|contains|abs|floor|ceiling|sqrt|count|min|max|mean|sum)\s*\(/

/** Names of further functions before their arguments. */
const NATIVES = new RegExp(`^(${NATIVE_NAMES.map((name) => name.replaceAll(' ', String.raw`\s+`)).join('|')})\\s*\\(`)

/** A call of an unknown function with several words in its name, none of which is an operator between two values. */
const UNKNOWN_CALL =
  /^([\p{L}_][\p{L}\p{N}_]*(?: +(?!(?:and|or|in|between|then|else|return|satisfies|instance)\b)[\p{L}_][\p{L}\p{N}_]*)+) *\(/u

const isFunction = (name: string): name is keyof typeof FUNCTIONS => Object.hasOwn(FUNCTIONS, name)

const conditionIn = (text: string, scope: FeelScope): FeelTest => {
  const parser = new Parser(new FeelReader(text), scope)
  const condition = parser.expression()
  parser.end()
  if (!usesTested(condition)) throw new FeelFault('a condition that does not read the tested value')
  return { kind: 'condition', condition }
}

function negative(text: string): Feel {
  return { kind: 'number', text: text.startsWith('-') ? text.slice(1) : `-${text}` }
}

export function isLiteral(value: Feel): boolean {
  return value.kind === 'literal' || value.kind === 'number' || value.kind === 'time'
}

/** Whether an interval starts at an offset: two points occur between its brackets. */
function isIntervalAt(text: string, offset: number): boolean {
  return /^[[(\]](?:[^[\](){}",]|"(?:[^"\\]|\\.)*"|\([^()]*\))*?\.\./.test(text.slice(offset, offset + 1000))
}

/** Whether an expression reads `?`; the tests of a membership have their own `?`. Linear in its size. */
function usesTested(value: Feel): boolean {
  if (value.kind === 'tested') return true
  return value.kind === 'membership' ? usesTested(value.value) : partsOf(value).some(usesTested)
}
