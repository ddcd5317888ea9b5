import type { Value } from '@engine/expression'
import { decodeConfig } from './decode/config.ts'
import { refuse, shown, startDecoding, warnUnknown } from './decode/decoding.ts'
import type { Decoding, KnownCapabilities } from './decode/decoding.ts'
import { described, isFields, member } from './decode/field.ts'
import type { Fields } from './decode/field.ts'
import { warnOfFlow, warnOfVariables } from './decode/flow.ts'
import { at } from './decode/place.ts'
import { positions } from './decode/position.ts'
import { decodeStep } from './decode/step.ts'
import type { Ruleset, Step } from './model.ts'
import { faults } from './problems.ts'
import type { Fault } from './problems.ts'

/** Steps of one ruleset. */
const MAX_STEPS = 10_000

const KNOWN: ReadonlySet<string> = new Set(['config', 'steps', '_signature'])

/** What `decodeRuleset` gives: a ruleset exactly when there are no problems. */
export interface DecodedRuleset {
  readonly ruleset?: Ruleset
  /** Why the document cannot be used; all reasons at once. */
  readonly problems: readonly Fault[]
  /** What is odd about it though it can be used. */
  readonly warnings: readonly Fault[]
}

export interface DecodeOptions {
  /** The JSON text that the document was read from: faults outside of expressions then say line and column in it. */
  readonly text?: string | undefined
  /** What the host offers to rules: external calls that it cannot make are warned of. Undefined: calls are not looked at. */
  readonly capabilities?: KnownCapabilities | undefined
}

/**
 * Turns the JSON of a ruleset (specification 2.1 and 2.2, design section 4) into a `Ruleset`: every default filled in,
 * every expression parsed and checked, every target known to exist. Unknown fields are warned of and otherwise left
 * alone. `_signature` is not looked at here.
 */
export function decodeRuleset(document: Value, options: DecodeOptions = {}): DecodedRuleset {
  const decoding = startDecoding(stepIds(document), templated(document), options.capabilities)
  const ruleset = decodeDocument(decoding, document)
  const decoded = decoding.faults.shown.length === 0 ? ruleset : undefined
  if (decoded !== undefined) {
    warnOfFlow(decoding, decoded)
    warnOfVariables(decoding)
  }
  const problems = located(shown(decoding.faults), options.text)
  const warnings = located(shown(decoding.warnings), options.text)
  return decoded === undefined ? { problems, warnings } : { ruleset: decoded, problems, warnings }
}

/** Adds line and column in the document's text to what has none yet. */
function located(found: readonly Fault[], text: string | undefined): readonly Fault[] {
  if (text === undefined || found.length === 0) return found
  const position = positions(
    text,
    found.map(({ path }) => path),
  )
  return found.map((fault) => (fault.line === undefined ? { ...fault, ...position(fault.path) } : fault))
}

function stepIds(document: Value): ReadonlySet<string> {
  const steps = isFields(document) ? member(document, 'steps') : undefined
  return new Set(isFields(steps) ? Object.keys(steps) : [])
}

function templated(document: Value): boolean {
  const config = isFields(document) ? member(document, 'config') : undefined
  return isFields(config) && member(config, 'message_templates') === true
}

function decodeDocument(decoding: Decoding, document: Value): Ruleset | undefined {
  if (!isFields(document)) return refuse(decoding, undefined, faults.notAnObject(described(document)))
  warnUnknown(decoding, undefined, document, KNOWN, 'a ruleset')
  const config = decodeConfig(decoding, member(document, 'config'))
  const steps = decodeSteps(decoding, document)
  return config && steps && { config, steps }
}

function decodeSteps(decoding: Decoding, document: Fields): ReadonlyMap<string, Step> | undefined {
  const value = member(document, 'steps')
  const place = at(undefined, 'steps')
  if (value === undefined) return refuse(decoding, place, faults.missing('steps', 'an object from step id to step'))
  if (!isFields(value)) {
    return refuse(decoding, place, faults.wrongType('an object from step id to step', described(value)))
  }
  const { size } = decoding.stepIds
  if (size === 0) return refuse(decoding, place, faults.noSteps())
  if (size > MAX_STEPS) return refuse(decoding, place, faults.tooMany('steps', MAX_STEPS, size))
  const steps = new Map<string, Step>()
  for (const id of decoding.stepIds) {
    const step = decodeStep(decoding, id, value[id])
    if (step !== undefined) steps.set(id, step)
  }
  return steps
}
