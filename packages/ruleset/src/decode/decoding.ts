import type { Capabilities } from '../capability-registry.ts'
import { type Expression, type locator, nearest, sizeOf, type Value, walk } from '@engine/expression'
import { faults } from '../problems.ts'
import type { Fault, FaultText } from '../problems.ts'
import { at, pointer } from './place.ts'
import type { Place } from './place.ts'

/** Faults, and likewise warnings, that one decoding shows; further ones are only counted. */
const MAX_SHOWN = 1000

/** Names that one decoding compares in search of suggestions, so that a thousand typos in a large document stay cheap. */
const MAX_COMPARISONS = 20_000

/**
 * Part of a decoding that can stop between two members of the document and go on later: it yields there. How much was done
 * meanwhile is in `Decoding.work`.
 */
export type Pausable<Result> = Generator<void, Result, void>

/**
 * Values, members and items of all levels, that the outputs and defaults of one ruleset give as they are: they are frozen
 * and written at the first execution, which must not keep others waiting.
 */
const MAX_CONSTANTS = 100_000
/** Branches of all steps together: what finds the right one is made of all at the first execution. */
export const MAX_BRANCHES = 20_000
/** Items of all lists that are written in expressions, for the same reason. */
export const MAX_ITEMS = 100_000
/** Units of work to evaluate each expression once, about its parts: a plan of all is made at the first execution. */
export const MAX_PARTS = 500_000

/** What one run of the decoder carries from member to member. */
export interface Decoding {
  readonly faults: Found
  readonly warnings: Found
  /** Of the graph whose steps are being read: that of the ruleset, or of a sub-rule. */
  scope: Scope
  /** The names of the document's sub-rules, whether or not they could be decoded. */
  readonly subRules: ReadonlySet<string>
  readonly messageTemplates: boolean
  /** `DecodeOptions.capabilities`. */
  readonly capabilities: KnownCapabilities | undefined
  comparisonsLeft: number
  /** Values that may still be given as they are: see `MAX_CONSTANTS`. */
  constantsLeft: number
  /** Branches that the other steps may still have: see `MAX_BRANCHES`. */
  branchesLeft: number
  /** Items that lists in expressions may still have: see `MAX_ITEMS`. */
  itemsLeft: number
  /** Parts that other expressions may still have: see `MAX_PARTS`. */
  partsLeft: number
  /** Characters that have been read, about. */
  work: number
  /** The text in which a problem was found last. */
  located: { readonly text: string; readonly placeOf: ReturnType<typeof locator> } | undefined
}

/** What the steps of one graph share: its steps lead to each other only, and its variables are its own. */
export interface Scope {
  /** The ids of its steps, whether or not they could be decoded. */
  readonly stepIds: ReadonlySet<string>
  /** Variable to the first place that reads it. */
  readonly variablesRead: Map<string, Place>
  readonly variablesSet: Set<string>
}

/** The scope of a graph with these `steps`. */
export function startScope(steps: Value | undefined): Scope {
  const ids = typeof steps === 'object' && steps !== null && !Array.isArray(steps) ? Object.keys(steps) : []
  return { stepIds: new Set(ids), variablesRead: new Map(), variablesSet: new Set() }
}

/** An expression, or a path, is parsed and checked in about the time in which so many times its characters of JSON are read. */
export const PARSING = 4

/** Characters that a member costs, whatever it holds. */
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

/** What a host offers to rules. */
export type KnownCapabilities = Pick<Capabilities, 'get' | 'names'>

/** A decoding of a document with these steps and sub-rules. */
export function startDecoding(
  scope: Scope,
  subRules: ReadonlySet<string>,
  messageTemplates: boolean,
  capabilities: KnownCapabilities | undefined,
): Decoding {
  return {
    faults: { shown: [], hidden: 0 },
    warnings: { shown: [], hidden: 0 },
    scope,
    subRules,
    messageTemplates,
    capabilities,
    comparisonsLeft: MAX_COMPARISONS,
    constantsLeft: MAX_CONSTANTS,
    branchesLeft: MAX_BRANCHES,
    itemsLeft: MAX_ITEMS,
    partsLeft: MAX_PARTS,
    work: 0,
    located: undefined,
  }
}

/** Notes that the document is wrong at `place`. Returns undefined, so that a reader can `return refuse(…)`. */
export function refuse(decoding: Decoding, place: Place | undefined, text: FaultText): undefined {
  note(decoding.faults, place, text)
}

/** Notes that the document is odd at `place`, though it can be used. */
export function warn(decoding: Decoding, place: Place | undefined, text: FaultText): void {
  note(decoding.warnings, place, text)
}

function note(found: Found, place: Place | undefined, text: FaultText): void {
  if (found.shown.length < MAX_SHOWN) found.shown.push({ ...text, place })
  else found.hidden++
}

/** Counts a value that is given as it is. False when there are too many of them, after the fault of the first such one. */
export function countConstants(decoding: Decoding, place: Place, value: Value): boolean {
  const hadSome = decoding.constantsLeft >= 0
  subtractValues(decoding, value)
  if (decoding.constantsLeft >= 0) return true
  if (hadSome) refuse(decoding, place, faults.tooManyConstants(MAX_CONSTANTS))
  return false
}

/** Counts the items of lists that an expression holds; one too many is a fault, once. */
export function countItems(decoding: Decoding, place: Place, expression: Expression): void {
  const hadSome = decoding.itemsLeft >= 0
  walk(expression, (node) => {
    if (node.kind === 'array') decoding.itemsLeft -= node.items.length
    else if (node.kind === 'literal' && Array.isArray(node.value)) decoding.itemsLeft -= node.value.length
  })
  if (hadSome && decoding.itemsLeft < 0) refuse(decoding, place, faults.tooManyItems(MAX_ITEMS))
}

/** Counts the parts of an expression; one too many is a fault, once. */
export function countParts(decoding: Decoding, place: Place, expression: Expression): void {
  const hadSome = decoding.partsLeft >= 0
  decoding.partsLeft -= sizeOf(expression)
  if (hadSome && decoding.partsLeft < 0) refuse(decoding, place, faults.tooManyParts(MAX_PARTS))
}

function subtractValues(decoding: Decoding, value: Value): void {
  if (--decoding.constantsLeft < 0 || typeof value !== 'object' || value === null) return
  decoding.work += MEMBER_WORK
  const members = Array.isArray(value) ? (value as readonly Value[]) : Object.values(value as object)
  for (const member of members) {
    if (decoding.constantsLeft < 0) return
    subtractValues(decoding, member as Value)
  }
}

/** The known name that `name` was probably meant to be, as long as the budget for searching lasts. */
export function suggest(decoding: Decoding, name: string, known: ReadonlySet<string>): string | undefined {
  if (decoding.comparisonsLeft < known.size) return undefined
  decoding.comparisonsLeft -= known.size
  return nearest(name, known)
}

/** What was found, with pointers; the last one counts what is not shown. */
export function shown(found: Found): Fault[] {
  const list = found.shown.map(({ place, ...text }): Fault => ({ path: pointer(place), ...text }))
  if (found.hidden > 0) list.push({ path: '', ...faults.more(found.hidden) })
  return list
}

/** Warns of every member of `fields` that is not known. `of` names the thing: "a branch". */
export function warnUnknown(
  decoding: Decoding,
  place: Place | undefined,
  fields: object,
  known: ReadonlySet<string>,
  of: string,
): void {
  for (const key of Object.keys(fields)) {
    if (known.has(key)) continue
    // What is not shown needs no words either.
    if (decoding.warnings.shown.length >= MAX_SHOWN) decoding.warnings.hidden++
    else warn(decoding, at(place, key), faults.unknownField(key, of, suggest(decoding, key, known)))
  }
}
