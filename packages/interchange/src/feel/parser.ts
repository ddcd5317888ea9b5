import { quote } from '@engine/expression'
import {
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
import { memberOf, type ModelFunction, partsOf } from './expansion.ts'
import { FeelReader } from './reader.ts'
import type { FeelScope } from './scope.ts'
import { numberLiteral, timeLiteral } from './literal.ts'

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
  parser.end()
  return tests
}

const COMPARISONS: readonly Comparison[] = ['<=', '>=', '!=', '<', '>', '=']
const RESERVED: ReadonlySet<string> = new Set([
  'for',
  'some',
  'every',
  'function',
  'return',
  'satisfies',
  'then',
  'else',
])

class Parser {
  readonly #reader: FeelReader
  readonly #scope: FeelScope

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
    // `not(a) and b` is a condition that starts like a negated test.
    if (!reader.isAtEnd) return { isNegated: false, tests: [conditionIn(new FeelReader(reader.text), this.#scope)] }
    return { isNegated: true, tests }
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
    const start = reader.offset
    const value = this.expression()
    if (isLiteral(value) || this.#isCompared(value, 'type')) return { kind: 'comparison', operator: '=', value }
    if (this.#isCompared(value, 'items')) return { kind: 'item', list: value }
    if (!usesTested(value))
      throw new FeelFault('whether this expression is compared or is itself a condition depends on its value', start)
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
    const low: Bound = { value: this.#sum(), isIncluded: open === '[' }
    reader.expect('..')
    const value = this.#sum()
    const isIncluded = reader.take(']')
    if (!isIncluded && !reader.take(')') && !reader.take('[')) reader.fail('the interval is not closed')
    return { kind: 'interval', low, high: { value, isIncluded } }
  }

  // expression = "if" expression "then" expression "else" expression | disjunction
  expression(): Feel {
    return this.#reader.nested(() => {
      const reader = this.#reader
      if (!reader.takeWord('if')) return this.#disjunction()
      const condition = this.expression()
      if (!reader.takeWord('then')) reader.fail('expected `then`')
      const consequent = this.expression()
      if (!reader.takeWord('else')) reader.fail('expected `else`')
      return { kind: 'if', condition, consequent, alternate: this.expression() }
    })
  }

  #disjunction(): Feel {
    let left = this.#conjunction()
    while (this.#reader.takeWord('or')) left = { kind: 'logic', operator: 'or', left, right: this.#conjunction() }
    return left
  }

  #conjunction(): Feel {
    let left = this.#comparison()
    while (this.#reader.takeWord('and')) left = { kind: 'logic', operator: 'and', left, right: this.#comparison() }
    return left
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
    let left = this.#product()
    for (;;) {
      const operator = (['+', '-'] as const).find((sign) => this.#reader.take(sign))
      if (operator === undefined) return left
      left = { kind: 'arithmetic', operator, left, right: this.#product() }
    }
  }

  #product(): Feel {
    let left = this.#power()
    for (;;) {
      const isPower = this.#reader.peek(2) === '**'
      const operator = isPower ? undefined : (['*', '/'] as const).find((sign) => this.#reader.take(sign))
      if (operator === undefined) return left
      left = { kind: 'arithmetic', operator, left, right: this.#power() }
    }
  }

  #power(): Feel {
    let left = this.#signed()
    while (this.#reader.take('**')) left = { kind: 'arithmetic', operator: '**', left, right: this.#signed() }
    return left
  }

  #signed(): Feel {
    if (!this.#reader.take('-')) return this.#operand()
    return this.#reader.nested(() => {
      const operand = this.#signed()
      return operand.kind === 'number' ? negative(operand.text) : { kind: 'negation', operand }
    })
  }

  #operand(): Feel {
    const reader = this.#reader
    const start = reader.offset
    const digits = reader.number()
    if (digits !== undefined) return { kind: 'number', text: numberLiteral(digits, start) }
    const string = reader.string()
    if (string !== undefined) return { kind: 'literal', value: string }
    if (reader.take('?')) return { kind: 'tested' }
    if (reader.take('@')) return timeLiteral(undefined, reader.string() ?? reader.fail('expected a text'), start)
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
    do {
      const key = reader.string() ?? this.#name()
      reader.expect(':')
      if (entries.some(([other]) => other === key)) reader.fail(`the context has the entry ${quote(key)} twice`)
      entries.push([key, this.expression()])
    } while (reader.take(','))
    reader.expect('}')
    return { kind: 'context', entries }
  }

  /** A constant, a call, or a path. */
  #named(): Feel {
    const reader = this.#reader
    const start = reader.offset
    for (const [word, value] of CONSTANTS) if (reader.takeWord(word)) return { kind: 'literal', value }
    const call = this.#call(start)
    if (call !== undefined) return call
    const name = this.#name()
    const members: string[] = []
    const invoked = reader.peek() === '(' ? this.#scope.functionNamed(name) : undefined
    if (invoked !== undefined) return this.#invocation(name, invoked, start)
    while (reader.peek(2) !== '..' && reader.take('.')) members.push(this.#name())
    if (reader.peek() === '(') throw new FeelFault(`the function ${quote(name)} is not supported`, start)
    if (reader.peek() === '[') throw new FeelFault('filters and indexes are not supported', reader.offset)
    const target = this.#scope.named(name)?.target
    if (target?.kind === 'bound') return memberOf(target.value, members, start)
    if (target === undefined && this.#scope.isClosed)
      throw new FeelFault(`${quote(name)} is neither a parameter nor a function of the model`, start)
    return { kind: 'path', name, members }
  }

  // arguments = "(" [expression {"," expression} | name ":" expression {"," name ":" expression}] ")"
  #invocation(name: string, invoked: ModelFunction, start: number): Feel {
    const reader = this.#reader
    const { parameters } = invoked
    reader.expect('(')
    const given = new Map<string, Feel>()
    while (!reader.take(')')) {
      if (given.size > 0) reader.expect(',')
      const parameter = this.#parameter(parameters) ?? parameters[given.size]
      if (parameter === undefined || given.has(parameter))
        throw new FeelFault(
          `the function ${quote(name)} has the parameters ${parameters.map((one) => quote(one)).join(', ')}`,
          start,
        )
      given.set(parameter, this.expression())
    }
    if (given.size < parameters.length)
      throw new FeelFault(`the function ${quote(name)} has ${parameters.length} parameters, found ${given.size}`, start)
    return invoked.expand(
      parameters.map((parameter) => given.get(parameter) ?? reader.fail('an argument is missing')),
      start,
    )
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

  #call(start: number): Feel | undefined {
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
      return timeLiteral(word, first.value, start)
    throw new FeelFault(`this call of the function ${quote(word)} is not supported`, start)
  }

  #name(): string {
    const reader: FeelReader = this.#reader
    const word = reader.peekWord()
    if (word === undefined) reader.fail(reader.isAtEnd ? 'the expression ends too early' : 'expected a value')
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

const isFunction = (name: string): name is keyof typeof FUNCTIONS => Object.hasOwn(FUNCTIONS, name)

const conditionIn = (reader: FeelReader, scope: FeelScope): FeelTest => {
  const parser = new Parser(reader, scope)
  const condition = parser.expression()
  parser.end()
  if (!usesTested(condition)) throw new FeelFault('a condition that does not read the tested value', 0)
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

/** Whether an expression reads `?`; the tests of a membership have values of their own. Linear in its size. */
function usesTested(value: Feel): boolean {
  if (value.kind === 'tested') return true
  return value.kind === 'membership' ? usesTested(value.value) : partsOf(value).some(usesTested)
}
