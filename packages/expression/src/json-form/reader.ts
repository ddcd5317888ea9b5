import type { Expression } from '../ast.ts'
import { described, FORMS } from './kinds.ts'
import { nearest } from '../suggest/nearest.ts'
import { parse, parsePath } from '../parser.ts'
import { quote } from '../quote.ts'
import type { NumberReading } from '../runtime.ts'
import { type Location, locator, NO_SPAN, placeInExpression } from '../source.ts'
import { SYNTAX_LIMITS } from '../token.ts'
import { isList, isObject, type ObjectValue, type Value } from '../value.ts'

/** An error in an expression's JSON form. */
export interface FormProblem {
  /** JSON pointer (RFC 6901) from the form's root. */
  readonly path: string
  readonly code: string
  /** Lower-case sentence without a final period. */
  readonly message: string
  readonly suggestion?: string
  /** Where in the text at `path`; the message ends with it. */
  readonly place?: Location
}

export type FromJsonForm =
  | { readonly kind: 'parsed'; readonly expression: Expression }
  | { readonly kind: 'failed'; readonly problems: readonly FormProblem[] }

/**
 * An expression from its JSON form (docs/rulesets.md): `{"Binary": {"op": "Add", "left": …, "right": …}}` and so on.
 * Expression text is accepted wherever a form is. `Lambda` and `Member` extend the specified form so that every
 * expression has one. Problems are collected.
 */
export function fromJsonForm(value: Value, numbers: NumberReading = 'double'): FromJsonForm {
  if (hasMoreValues(value, SYNTAX_LIMITS.formValues)) {
    const message = `the form holds more than ${SYNTAX_LIMITS.formValues} values: pass a large table as input`
    return { kind: 'failed', problems: [{ path: '', code: 'form-too-large', message }] }
  }
  const reader = new FormReader(numbers)
  const expression = reader.read(value, '', 0)
  return reader.problems.length === 0 && expression !== undefined
    ? { kind: 'parsed', expression }
    : { kind: 'failed', problems: reader.problems }
}

/** Whether a value holds more values than the limit, including nested ones. */
function hasMoreValues(value: Value, most: number): boolean {
  let count = 0
  const pending: Value[] = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const members = isList(next) ? next : Object.values(next)
    count += members.length
    if (count > most) return true
    for (const member of members) pending.push(member)
  }
  return false
}

/** Undefined after a problem. */
export type Read = Expression | undefined

/** Reads nested forms and collects their problems. */
export class FormReader {
  readonly problems: FormProblem[] = []
  /** Lambda parameters in scope: a `Field` of such a name means the parameter, as in text. */
  readonly #locals: string[] = []
  /** UTF-16 units of expression text that may still be read. */
  #textLeft: number = SYNTAX_LIMITS.formText
  readonly #numbers: NumberReading

  constructor(numbers: NumberReading) {
    this.#numbers = numbers
  }

  /** Read a value: anything but a function. */
  read(value: Value | undefined, path: string, depth: number): Read {
    const expression = this.#form(value, path, depth)
    if (expression?.kind !== 'lambda') return expression
    return this.fail(path, 'misplaced-lambda', 'a `Lambda` can only be an argument of a `Call`')
  }

  #form(value: Value | undefined, path: string, depth: number): Read {
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
    return form(value[name] ?? null, {
      at: inner,
      reader: this,
      read: (part, step) => this.read(part, `${inner}${step}`, depth + 1),
      readArgument: (part, step) => this.#form(part, `${inner}${step}`, depth + 1),
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
        `expected an object with ${names.map((name) => quote(name)).join(', ')}, found ${described(value)}`,
      )
    const unknown = Object.keys(value).find((key) => !names.includes(key))
    if (unknown === undefined) return value
    return this.fail(
      path,
      'unknown-form',
      `there is no ${quote(unknown)} here, only ${names.map((name) => quote(name)).join(', ')}`,
      nearest(unknown, names),
    )
  }

  path(value: Value | undefined, at: string): Read {
    const text = this.text(value, at, 'the text of a path')
    if (text === undefined || this.#isTooMuch(text, at)) return undefined
    const parsed = parsePath(text, this.#locals)
    if (parsed.kind === 'failed') {
      const [problem] = parsed.problems
      return this.fail(
        at,
        problem?.code ?? 'not-a-path',
        `${quote(text)} is not a path: ${problem?.message ?? ''}`,
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

  /** Count a text before it is parsed; the first one over the limit is a problem, and no later one is parsed. */
  #isTooMuch(text: string, path: string): boolean {
    const hadSome = this.#textLeft >= 0
    this.#textLeft -= text.length
    if (this.#textLeft >= 0) return false
    if (hadSome)
      this.fail(path, 'form-too-large', `the texts in the form have more than ${SYNTAX_LIMITS.formText} characters`)
    return true
  }

  #text(text: string, path: string): Read {
    if (this.#isTooMuch(text, path)) return undefined
    const parsed = parse(text, this.#locals, this.#numbers)
    if (parsed.kind === 'parsed') return parsed.expression
    const placeOf = locator(text)
    for (const problem of parsed.problems) {
      const place = placeOf(problem.at.start)
      const message = problem.message + placeInExpression(place)
      const { code, suggestion } = problem
      this.problems.push({ path, code, message, place, ...(suggestion !== undefined && { suggestion }) })
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
      `there is no form ${quote(unknown)}; forms are ${[...FORMS.keys()].join(', ')}`,
      guess,
    )
  }
}

/** Positions within a path's own text are meaningless in the surrounding document. */
function bare(expression: Expression): Expression {
  return { ...expression, span: NO_SPAN }
}
