import type { DraftStep } from '@engine/authoring'
import { type Place, pointer } from '@engine/ruleset'
import { unusedName } from '../names.ts'
import type { Losses } from '../losses.ts'
import type { JdmNode } from './document.ts'
import type { OrderedGraph } from './order.ts'
import { ZenSyntaxError } from './zen/ast.ts'
import type { JoinDifference } from './join.ts'
import type { Difference } from './zen/functions.ts'
import type { Names } from './zen/names.ts'
import { type Surroundings, Untranslatable } from './zen/value.ts'

/** Steps of one ruleset; the limit matters because a node is repeated for each path through the switches. */
const MAX_STEPS = 5000

const DIFFERENCES: {
  readonly [Name in Difference | 'comparison' | 'failure' | 'row' | JoinDifference]: string
} = {
  decimals: 'ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
  'text-length': 'ZEN measures texts in bytes, this engine in UTF-16 units: lengths differ for non-ASCII texts',
  'unicode-classes': 'classes such as `\\d` and `\\w` match Unicode in ZEN and ASCII here',
  dates:
    'a date is a text here, of whole seconds where it is stored: a text that is not a date fails, where ZEN has `Invalid date`; ZEN has it for 29 February in another year and for the bounds of some quarters too, and counts months from the last days of a month otherwise',
  powers: 'ZEN approximates powers with fractional exponents',
  'key-order': 'the order of keys is arbitrary in ZEN',
  comparison: 'a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
  failure: 'an element for which the test fails makes the whole condition fail in ZEN, and counts as no match here',
  row: 'a row whose output compares null, or uses it as a condition, does not match in ZEN; here the comparison is false and the row matches',
  join: 'two objects of the same name are merged in ZEN; here one replaces the other',
  members:
    'objects of several nodes are merged in ZEN, and null removes a member: here a member may be missing, or still be visible',
}

/** Outcomes for a result that includes the whole input in ZEN. */
const INPUT_RESULTS = {
  repeated: 'the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
  omitted: 'the result includes the whole input in ZEN; here it has the computed members alone',
} as const

/** The paths through the document's switches need more steps than a ruleset may have. */
export class TooManySteps extends Error {}

/** State shared by the conversion of one document. */
export class Conversion {
  readonly graph: OrderedGraph
  readonly losses: Losses
  readonly steps: (DraftStep | undefined)[] = []
  /** Ids of the terminals whose result includes the input. */
  readonly repeating = new Set<string>()
  readonly #ids = new Set<string>()
  readonly #noted = new Set<string>()
  readonly #parameter: string
  readonly #repeatsInput: boolean
  /** A parameter name that no field has, for the element of a looped node. */
  readonly loopParameter: string

  constructor(graph: OrderedGraph, losses: Losses, words: ReadonlySet<string>, repeatsInput: boolean) {
    this.#repeatsInput = repeatsInput
    this.graph = graph
    this.losses = losses
    let name = 'item'
    while (words.has(name)) name += '_'
    this.#parameter = name
    let element = 'element'
    while (words.has(element)) element += '_'
    this.loopParameter = element
  }

  /** A parameter name that is not a field, for a function at this nesting depth. */
  parameter(depth: number): string {
    return depth === 0 ? this.#parameter : `${this.#parameter}_${depth + 1}`
  }

  freshId(wanted: string): string {
    return unusedName(wanted, this.#ids)
  }

  /** Reserves a step in execution order; call the result when the following step is known. */
  reserve(): (step: DraftStep) => void {
    if (this.steps.length >= MAX_STEPS) throw new TooManySteps()
    const index = this.steps.push(undefined) - 1
    return (step) => {
      this.steps[index] = step
    }
  }

  /** Reports a difference once, at its first position. */
  note(difference: keyof typeof DIFFERENCES, place: Place): void {
    if (this.#noted.has(difference)) return
    this.#noted.add(difference)
    this.losses.warn(place, { code: difference, message: DIFFERENCES[difference] })
  }

  /** Reports once that a result includes the input. */
  noteInput(place: Place): void {
    if (this.#noted.has('input')) return
    this.#noted.add('input')
    const message = this.#repeatsInput ? INPUT_RESULTS.repeated : INPUT_RESULTS.omitted
    this.losses.inform(place, { code: 'input', message })
  }

  /** Reports a loss once per position: a node may be converted several times. */
  lose(place: Place, code: string, message: string): void {
    const noted = pointer(place)
    if (this.#noted.has(noted)) return
    this.#noted.add(noted)
    this.losses.error(place, { code, message })
  }
}

/** The context of translating a node's expression. */
export interface NodeContext {
  readonly conversion: Conversion
  readonly node: JdmNode
  readonly names: Names
}

/** Translates a text; undefined after reporting a loss at its position. */
export function translated<Result>(
  { conversion, names }: NodeContext,
  place: Place,
  translate: (around: Surroundings) => Result,
): Result | undefined {
  const note: Surroundings['note'] = (difference) => {
    // In ZEN a failing expression ends the decision, unless only a row depends on it.
    if (difference !== 'row') conversion.note(difference, place)
  }
  try {
    return translate({ names, note, parameters: [] })
  } catch (error) {
    if (!(error instanceof Untranslatable) && !(error instanceof ZenSyntaxError)) throw error
    const where = error instanceof ZenSyntaxError ? ` (character ${error.offset + 1})` : ''
    const code = error instanceof ZenSyntaxError ? 'syntax' : 'no-counterpart'
    conversion.lose(place, code, `${error.message}${where}`)
    return undefined
  }
}
