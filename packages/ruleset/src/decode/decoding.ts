import { nearest } from '@engine/expression'
import type { Capabilities } from '../capability-registry.ts'
import { faults } from '../problems.ts'
import type { Fault, FaultText } from '../problems.ts'
import { at, pointer } from './place.ts'
import type { Place } from './place.ts'

/** Faults, and likewise warnings, that one decoding shows; further ones are only counted. */
const MAX_SHOWN = 1000

/** Names that one decoding compares in search of suggestions, so that a thousand typos in a large document stay cheap. */
const MAX_COMPARISONS = 100_000

/** What one run of the decoder carries from member to member. */
export interface Decoding {
  readonly faults: Found
  readonly warnings: Found
  /** The ids of the document's steps, whether or not they could be decoded. */
  readonly stepIds: ReadonlySet<string>
  readonly messageTemplates: boolean
  /** `DecodeOptions.capabilities`. */
  readonly capabilities: KnownCapabilities | undefined
  /** Variable to the first place that reads it. */
  readonly variablesRead: Map<string, Place>
  readonly variablesSet: Set<string>
  comparisonsLeft: number
}

interface Found {
  readonly shown: (FaultText & { readonly place: Place | undefined })[]
  hidden: number
}

/** What a host offers to rules. */
export type KnownCapabilities = Pick<Capabilities, 'get' | 'names'>

/** A decoding of a document with these steps. */
export function startDecoding(
  stepIds: ReadonlySet<string>,
  messageTemplates: boolean,
  capabilities: KnownCapabilities | undefined,
): Decoding {
  return {
    faults: { shown: [], hidden: 0 },
    warnings: { shown: [], hidden: 0 },
    stepIds,
    messageTemplates,
    capabilities,
    variablesRead: new Map(),
    variablesSet: new Set(),
    comparisonsLeft: MAX_COMPARISONS,
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
    warn(decoding, at(place, key), faults.unknownField(key, of, suggest(decoding, key, known)))
  }
}
