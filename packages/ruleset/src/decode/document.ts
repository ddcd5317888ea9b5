import { isList, numbersOf, type Piecewise, type Value } from '@engine/expression/core'
import { decodeConfig } from './config.ts'
import { refuse, shown, startDecoding, startScope, warnUnknown } from './decoding.ts'
import type { Decoding, KnownCapabilities, Pausable } from './decoding.ts'
import { described, isFields, member } from './field.ts'
import { warnOfFlow, warnOfVariables } from './flow.ts'
import { isForeign, withNumbers } from './document-numbers.ts'
import { inlineSubRules } from './inline.ts'
import { at, type Place } from './place.ts'
import type { ReadExpressions } from './read-expressions.ts'
import { decodeSteps } from './step.ts'
import { decodeSubRules, measuring, subRuleNames, warnOfSubRules } from './sub-rule.ts'
import type { DecodedStep } from './sub-rule-step.ts'
import type { Ruleset } from '../model.ts'
import { faults } from '../problems.ts'
import type { Fault } from '../problems.ts'

/** Values of a document, members and items of all levels, including unknown fields. */
const MAX_VALUES = 1_000_000

const KNOWN: ReadonlySet<string> = new Set(['config', 'steps', 'sub_rules', '_signature', '$schema'])

/** The result of decoding a ruleset: has a ruleset exactly when there are no problems. */
export interface DecodedRuleset {
  readonly ruleset?: Ruleset
  /** All reasons why the document cannot be used. */
  readonly problems: readonly Fault[]
  /** Questionable but usable parts of the document. */
  readonly warnings: readonly Fault[]
  /**
   * Problems for which a stored document would be rejected if it were new. Empty unless `DecodeOptions.isStored` is
   * set.
   */
  readonly tolerated: readonly Fault[]
}

export interface DecodeOptions {
  /**
   * The document was stored by this or an earlier version: expressions that are rejected only in new documents are
   * tolerated. They decide and fail as they did when they were stored.
   */
  readonly isStored?: boolean | undefined
  /** The JSON text of the document: faults outside expressions then have line and column in it. */
  readonly text?: string | undefined
  /**
   * The capabilities of the host: external calls that it cannot make cause warnings. Undefined: calls are not checked.
   */
  readonly capabilities?: KnownCapabilities | undefined
  /** The parsed expressions of the previous version, which are reused, and then those of this version. */
  readonly expressions?: ReadExpressions | undefined
}

/**
 * Finds the positions of paths in the text of a document; yields the characters scanned since the last yield. Undefined
 * for a path that does not occur.
 */
export type PositionSearch = (
  paths: readonly string[],
) => Generator<number, (path: string) => Pick<Fault, 'line' | 'column'> | undefined, void>

/**
 * Decodes the JSON of a ruleset (specification 2.1 and 2.2) in pieces: applies every default, parses and checks every
 * expression, resolves every target.
 *
 * @param search undefined: faults outside expressions have no line and column
 */
export function documentDecoding(
  document: Value,
  options: DecodeOptions,
  search: PositionSearch | undefined,
): Piecewise<DecodedRuleset> {
  const decoding = startDecoding(
    startScope(isFields(document) ? member(document, 'steps') : undefined),
    subRuleNames(document),
    settingsOf(document),
    options,
  )
  const decode = decodeAll(decoding, document, search)
  return {
    advance(characters) {
      const until = decoding.work + characters
      do {
        const next = decode.next()
        if (next.done === true) return next.value
      } while (decoding.work < until)
      return undefined
    },
  }
}

function* decodeAll(decoding: Decoding, given: Value, search: PositionSearch | undefined): Pausable<DecodedRuleset> {
  const { count, hasForeign } = yield* countValues(decoding, given)
  if (count > MAX_VALUES)
    return { problems: [{ path: '', ...faults.tooMany('values', MAX_VALUES, count) }], warnings: [], tolerated: [] }
  const document = hasForeign ? withNumbers(given, decoding.numbers) : given
  const found = yield* decodeDocument(decoding, document)
  const decoded = decoding.faults.shown.length === 0 ? found?.ruleset : undefined
  if (decoded !== undefined) {
    yield* warnOfFlow(decoding, decoded, found?.places ?? NO_PLACES)
    warnOfVariables(decoding)
  }
  const problems = shown(decoding.faults)
  const warnings = shown(decoding.warnings)
  const tolerated = shown(decoding.tolerated)
  const shownHere = [...problems, ...warnings, ...tolerated]
  if (search !== undefined && shownHere.length > 0) {
    const position = yield* positionsOf(decoding, search, shownHere)
    for (const list of [problems, warnings, tolerated]) {
      for (const [index, fault] of list.entries())
        if (fault.line === undefined) list[index] = { ...fault, ...position(fault.path) }
    }
  }
  const lists = { problems, warnings, tolerated }
  return decoded === undefined ? lists : { ruleset: decoded, ...lists }
}

interface Counted {
  readonly count: number
  /** Whether any number has a representation that the ruleset does not compute with. */
  readonly hasForeign: boolean
}

/** The values in a document; counting stops above `MAX_VALUES`. */
function* countValues(decoding: Decoding, document: Value): Pausable<Counted> {
  let count = 1
  let hasForeign = false
  const pending: Value[] = [document]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const members = isList(next) ? next : Object.values(next)
    count += members.length
    if (count > MAX_VALUES) return { count, hasForeign }
    for (const inner of members) {
      hasForeign ||= isForeign(inner, decoding.numbers)
      if (typeof inner === 'object' && inner !== null) pending.push(inner)
    }
    decoding.work += members.length
    yield
  }
  return { count, hasForeign }
}

/** Positions in the document's text of the faults that have no line and column yet. */
function* positionsOf(decoding: Decoding, search: PositionSearch, found: readonly Fault[]) {
  const searching = search(found.map(({ path }) => path))
  for (;;) {
    const next = searching.next()
    if (next.done === true) return next.value
    decoding.work += next.value
    yield
  }
}

/** The settings of `config` that affect how the rest is parsed. */
function settingsOf(document: Value): Pick<Decoding, 'messageTemplates' | 'numbers'> {
  const config = isFields(document) ? member(document, 'config') : undefined
  return {
    messageTemplates: isFields(config) && member(config, 'message_templates') === true,
    numbers: numbersOf(document),
  }
}

/** A ruleset, and the document places of steps that are not at `/steps/…`. */
interface DecodedDocument {
  readonly ruleset: Ruleset
  readonly places: ReadonlyMap<string, Place>
}

const NO_PLACES: DecodedDocument['places'] = new Map()

function* decodeDocument(decoding: Decoding, document: Value): Pausable<DecodedDocument | undefined> {
  if (!isFields(document)) return refuse(decoding, undefined, faults.notAnObject(described(document)))
  warnUnknown(decoding, undefined, document, KNOWN, 'a ruleset')
  const config = yield* decodeConfig(decoding, member(document, 'config'))
  const measure = measuring(decoding)
  const steps = yield* decodeSteps(decoding, undefined, document)
  const extent = measure(steps?.size ?? 0)
  const subRules = yield* decodeSubRules(decoding, document)
  if (config === undefined || steps === undefined || subRules === undefined) return undefined
  if (subRules.size === 0) return hasNoUses(steps) ? { ruleset: { config, steps }, places: NO_PLACES } : undefined
  if (decoding.faults.shown.length > 0) return undefined
  const variables = decoding.scope.variablesSet
  const root = { entryStep: config.entryStep, steps, variables, extent, place: at(undefined, 'steps') }
  warnOfSubRules(decoding, root, subRules)
  const inlined = yield* inlineSubRules(decoding, root, subRules)
  return inlined && { ruleset: { config, steps: inlined.steps }, places: inlined.places }
}

function hasNoUses(steps: ReadonlyMap<string, DecodedStep>): steps is Ruleset['steps'] {
  for (const step of steps.values()) if (step.type === 'sub_rule') return false
  return true
}
