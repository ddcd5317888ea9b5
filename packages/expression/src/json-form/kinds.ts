import type { Expression, ObjectLiteral, Segment } from '../ast.ts'
import type { FunctionDefinition } from '../function-definition.ts'
import { FUNCTIONS } from '../functions/index.ts'
import type { FormReader, Read } from './reader.ts'
import { nearest } from '../suggest/nearest.ts'
import { BINARY_FORMS, UNARY_FORMS } from '../operator-table.ts'
import { isReference } from '../path.ts'
import { quote } from '../quote.ts'
import { NO_SPAN } from '../source.ts'
import { isPlainName, KEYWORDS } from '../token.ts'
import { isList, isNumber, isObject, negated, typeName, type Value } from '../value.ts'

/** The position of a form, and readers for its parts. */
interface FormPlace {
  readonly at: string
  readonly reader: FormReader
  /** Read a part at a further step of the pointer. */
  read(part: Value | undefined, step: string): Read
  /** Like `read`, for a call argument, which may be a function. */
  readArgument(part: Value | undefined, step: string): Read
}

type ReadForm = (body: Value, place: FormPlace) => Read

/** The forms by name: each builds its expression or reports why it is invalid. */
export const FORMS: ReadonlyMap<string, ReadForm> = new Map<string, ReadForm>([
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
  ...[...FUNCTIONS.values()].flatMap((definition) => formOfFunction(definition)),
  ['Lambda', readLambda],
  ['Member', readMember],
])

/** A function's own form. */
function formOfFunction({ name, form, argument }: FunctionDefinition): readonly (readonly [string, ReadForm])[] {
  if (form === undefined) return []
  const read: ReadForm =
    argument === 'path'
      ? (body, { at, reader }) => call(name, [reader.path(body, at)])
      : (body, place) => call(name, readList(body, place))
  return [[form, read]]
}

function readList(body: Value, { at, reader, read }: FormPlace): readonly Read[] | undefined {
  return reader.list(body, at, 'a list of expressions')?.map((item, index) => read(item, `/${index}`))
}

function readArray(body: Value, place: FormPlace): Read {
  const items = readList(body, place)
  return isComplete(items) ? { kind: 'array', items, span: NO_SPAN } : undefined
}

type Entry = ObjectLiteral['entries'][number]

function readObject(body: Value, { at, reader, read }: FormPlace): Read {
  const entries: readonly (Entry | undefined)[] | undefined = reader
    .list(body, at, 'a list of pairs of a key and an expression')
    ?.map((pair, index) => {
      const [key, value] = isList(pair) && pair.length === 2 ? pair : []
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
  const keys = new Set<string>()
  for (const [index, { key }] of entries.entries()) {
    if (keys.has(key)) return reader.fail(`${at}/${index}/0`, 'duplicate-key', `the key ${quote(key)} occurs twice`)
    keys.add(key)
  }
  return { kind: 'object', entries, span: NO_SPAN }
}

function readUnary(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['op', 'operand'])
  if (fields === undefined) return undefined
  const operator = operatorOf(UNARY_FORMS, fields['op'], `${at}/op`, reader)
  const operand = read(fields['operand'], '/operand')
  if (operator === undefined || operand === undefined) return undefined
  // As in text, the negative of a number is a number.
  if (operator === '-' && operand.kind === 'literal' && isNumber(operand.value))
    return { kind: 'literal', value: negated(operand.value), span: NO_SPAN }
  return { kind: 'unary', operator, operand, span: NO_SPAN }
}

function readBinary(body: Value, { at, reader, read }: FormPlace): Read {
  const fields = reader.fields(body, at, ['op', 'left', 'right'])
  if (fields === undefined) return undefined
  const operator = operatorOf(BINARY_FORMS, fields['op'], `${at}/op`, reader)
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

function readCall(body: Value, { at, reader, readArgument }: FormPlace): Read {
  const fields = reader.fields(body, at, ['name', 'args'])
  if (fields === undefined) return undefined
  const name = reader.text(fields['name'], `${at}/name`, 'the name of a function')
  const args = reader
    .list(fields['args'] ?? [], `${at}/args`, 'a list of expressions')
    ?.map((arg, index) => readArgument(arg, `/args/${index}`))
  if (name === undefined || !isComplete(args)) return undefined
  if (!isPlainName(name) || (KEYWORDS.has(name) && !FUNCTIONS.has(name)))
    return reader.fail(`${at}/name`, 'not-callable', `${quote(name)} is not the name of a function`)
  const [first] = args
  if (FUNCTIONS.get(name)?.argument === 'path' && first !== undefined && !isReference(first))
    return reader.fail(`${at}/args/0`, 'not-a-path', `${quote(name)} takes a path such as {"Field": "customer.name"}`)
  return call(name, args)
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

function call(name: string, args: readonly Read[] | undefined): Read {
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

/** A value as it appears in messages. */
export function described(value: Value | undefined): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? quote(value) : typeName(value)
}
