import { createHash, createHmac } from 'node:crypto'
import { isPresent, lookUp, type Scope } from './path.ts'
import { type Expression, parse } from './syntax.ts'
import {
  ANY,
  arithmetic,
  equal,
  Failure,
  finite,
  isList,
  isNumber,
  isObject,
  json,
  objectOf,
  ordered,
  truth,
  typeOf,
  Unsupported,
  type Value,
  within,
} from './value.ts'

type Call = Extract<Expression, { kind: 'call' }>
type Fn = (...args: Value[]) => Value
type Evaluate = (expression: Expression, scope: Scope) => Value

/** The value of a call, by docs/functions.md. */
export function call({ name, args }: Call, scope: Scope, evaluate: Evaluate): Value {
  const special = Object.hasOwn(OF_PATHS, name) ? OF_PATHS[name] : undefined
  if (special !== undefined) return special(args, scope, evaluate)
  const given = args.map((arg) => (arg.kind === 'lambda' ? functionOf(arg, scope, evaluate) : evaluate(arg, scope)))
  const definition = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
  if (definition === undefined) throw new Unsupported(`the function ${name}`)
  return definition(given, scope)
}

/** A function such as `x => x.price`, or `(x, index) => …`. */
function functionOf({ names, body }: Extract<Expression, { kind: 'lambda' }>, scope: Scope, evaluate: Evaluate): Fn {
  return (...args) =>
    evaluate(body, {
      ...scope,
      locals: new Map([...scope.locals, ...names.map((name, at) => [name, args[at] ?? null] as const)]),
    })
}

type Given = Value | Fn
type Definition = (args: readonly Given[], scope: Scope) => Value

/** Functions that take a path which may be missing. */
const OF_PATHS: { readonly [name: string]: (args: readonly Expression[], scope: Scope, evaluate: Evaluate) => Value } =
  {
    coalesce: (args, scope, evaluate) => {
      for (const arg of args) {
        const value = presentOf(arg, scope, evaluate)
        if (value !== undefined && value !== null) return value
      }
      return null
    },
    is_null: ([arg], scope, evaluate) => arg !== undefined && (presentOf(arg, scope, evaluate) ?? null) === null,
    exists: ([arg], scope) => {
      const path = arg?.kind === 'literal' && typeof arg.value === 'string' ? parse(arg.value) : arg
      if (path?.kind !== 'path') throw new Unsupported('exists of no path')
      return isPresent(path, scope)
    },
  }

/** The value of an argument that may be missing in every mode. */
function presentOf(arg: Expression, scope: Scope, evaluate: Evaluate): Value | undefined {
  if (arg.kind === 'member') throw new Unsupported('a member that may be missing')
  if (arg.kind !== 'path') return evaluate(arg, scope)
  if (scope.missing === 'default') throw new Unsupported('defaults of what may be missing')
  return lookUp(arg, scope)
}

/** "Everywhere else null is an error that names the path of the argument." */
function known(value: Given | undefined): Value {
  if (value === undefined || typeof value === 'function') throw new Unsupported('an argument of another kind')
  if (value === null) throw new Failure('null-argument')
  return value
}
function text(value: Given | undefined): string {
  const found = known(value)
  if (typeof found !== 'string') throw new Failure('wrong-type')
  return found
}
function number(value: Given | undefined): number | bigint {
  const found = known(value)
  if (!isNumber(found)) throw new Failure('wrong-type')
  return found
}
function whole(value: Given | undefined): number {
  const found = number(value)
  if (!Number.isSafeInteger(found)) throw new Unsupported('a position that is no whole number')
  return Number(found)
}
function list(value: Given | undefined): readonly Value[] {
  const found = known(value)
  if (!isList(found)) throw new Failure('wrong-type')
  return found
}
function object(value: Given | undefined): { readonly [key: string]: Value } {
  const found = known(value)
  if (!isObject(found)) throw new Failure('wrong-type')
  return found
}
function lambda(value: Given | undefined): Fn {
  if (typeof value !== 'function') throw new Unsupported('a function is needed')
  return value
}
function plain(value: Given | undefined): Value {
  if (value === undefined || typeof value === 'function') throw new Unsupported('an argument of another kind')
  return value
}

/** "Predicates over text are false when an argument is null." */
const predicate =
  (test: (one: string, other: string) => boolean): Definition =>
  ([one, other]) =>
    plain(one) !== null && plain(other) !== null && test(text(one), text(other))

const isOf =
  (test: (value: Value) => boolean): Definition =>
  ([value]) =>
    test(plain(value))

/** Items for which a test is true. */
const kept = (given: Given | undefined, test: Given | undefined) => {
  const f = lambda(test)
  return list(given).filter((item, index) => truth(f(item, index)))
}

function sum(items: readonly Value[]): number | bigint {
  let total: number | bigint = 0
  for (const item of items) {
    if (!isNumber(item)) throw new Failure(ANY)
    total = arithmetic('+', total, item)
  }
  return total
}

const summed = ([given, f]: readonly Given[]) => {
  const items = list(given)
  return f === undefined ? items : items.map((item, index) => lambda(f)(item, index))
}

/** The least of numbers or texts by an order. */
function least(args: readonly Given[], isBefore: (sign: number) => boolean): Value {
  const items = args.length === 1 ? list(args[0]) : args.map((arg) => plain(arg))
  if (items.includes(null)) throw new Failure(ANY)
  const kinds = new Set(items.map(typeOf))
  if (kinds.size > 1 || ![...kinds].every((kind) => kind === 'number' || kind === 'string'))
    throw new Failure('wrong-type')
  const [first = null, ...others] = items
  return others.reduce((found, item) => (ordered(item, found, isBefore) ? item : found), first)
}

/** A stable sort in ascending order: of numbers, or of texts. */
function sorted([given, key]: readonly Given[]): Value {
  const items = list(given)
  const keys = items.map((item, index) => (key === undefined ? item : lambda(key)(item, index)))
  if (
    keys.some((one) => one === null || !['number', 'string'].includes(typeOf(one))) ||
    new Set(keys.map(typeOf)).size > 1
  )
    throw new Unsupported('an order of such values')
  const order = keys.map((one, index) => [one, index] as const)
  return order
    .toSorted(([one], [other]) =>
      ordered(one, other, (sign) => sign < 0) ? -1 : ordered(one, other, (sign) => sign > 0) ? 1 : 0,
    )
    .map(([, index]) => items[index] as Value)
}

function distinct([given]: readonly Given[]): Value {
  const found: Value[] = []
  for (const item of list(given)) if (!found.some((one) => equal(one, item))) found.push(item)
  return found
}

/** A part between positions that count from the end when they are negative. */
function between<Sliced extends string | readonly Value[]>(
  of: Sliced,
  start: Given | undefined,
  end: Given | undefined,
): Sliced {
  const from = whole(start)
  return (end === undefined ? of.slice(from) : of.slice(from, whole(end))) as Sliced
}

const at = (item: Value, path: string): Value => {
  const expression = parse(path)
  if (expression.kind !== 'path') throw new Unsupported('a path of this form')
  const scope = {
    input: item,
    variable: () => undefined,
    missing: 'lenient',
    defaults: {},
    now: 0,
    locals: new Map(),
  } as const
  return lookUp(expression, scope) ?? null
}

/** "Rounds the decimal that a double is written as." Digits are shifted as text, so that no double is computed with. */
function round(value: number | bigint, digits: number, mode: string): number | bigint {
  if (typeof value === 'bigint') {
    if (digits >= 0) return value
    throw new Unsupported('large integers at negative places')
  }
  if (digits < -15 || digits > 15) throw new Failure(ANY)
  const [, sign = '', units = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const point = units.length + Number(exponent) + digits
  const all = units + fraction
  const shifted = BigInt((point <= 0 ? '' : all.slice(0, point).padEnd(point, '0')) || '0')
  const rest = point < 0 ? `${'0'.repeat(-point)}${all}` : all.slice(point)
  const isExact = !/[1-9]/.test(rest)
  const half = isExact
    ? -1
    : rest.startsWith('5') && !/[1-9]/.test(rest.slice(1))
      ? 0
      : Number(rest[0] ?? '0') >= 5
        ? 1
        : -1
  const rounded = shifted + (isAway(mode, sign === '-', isExact, half, shifted % 2n === 1n) ? 1n : 0n)
  if (rounded === 0n) return 0
  return finite(Number(`${sign}${rounded}e${-digits}`))
}

/** Whether a digit is added to the magnitude. `half`: -1 below the half, 0 at it, 1 above. */
function isAway(mode: string, isNegative: boolean, isExact: boolean, half: number, isOdd: boolean): boolean {
  if (isExact) return false
  switch (mode) {
    case 'half_up':
      return half >= 0
    case 'half_down':
      return half > 0
    case 'half_even':
      return half > 0 || (half === 0 && isOdd)
    case 'up':
      return true
    case 'down':
      return false
    case 'ceiling':
      return !isNegative
    case 'floor':
      return isNegative
    default:
      throw new Failure(ANY)
  }
}

const digest = (algorithm: string, given: Given | undefined) => createHash(algorithm).update(text(given)).digest('hex')

function grouped([given, path]: readonly Given[]): Value {
  const groups = new Map<string, Value[]>()
  for (const item of list(given)) {
    const key = at(item, text(path))
    if (key !== null && typeof key === 'object') throw new Unsupported('groups by lists or objects')
    const name = typeof key === 'string' ? key : json(key)
    const group = groups.get(name) ?? []
    group.push(item)
    groups.set(name, group)
  }
  return objectOf(groups)
}

function integersBetween([start, end, step = 1]: readonly Given[]): Value {
  const [from, to, by] = [number(start), number(end), number(step)].map(Number) as [number, number, number]
  if (!Number.isInteger(from) || !Number.isInteger(by) || by === 0 || Math.abs(to - from) / Math.abs(by) > 10_000)
    throw new Unsupported('a range of this kind')
  const found: number[] = []
  for (let one = from; by > 0 ? one < to : one > to; one += by) found.push(one)
  return found
}

function toNumber(given: Given | undefined): number | bigint {
  const value = known(given)
  if (isNumber(value)) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') throw new Failure('wrong-type')
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) throw new Unsupported('a text that may be a number')
  if (/^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value))) return BigInt(value)
  return finite(Number(value))
}

const utf8 = (bytes: Buffer) => bytes.toString('utf8')

const FUNCTIONS: { readonly [name: string]: Definition } = {
  len: ([value]) => {
    const found = known(value)
    if (typeof found === 'string' || isList(found)) return found.length
    return Object.keys(object(found)).length
  },
  upper: ([value]) => text(value).toUpperCase(),
  lower: ([value]) => text(value).toLowerCase(),
  trim: ([value]) => text(value).trim(),
  starts_with: predicate((one, other) => one.startsWith(other)),
  ends_with: predicate((one, other) => one.endsWith(other)),
  contains_str: predicate((one, other) => one.includes(other)),
  contains: ([container, item]) => within(plain(item), plain(container)),
  substring: ([value, start, end]) => between(text(value), start, end),
  char_at: ([value, index]) => text(value).at(whole(index)) ?? null,
  index_of: ([container, item]) => {
    const found = known(container)
    if (isList(found)) return found.findIndex((one) => equal(one, plain(item)))
    return text(found).indexOf(text(item))
  },
  replace: ([value, from, to]) => {
    if (text(from) === '') throw new Unsupported('every empty text')
    return text(value).split(text(from)).join(text(to))
  },
  split: ([value, separator]) => text(value).split(text(separator)),
  join: ([value, separator = '']) => {
    const texts = list(value).filter((item) => typeof item === 'string')
    if (texts.length < list(value).length) throw new Unsupported('joined values')
    return texts.join(text(separator))
  },
  pad_left: ([value, width, fill = ' ']) => text(value).padStart(whole(width), text(fill)),
  pad_right: ([value, width, fill = ' ']) => text(value).padEnd(whole(width), text(fill)),
  abs: ([value]) => {
    const found = number(value)
    return found < 0 ? arithmetic('-', 0, found) : found
  },
  min: (args) => least(args, (sign) => sign < 0),
  max: (args) => least(args, (sign) => sign > 0),
  floor: ([value]) => integral(number(value), Math.floor),
  ceil: ([value]) => integral(number(value), Math.ceil),
  round: ([value, digits = 0, mode = 'half_up']) => round(number(value), whole(digits), text(mode)),
  sqrt: ([value]) => {
    const found = Number(number(value))
    if (found < 0) throw new Failure(ANY)
    return Math.sqrt(found)
  },
  pow: ([base, exponent]) => {
    const [one, other] = [number(base), number(exponent)]
    if (!Number.isSafeInteger(other) || other < 0 || Number(other) > 1000 || !Number.isSafeInteger(one))
      throw new Unsupported('powers of fractions')
    let product: number | bigint = 1
    for (let count = 0; count < Number(other); count++) product = arithmetic('*', product, one)
    return product
  },
  sum: (args) => sum(summed(args)),
  avg: (args) => {
    const items = summed(args)
    return items.length === 0 ? null : arithmetic('/', sum(items), items.length)
  },
  count: ([given, test]) => (test === undefined ? list(given) : kept(given, test)).length,
  any: ([given, test]) => list(given).some((item, index) => truth(lambda(test)(item, index))),
  all: ([given, test]) => list(given).every((item, index) => truth(lambda(test)(item, index))),
  none: ([given, test]) => !list(given).some((item, index) => truth(lambda(test)(item, index))),
  filter: ([given, test]) => kept(given, test),
  map: ([given, f]) => list(given).map((item, index) => lambda(f)(item, index)),
  find: ([given, test]) => list(given).find((item, index) => truth(lambda(test)(item, index))) ?? null,
  first: ([given]) => list(given)[0] ?? null,
  last: ([given]) => list(given).at(-1) ?? null,
  distinct,
  unique: distinct,
  sort: sorted,
  reverse: ([given]) => list(given).toReversed(),
  slice: ([given, start, end]) => between(list(given), start, end),
  flatten: ([given]) => list(given).flatMap((item): readonly Value[] => (isList(item) ? item : [item])),
  array_concat: (args) => args.flatMap((arg) => list(arg)),
  range: integersBetween,
  map_extract: ([given, path]) => list(given).map((item) => at(item, text(path))),
  filter_by: ([given, path, value]) => list(given).filter((item) => equal(at(item, text(path)), plain(value))),
  group_by: grouped,
  keys: ([value]) => Object.keys(object(value)),
  values: ([value]) => Object.values(object(value)),
  has_key: ([value, key]) => {
    if (plain(value) === null || plain(key) === null) return false
    return Object.hasOwn(object(value), text(key))
  },
  object_get: ([value, key, byDefault = null]) => {
    const [of, name] = [object(value), text(key)]
    return Object.hasOwn(of, name) ? (of[name] as Value) : plain(byDefault)
  },
  merge: (args) => objectOf(args.flatMap((arg) => Object.entries(object(arg)))),
  type: ([value]) => typeOf(plain(value)),
  is_number: isOf(isNumber),
  is_string: isOf((value) => typeof value === 'string'),
  is_bool: isOf((value) => typeof value === 'boolean'),
  is_array: isOf(isList),
  is_object: isOf(isObject),
  to_number: ([value]) => toNumber(value),
  to_float: ([value]) => toNumber(value),
  to_int: ([value]) => integral(toNumber(value), Math.trunc),
  to_string: ([value]) => {
    const found = plain(value)
    return typeof found === 'string' ? found : json(found)
  },
  to_bool: ([value]) => truth(plain(value)),
  json_marshal: ([value]) => json(plain(value)),
  now: (_args, { now }) => new Date(now).toISOString(),
  now_millis: (_args, { now }) => now,
  base64_encode: ([value]) => Buffer.from(text(value)).toString('base64'),
  base64url_encode: ([value]) => Buffer.from(text(value)).toString('base64url'),
  hex_encode: ([value]) => Buffer.from(text(value)).toString('hex'),
  hex_decode: ([value]) => {
    if (!/^(?:[0-9a-f]{2})*$/.test(text(value))) throw new Unsupported('other digits')
    return utf8(Buffer.from(text(value), 'hex'))
  },
  md5: ([value]) => digest('md5', value),
  sha256: ([value]) => digest('sha256', value),
  hmac_sha256: ([key, message]) => createHmac('sha256', text(key)).update(text(message)).digest('hex'),
}

/** An integer of a number; a double that is beyond the exact ones is whole already. */
function integral(value: number | bigint, of: (value: number) => number): number | bigint {
  return typeof value === 'bigint' ? value : of(value)
}
