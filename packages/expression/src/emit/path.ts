import type { Segment } from '../ast.ts'
import { freeze } from '../constants.ts'
import { Decimal } from '../decimal/decimal.ts'
import type { Emission } from './emission.ts'
import {
  element,
  hasWildcard,
  isPresent,
  missing,
  ownMember,
  readGuarded,
  readReference,
  type Reference,
} from '../path.ts'
import { printPath } from '../printer.ts'

/**
 * JavaScript for a reference under the policy; undefined may stand for null. The common path in lenient mode is
 * `input[k0]?.[k1]`, as one would write it by hand.
 */
export function emitReference(node: Reference, emission: Emission): string {
  const { scope } = emission
  if (hasWildcard(node)) {
    const { constants } = scope
    const names = [readReference, node, scope.policy].map((value) => constants.add(value))
    return `${names[0]}(${scope.runtime}, ${names[1]}, ${emitRoot(node, emission)}, ${names[2]})`
  }
  const found = emitFound(node, emission)
  const instead = emitInstead(node, emission)
  if (instead === undefined || isCertain(node)) return found
  return emission.withTemporary((t) => `((${t} = ${found}) !== undefined ? ${t} : ${instead})`)
}

/**
 * JavaScript for a reference as a guarded argument: as in lenient mode, except that mode `default` applies its
 * defaults.
 */
export function emitGuarded(node: Reference, emission: Emission): string {
  const { scope } = emission
  if (scope.policy.mode !== 'strict') return emitReference(node, emission)
  return emitFound(node, emission)
}

/** JavaScript that yields the value at the reference, or undefined: no policy, no defaults. */
function emitFound(node: Reference, emission: Emission): string {
  const { constants, runtime } = emission.scope
  const root = emitRoot(node, emission)
  if (hasWildcard(node)) return `${constants.add(readGuarded)}(${runtime}, ${constants.add(node)}, ${root})`
  let text = root
  let isObject = node.kind === 'field' && emission.scope.inputIsObject === true
  for (const segment of node.path) {
    text = emitHop(text, segment, isObject, emission)
    isObject = false
  }
  return text
}

/** JavaScript for `exists(path)`. */
export function emitPresence(node: Reference, emission: Emission): string {
  const { constants, runtime } = emission.scope
  if (!hasWildcard(node)) return `(${emitFound(node, emission)} !== undefined)`
  return `${constants.add(isPresent)}(${runtime}, ${constants.add(node)}, ${emitRoot(node, emission)})`
}

/** Whether the reference always has a value: a whole lambda parameter or computed value. */
function isCertain(node: Reference): boolean {
  return node.path.length === 0 && node.kind !== 'variable'
}

function emitRoot(node: Reference, emission: Emission): string {
  const { scope, locals } = emission
  switch (node.kind) {
    case 'field':
      return scope.input
    case 'variable':
      return scope.variable(node.name)
    case 'local':
      return locals.get(node.name) ?? 'undefined'
    case 'member':
      return emission.value(node.object)
  }
}

/**
 * JavaScript for the substitute of a missing value; undefined when no substitute is needed because undefined may stand
 * for null.
 */
function emitInstead(node: Reference, emission: Emission): string | undefined {
  const { constants, policy } = emission.scope
  switch (policy.mode) {
    case 'lenient':
      return undefined
    case 'strict':
      return `${constants.add(missing)}(${constants.add(node)})`
    case 'default': {
      const value = node.kind === 'field' ? policy.defaults.get(printPath(node)) : undefined
      return value === undefined ? undefined : constants.add(freeze(value))
    }
  }
}

function emitHop(receiver: string, segment: Segment, isObject: boolean, emission: Emission): string {
  const { constants } = emission.scope
  switch (segment.kind) {
    case 'index':
      return `${constants.add(element)}(${receiver}, ${segment.index < 0 ? `(${segment.index})` : segment.index})`
    case 'name': {
      const key = constants.add(segment.name)
      if (
        !(isObject ? INHERITED_BY_OBJECTS : INHERITED).has(segment.name) &&
        !(INDEX.test(segment.name) && !isObject)
      ) {
        return isObject ? `${receiver}[${key}]` : `${receiver}?.[${key}]`
      }
      return `${constants.add(ownMember)}(${receiver}, ${key})`
    }
    case 'wildcard':
      throw new Error('a wildcard is read by the path functions')
  }
}

/**
 * Names that a JSON value inherits. Every other name is safe to read with a plain load: on a JSON object it yields the
 * own property or undefined, and on an array, string or other scalar undefined, because their prototypes have only the
 * names listed here (JSON values have no other prototypes, and the programs never extend them).
 */
const INHERITED_BY_OBJECTS: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  // A decimal input is read like an object without members (`EmitScope.inputIsObject`).
  ...Object.getOwnPropertyNames(Decimal.prototype),
  // Missing from the list above in a process that runs with --disable-proto=delete; generated code may run elsewhere.
  '__proto__',
])

const INHERITED: ReadonlySet<string> = new Set([
  ...INHERITED_BY_OBJECTS,
  ...[Array, String, Number, Boolean, BigInt].flatMap((type) => Object.getOwnPropertyNames(type.prototype)),
  'length',
])

/** To JavaScript an array element or a string character; to us a name, and therefore missing. */
const INDEX = /^\d+$/
