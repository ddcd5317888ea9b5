import type {
  BinaryOperator,
  Expression,
  Field,
  Local,
  ObjectLiteral,
  Segment,
  UnaryOperator,
  Variable,
} from './ast.ts'
import { isReference } from './path.ts'
import { nearest } from './nearest.ts'
import { parse, parsePath } from './parser.ts'
import { printPath } from './printer.ts'
import { shown } from './problems.ts'
import { locate, NO_SPAN } from './source.ts'
import { isPlainName, KEYWORDS, SYNTAX_LIMITS } from './token.ts'
import { isObject, type ObjectValue, typeName, type Value } from './value.ts'

/** What is wrong with an expression in JSON form. */
export interface FormProblem {
  /** JSON pointer (RFC 6901) from the form's root. */
  readonly path: string
  readonly code: string
  /** Lower-case sentence without a final period. */
  readonly message: string
  readonly suggestion?: string
}

export type FromJsonForm =
  | { readonly kind: 'parsed'; readonly expression: Expression }
  | { readonly kind: 'failed'; readonly problems: readonly FormProblem[] }

const BINARY_NAMES: ReadonlyMap<string, BinaryOperator> = new Map([
  ['Add', '+'],
  ['Sub', '-'],
  ['Mul', '*'],
  ['Div', '/'],
  ['Mod', '%'],
  ['Eq', '=='],
  ['Ne', '!='],
  ['Lt', '<'],
  ['Le', '<='],
  ['Gt', '>'],
  ['Ge', '>='],
  ['And', '&&'],
  ['Or', '||'],
  ['In', 'in'],
  ['NotIn', 'not in'],
  ['Contains', 'contains'],
])

const UNARY_NAMES: ReadonlyMap<string, UnaryOperator> = new Map([
  ['Not', '!'],
  ['Neg', '-'],
])

/**
 * An expression from its JSON form (design section 3): `{"Binary": {"op": "Add", "left": …, "right": …}}` and so on.
 * Wherever a form may stand, a string is expression text. `Lambda` and `Member` extend the form so that every expression
 * has one. Problems are collected.
 */
export function fromJsonForm(value: Value): FromJsonForm {
  const reader = new FormReader()
  const expression = reader.read(value, '', 0)
  return reader.problems.length === 0 && expression !== undefined
    ? { kind: 'parsed', expression }
    : { kind: 'failed', problems: reader.problems }
}

/** Undefined after a problem. */
type Read = Expression | undefined

class FormReader {
  readonly problems: FormProblem[] = []
  /** Lambda parameters in scope: a `Field` of such a name means the parameter, as in text. */
  readonly #locals: string[] = []

  read(value: Value | undefined, path: string, depth: number): Read {
    if (depth > SYNTAX_LIMITS.nesting)
      return this.fail(
        path,
        'nested-too-deeply',
        `the expression is nested more than ${SYNTAX_LIMITS.nesting} levels deep`,
      )
    if (typeof value === 'string') return this.#text(value, path)
    if (value === undefined || !isObject(value))
      return this.fail(path, 'not-a-form', `expected an expression, found ${described(value)}`)
    const [name = '', ...others] = Object.keys(value)
    const form = FORMS.get(name)
    if (form === undefined || others.length > 0) return this.#unknown(value, path)
    const inner = `${path}/${name}`
    return form(value[name] as Value, {
      at: inner,
      reader: this,
      read: (part, step) => this.read(part, `${inner}${step}`, depth + 1),
    })
  }

  text(value: Value | undefined, path: string, what: string): string | undefined {
    return typeof value === 'string'
      ? value
      : this.fail(path, 'not-a-form', `expected ${what}, found ${described(value)}`)
  }

  list(value: Value | undefined, path: string, what: string): readonly Value[] | undefined {
    return Array.isArray(value) ? value : this.fail(path, 'not-a-form', `expected ${what}, found ${described(value)}`)
  }

  fields(value: Value | undefined, path: string, names: readonly string[]): ObjectValue | undefined {
    if (value === undefined || !isObject(value))
      return this.fail(
        path,
        'not-a-form',
        `expected an object with ${names.map(shown).join(', ')}, found ${described(value)}`,
      )
    const unknown = Object.keys(value).find((key) => !names.includes(key))
    if (unknown === undefined) return value
    return this.fail(
      path,
      'unknown-form',
      `there is no ${shown(unknown)} here, only ${names.map(shown).join(', ')}`,
      nearest(unknown, names),
    )
  }

  path(value: Value | undefined, at: string): Read {
    const text = this.text(value, at, 'the text of a path')
    if (text === undefined) return undefined
    const parsed = parsePath(text, this.#locals)
    if (parsed.kind === 'failed') {
      const [problem] = parsed.problems
      return this.fail(
        at,
        problem?.code ?? 'not-a-path',
        `${shown(text)} is not a path: ${problem?.message ?? ''}`,
        problem?.suggestion,
      )
    }
    return bare(parsed.expression)
  }

  lambda(parameters: readonly string[], read: () => Read): Read {
    this.#locals.push(...parameters)
    const body = read()
    this.#locals.length -= parameters.length
    return body && { kind: 'lambda', parameters, body, span: NO_SPAN }
  }

  fail(path: string, code: string, message: string, suggestion?: string): undefined {
    this.problems.push(suggestion === undefined ? { path, code, message } : { path, code, message, suggestion })
    return undefined
  }

  #text(text: string, path: string): Read {
    const parsed = parse(text, this.#locals)
    if (parsed.kind === 'parsed') return parsed.expression
    for (const problem of parsed.problems) {
      const { line, column } = locate(text, problem.at.start)
      this.fail(
        path,
        problem.code,
        `${problem.message} (line ${line}, column ${column} of the expression)`,
        problem.suggestion,
      )
    }
    return undefined
  }

  #unknown(value: ObjectValue, path: string): undefined {
    const keys = Object.keys(value)
    const unknown = keys.find((key) => !FORMS.has(key))
    if (unknown === undefined)
      return this.fail(path, 'unknown-form', `expected one form, such as {"Field": "a.b"}, found ${keys.length}`)
    const guess = nearest(unknown, FORMS.keys())
    return this.fail(
      path,
      'unknown-form',
      `there is no form ${shown(unknown)}; forms are ${[...FORMS.keys()].join(', ')}`,
      guess,
    )
  }
}

interface FormPlace {
  readonly at: string
  readonly reader: FormReader
  /** Read a part at a further step of the pointer. */
  read(part: Value | undefined, step: string): Read
}

const FORMS: ReadonlyMap<string, (body: Value, place: FormPlace) => Read> = new Map<
  string,
  (body: Value, place: FormPlace) => Read
>([
  ['Literal', (body) => ({ kind: 'literal', value: body, span: NO_SPAN })],
  ['Field', (body, { at, reader }) => reader.path(body, at)],
  [
    'Variable',
    (body, { at, reader }) => reader.path(typeof body === 'string' && !body.startsWith('$') ? `$${body}` : body, at),
  ],
  ['Array', readArray],
  ['Object', readObject],
  ['Unary', readUnary],
  ['Binary', readBinary],
  ['Conditional', readConditional],
  ['Call', readCall],
  ['Exists', (body, { at, reader }) => call('exists', [reader.path(body, at)])],
  ['Coalesce', readCoalesce],
  ['Lambda', readLambda],
  ['Member', readMember],
])

function readArray(body: Value, { at, reader, read }: FormPlace): Read {
  const items = reader.list(body, at, 'a list of expressions')?.map((item, index) => read(item, `/${index}`))
  return isComplete(items) ? { kind: 'array', items, span: NO_SPAN } : undefined
}

type Entry = ObjectLiteral['entries'][number]

function readObject(body: Value, { at, reader, read }: FormPlace): Read {
  const entries: readonly (Entry | undefined)[] | undefined = reader
    .list(body, at, 'a list of pairs of a key and an expression')
    ?.map((pair, index) => {
      const [key, value] = Array.isArray(pair) && pair.length === 2 ? (pair as readonly Value[]) : []
      if (typeof key !== 'string')
        return reader.fail(
          `${at}/${index}`,
          'not-a-form',
          `expected a pair of a key and an expression, found ${described(pair)}`,
        )
      const expression = read(value, `/${index}/1`)
      return expression && { key, value: expression }
    })
  if (!isComplete(entries)) return undefined
  const keys = entries.map(({ key }) => key)
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index)
  if (repeated >= 0)
    return reader.fail(`${at}/${repeated}/0`, 'duplicate-key', `the key ${shown(keys[repeated] ?? '')} occurs twice`)
  return { kind: 'object', entries, span: NO_SPAN }
}

function readUnary(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['op', 'operand'])
  if (fields === undefined) return undefined
  const operator = operatorOf(UNARY_NAMES, fields['op'], `${at}/op`, reader)
  const operand = read(fields['operand'], '/operand')
  return operator && operand && { kind: 'unary', operator, operand, span: NO_SPAN }
}

function readBinary(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['op', 'left', 'right'])
  if (fields === undefined) return undefined
  const operator = operatorOf(BINARY_NAMES, fields['op'], `${at}/op`, reader)
  const left = read(fields['left'], '/left')
  const right = read(fields['right'], '/right')
  return operator && left && right && { kind: 'binary', operator, left, right, span: NO_SPAN, operatorSpan: NO_SPAN }
}

function readConditional(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['condition', 'then_branch', 'else_branch'])
  if (fields === undefined) return undefined
  const condition = read(fields['condition'], '/condition')
  const consequent = read(fields['then_branch'], '/then_branch')
  const alternate = read(fields['else_branch'], '/else_branch')
  return (
    condition && consequent && alternate && { kind: 'conditional', condition, consequent, alternate, span: NO_SPAN }
  )
}

function readCall(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['name', 'args'])
  if (fields === undefined) return undefined
  const name = reader.text(fields['name'], `${at}/name`, 'the name of a function')
  const args = reader
    .list(fields['args'] ?? [], `${at}/args`, 'a list of expressions')
    ?.map((arg, index) => read(arg, `/args/${index}`))
  if (name === undefined || !isComplete(args)) return undefined
  if (!isPlainName(name) || (KEYWORDS.has(name) && name !== 'contains'))
    return reader.fail(`${at}/name`, 'not-callable', `${shown(name)} is not the name of a function`)
  const [first] = args
  if (name === 'exists' && first !== undefined && !isReference(first))
    return reader.fail(`${at}/args/0`, 'not-a-path', '`exists` takes a path such as {"Field": "customer.name"}')
  return call(name, args)
}

function readCoalesce(body: Value, { at, reader, read }: FormPlace): Read {
  const args = reader.list(body, at, 'a list of expressions')?.map((arg, index) => read(arg, `/${index}`))
  return isComplete(args) ? call('coalesce', args) : undefined
}

function readLambda(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['params', 'body'])
  const names = fields && reader.list(fields['params'], `${at}/params`, 'a list of one or two names')
  if (names === undefined) return undefined
  const plain = names.filter(
    (name): name is string => typeof name === 'string' && isPlainName(name) && !KEYWORDS.has(name),
  )
  if (plain.length !== names.length || plain.length < 1 || plain.length > 2 || plain[0] === plain[1])
    return reader.fail(`${at}/params`, 'lambda-parameters', 'expected one or two different plain names')
  return reader.lambda(plain, () => read(fields?.['body'], '/body'))
}

function readMember(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['object', 'path'])
  if (fields === undefined) return undefined
  const object = read(fields['object'], '/object')
  const steps = reader
    .list(fields['path'], `${at}/path`, 'a list of names, whole numbers and {"wildcard": true}')
    ?.map((step, index) => {
      if (typeof step === 'number' && Number.isSafeInteger(step)) return { kind: 'index', index: step } as const
      if (typeof step === 'string') return { kind: 'name', name: step } as const
      if (isObject(step) && step['wildcard'] === true) return { kind: 'wildcard' } as const
      return reader.fail(
        `${at}/path/${index}`,
        'not-a-form',
        `expected a name, a whole number or {"wildcard": true}, found ${described(step)}`,
      )
    })
  if (object === undefined || !isComplete(steps)) return undefined
  if (steps.length === 0) return object
  return extended(object, steps)
}

/** A path into a path is a longer path; into a computed value, a member. */
function extended(object: Expression, path: readonly Segment[]): Expression {
  return isReference(object)
    ? { ...object, path: [...object.path, ...path] }
    : { kind: 'member', object, path, span: NO_SPAN }
}

function call(name: string, args: readonly Read[]): Read {
  return isComplete(args) ? { kind: 'call', name, args, span: NO_SPAN, nameSpan: NO_SPAN } : undefined
}

function operatorOf<T>(
  names: ReadonlyMap<string, T>,
  value: Value | undefined,
  path: string,
  reader: FormReader,
): T | undefined {
  const operator = typeof value === 'string' ? names.get(value) : undefined
  if (operator !== undefined) return operator
  const known = [...names.keys()]
  const guess = typeof value === 'string' ? nearest(value, known) : undefined
  return reader.fail(path, 'unknown-operator', `expected one of ${known.join(', ')}, found ${described(value)}`, guess)
}

function isComplete<T extends object>(items: readonly (T | undefined)[] | undefined): items is readonly T[] {
  return items !== undefined && items.every((item) => item !== undefined)
}

function described(value: Value | undefined): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? shown(value) : typeName(value)
}

/** Places inside a path's own text mean nothing in the document around it. */
function bare(expression: Expression): Expression {
  return { ...expression, span: NO_SPAN }
}

const BINARY_FORMS = new Map([...BINARY_NAMES].map(([name, operator]) => [operator, name]))
const UNARY_FORMS = new Map([...UNARY_NAMES].map(([name, operator]) => [operator, name]))

/** The JSON form of an expression; `fromJsonForm` of it prints the same. */
export function toJsonForm(expression: Expression): Value {
  return formIn(expression, [])
}

/** `locals`: lambda parameters in scope, which hide fields of their names. */
function formIn(expression: Expression, locals: readonly string[]): Value {
  const form = (part: Expression) => formIn(part, locals)
  switch (expression.kind) {
    case 'literal':
      return { Literal: expression.value }
    case 'field':
    case 'variable':
    case 'local':
      return { Field: pathText(expression, locals) }
    case 'member':
      return { Member: { object: form(expression.object), path: expression.path.map(stepForm) } }
    case 'array':
      return { Array: expression.items.map(form) }
    case 'object':
      return { Object: expression.entries.map(({ key, value }) => [key, form(value)]) }
    case 'unary':
      return { Unary: { op: UNARY_FORMS.get(expression.operator) ?? '', operand: form(expression.operand) } }
    case 'binary': {
      const { operator, left, right } = expression
      return { Binary: { op: BINARY_FORMS.get(operator) ?? '', left: form(left), right: form(right) } }
    }
    case 'conditional': {
      const { condition, consequent, alternate } = expression
      return {
        Conditional: { condition: form(condition), then_branch: form(consequent), else_branch: form(alternate) },
      }
    }
    case 'call':
      return { Call: { name: expression.name, args: expression.args.map(form) } }
    case 'lambda': {
      const { parameters, body } = expression
      return { Lambda: { params: parameters, body: formIn(body, [...locals, ...parameters]) } }
    }
  }
}

function pathText(path: Field | Variable | Local, locals: readonly string[]): string {
  const text = printPath(path)
  const [first] = path.path
  const isHidden = path.kind === 'field' && first?.kind === 'name' && locals.includes(first.name)
  return isHidden && !text.startsWith('$') ? `$.${text}` : text
}

function stepForm(segment: Segment): Value {
  switch (segment.kind) {
    case 'name':
      return segment.name
    case 'index':
      return segment.index
    case 'wildcard':
      return { wildcard: true }
  }
}
