import type { Capabilities } from '../capability-registry.ts'
import {
  type Expression,
  isList,
  isObject,
  type locator,
  nearest,
  type Numbers,
  sizeOf,
  type Value,
  walk,
} from '@engine/expression/core'
import { faults } from '../problems.ts'
import type { Fault, FaultText } from '../problems.ts'
import { at, pointer } from './place.ts'
import type { Place } from './place.ts'
import type { ReadExpressions } from './read-expressions.ts'

/** Maximum number of faults, and of warnings, returned by one decoding; further ones are only counted. */
const MAX_SHOWN = 1000

/**
 * Maximum number of name comparisons for suggestions in one decoding, so that a thousand typos in a large document stay
 * cheap.
 */
const MAX_COMPARISONS = 20_000

/**
 * Part of a decoding that yields between members of the document so that it can be resumed later. The work done in
 * between is in `Decoding.work`.
 */
export type Pausable<Result> = Generator<void, Result, void>

/**
 * Constant values, members and items of all levels in the outputs and defaults of one ruleset: they are frozen and
 * written at the first execution, which must not block other requests.
 */
const MAX_CONSTANTS = 100_000
/** Branches of all steps together: the dispatch index is built from all of them at the first execution. */
export const MAX_BRANCHES = 20_000
/** Items of all list literals in expressions, for the same reason. */
export const MAX_ITEMS = 100_000
/** Units of work to evaluate every expression once, roughly its parts: all are analysed at the first execution. */
export const MAX_PARTS = 500_000

/** State that one run of the decoder passes from member to member. */
export interface Decoding {
  readonly faults: Found
  readonly warnings: Found
  /** Problems for which only a new document would be rejected. */
  readonly tolerated: Found
  /** The steps of the current graph: the ruleset, or a sub-rule. */
  scope: Scope
  /** The names of the document's sub-rules, decodable or not. */
  readonly subRules: ReadonlySet<string>
  readonly messageTemplates: boolean
  /** `config.numbers`. */
  readonly numbers: Numbers
  /** `DecodeOptions.capabilities`. */
  readonly capabilities: KnownCapabilities | undefined
  /** `DecodeOptions.isStored`. */
  readonly isStored: boolean
  /** `DecodeOptions.expressions`. */
  readonly expressions: ReadExpressions | undefined
  comparisonsLeft: number
  /** Remaining constant values: see `MAX_CONSTANTS`. */
  constantsLeft: number
  /** Remaining branches: see `MAX_BRANCHES`. */
  branchesLeft: number
  /** Remaining items of list literals: see `MAX_ITEMS`. */
  itemsLeft: number
  /** Remaining parts of expressions: see `MAX_PARTS`. */
  partsLeft: number
  /** Approximate number of characters read. */
  work: number
  /** The text of the most recent problem, with its line index. */
  located: { readonly text: string; readonly placeOf: ReturnType<typeof locator> } | undefined
}

/** Shared by the steps of one graph: steps lead only to steps of the same graph, and variables belong to it. */
export interface Scope {
  /** The ids of its steps, decodable or not. */
  readonly stepIds: ReadonlySet<string>
  /** Each variable with the first place that reads it. */
  readonly variablesRead: Map<string, Place>
  readonly variablesSet: Set<string>
}

/** The scope of a graph with these `steps`. */
export function startScope(steps: Value | undefined): Scope {
  const ids = typeof steps === 'object' && steps !== null && !Array.isArray(steps) ? Object.keys(steps) : []
  return { stepIds: new Set(ids), variablesRead: new Map(), variablesSet: new Set() }
}

/** Parsing and checking an expression or path takes about as long as reading this many times its characters of JSON. */
export const PARSING = 4

/** Characters charged for a member regardless of its content. */
const MEMBER_WORK = 32

/** Between two members: others may be served here. */
export function* between(decoding: Decoding): Pausable<void> {
  decoding.work += MEMBER_WORK
  yield
}

interface Found {
  readonly shown: (FaultText & { readonly place: Place | undefined })[]
  hidden: number
}

/** The capabilities that a host offers to rules. */
export type KnownCapabilities = Pick<Capabilities, 'get' | 'names'>

/** A decoding of a document with these steps and sub-rules. */
export function startDecoding(
  scope: Scope,
  subRules: ReadonlySet<string>,
  { messageTemplates, numbers }: Pick<Decoding, 'messageTemplates' | 'numbers'>,
  options: {
    readonly capabilities?: KnownCapabilities | undefined
    readonly isStored?: boolean | undefined
    readonly expressions?: ReadExpressions | undefined
  },
): Decoding {
  options.expressions?.begin(`${numbers} ${options.isStored ?? false}`)
  return {
    faults: { shown: [], hidden: 0 },
    warnings: { shown: [], hidden: 0 },
    tolerated: { shown: [], hidden: 0 },
    scope,
    subRules,
    messageTemplates,
    numbers,
    capabilities: options.capabilities,
    isStored: options.isStored ?? false,
    expressions: options.expressions,
    comparisonsLeft: MAX_COMPARISONS,
    constantsLeft: MAX_CONSTANTS,
    branchesLeft: MAX_BRANCHES,
    itemsLeft: MAX_ITEMS,
    partsLeft: MAX_PARTS,
    work: 0,
    located: undefined,
  }
}

/** Reports a fault at `place`. Returns undefined, so that a reader can `return refuse(…)`. */
export function refuse(decoding: Decoding, place: Place | undefined, text: FaultText): undefined {
  note(decoding.faults, place, text)
}

/** Reports a warning at `place`: the document remains usable. */
export function warn(decoding: Decoding, place: Place | undefined, text: FaultText): void {
  note(decoding.warnings, place, text)
}

/** Records that a stored document would be rejected at `place` if it were new. */
export function tolerate(decoding: Decoding, place: Place | undefined, text: FaultText): void {
  note(decoding.tolerated, place, text)
}

/** The number of warnings and tolerated problems so far. */
export function notesOf({ warnings, tolerated }: Decoding): number {
  return warnings.shown.length + warnings.hidden + tolerated.shown.length + tolerated.hidden
}

function note(found: Found, place: Place | undefined, text: FaultText): void {
  if (found.shown.length < MAX_SHOWN) found.shown.push({ ...text, place })
  else found.hidden++
}

/** Counts a constant value. False when there are too many, after reporting the first one over the limit. */
export function countConstants(decoding: Decoding, place: Place, value: Value): boolean {
  const hadSome = decoding.constantsLeft >= 0
  subtractValues(decoding, value)
  if (decoding.constantsLeft >= 0) return true
  if (hadSome) refuse(decoding, place, faults.tooManyConstants(MAX_CONSTANTS))
  return false
}

/** Counts the items of list literals in an expression; exceeding the limit is reported once. */
export function countItems(decoding: Decoding, place: Place, expression: Expression): void {
  const hadSome = decoding.itemsLeft >= 0
  walk(expression, (node) => {
    if (node.kind === 'array') decoding.itemsLeft -= node.items.length
    else if (node.kind === 'literal' && Array.isArray(node.value)) decoding.itemsLeft -= node.value.length
  })
  if (hadSome && decoding.itemsLeft < 0) refuse(decoding, place, faults.tooManyItems(MAX_ITEMS))
}

/** Counts the parts of an expression; exceeding the limit is reported once. */
export function countParts(decoding: Decoding, place: Place, expression: Expression): void {
  const hadSome = decoding.partsLeft >= 0
  decoding.partsLeft -= sizeOf(expression)
  if (hadSome && decoding.partsLeft < 0) refuse(decoding, place, faults.tooManyParts(MAX_PARTS))
}

function subtractValues(decoding: Decoding, value: Value): void {
  if (--decoding.constantsLeft < 0 || typeof value !== 'object' || value === null) return
  decoding.work += MEMBER_WORK
  const members = isList(value) ? value : isObject(value) ? Object.values(value) : []
  for (const member of members) {
    if (decoding.constantsLeft < 0) return
    subtractValues(decoding, member)
  }
}

/** The known name that `name` was probably meant to be, within the budget for comparisons. */
export function suggest(decoding: Decoding, name: string, known: ReadonlySet<string>): string | undefined {
  if (decoding.comparisonsLeft < known.size) return undefined
  decoding.comparisonsLeft -= known.size
  return nearest(name, known)
}

/** The faults with JSON pointers; the last one counts the omitted ones. */
export function shown(found: Found): Fault[] {
  const list = found.shown.map(({ place, ...text }): Fault => ({ path: pointer(place), ...text }))
  if (found.hidden > 0) list.push({ path: '', ...faults.more(found.hidden) })
  return list
}

/** Warns about every unknown member of `fields`. `of` names the object: "a branch". */
export function warnUnknown(
  decoding: Decoding,
  place: Place | undefined,
  fields: object,
  known: ReadonlySet<string>,
  of: string,
): void {
  for (const key of Object.keys(fields)) {
    if (known.has(key)) continue
    // Skip building messages that are not shown.
    if (decoding.warnings.shown.length >= MAX_SHOWN) decoding.warnings.hidden++
    else warn(decoding, at(place, key), faults.unknownField(key, of, suggest(decoding, key, known)))
  }
}
