import {
  Budget,
  BudgetError,
  EvaluationError,
  type Expression,
  interpret,
  isDecimal,
  isList,
  isObject,
  isTrue,
  type EvaluationPolicy,
  type Segment,
  type Value,
} from '@engine/expression'

/** A value, or the code of the error in its place. */
export type Evaluated = { readonly value: Value } | { readonly error: string }

const NO_VARIABLES: ReadonlyMap<string, Value> = new Map()

/** Units and bytes that one evaluation for the analysis may take. */
const UNITS = 200
const BYTES = 1024 * 1024

/** The value of an expression by the interpreter. Work without end is an error of the code `too-much-work`. */
export function evaluate(
  expression: Expression,
  policy: EvaluationPolicy,
  input: Value,
  variables: ReadonlyMap<string, Value> = NO_VARIABLES,
  now = 0,
): Evaluated {
  const runtime = { now, budget: Budget.ofThousands(UNITS, BYTES) }
  try {
    return { value: interpret(expression, { input, variables, policy, runtime }) }
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.code }
    if (error instanceof BudgetError) return { error: 'too-much-work' }
    throw error
  }
}

/** `holds`, `fails`, or the code of the error that a condition ends in. */
export function truthOf(evaluated: Evaluated): string {
  return 'error' in evaluated ? evaluated.error : isTrue(evaluated.value) ? HOLDS : FAILS
}

export const HOLDS = '+'
export const FAILS = '-'

/** An object being built; all names of members are own properties. */
export type Building = { [key: string]: Value | Building }

/** Puts a value at a plain path of an input, and makes the objects that lead there. False: something else is in the way. */
export function put(input: Building, path: readonly Segment[], value: Value): boolean {
  let place: Building = input
  for (const [index, segment] of path.entries()) {
    if (segment.kind === 'wildcard') return false
    if (segment.kind === 'index' && segment.index < 0) return false
    // A list has items in a row and no members.
    if (Array.isArray(place) && (segment.kind === 'name' || segment.index > place.length)) return false
    const key = segment.kind === 'name' ? segment.name : String(segment.index)
    if (index === path.length - 1) define(place, key, copyOf(value))
    else {
      if (!Object.hasOwn(place, key)) define(place, key, {})
      const inner = place[key]
      if (typeof inner !== 'object' || inner === null || isDecimal(inner)) return false
      place = inner as Building
    }
  }
  return true
}

/** Examples and constants of rules are put in many inputs, whose members change later. */
function copyOf(value: Value): Value {
  if (isList(value)) return value.map(copyOf)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]))
}

function define(place: Building, key: string, value: Value | Building): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true })
}
