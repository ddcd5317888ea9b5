import type { DraftStep } from '@engine/authoring'
import { type Place } from '@engine/ruleset'
import { unusedName } from '../names.ts'
import type { Losses } from '../losses.ts'
import type { JdmNode } from './document.ts'
import type { OrderedGraph } from './order.ts'
import { ZenSyntaxError } from './zen/ast.ts'
import type { JoinDifference } from './join.ts'
import type { Difference } from './zen/functions.ts'
import type { Names } from './zen/names.ts'
import { type Surroundings, Untranslatable } from './zen/value.ts'

/** Steps of one ruleset: more are refused, since each may be there once a way through the switches. */
const MAX_STEPS = 5000

const DIFFERENCES: {
  readonly [Name in Difference | 'comparison' | 'failure' | 'row' | JoinDifference | 'input']: string
} = {
  decimals: 'numbers are decimals there and binary doubles here: results may differ behind the 15th digit',
  'text-length': 'lengths of texts are bytes there and UTF-16 units here: they differ for texts that are not ASCII',
  'unicode-classes': 'classes such as `\\d` and `\\w` are of Unicode there and of ASCII here',
  'key-order': 'the order of keys is arbitrary there',
  comparison: 'a comparison of values of unknown types: texts have an order and lists may be equal here, not there',
  failure: 'an element for which the test fails ends the condition there, and counts as not fitting here',
  row: 'a row whose output compares null, or takes it as a condition, does not fit there; here that is false, and the row fits',
  input: 'the result repeats the input there; here it has what was computed',
  join: 'where two values of one name are both objects, they are joined member by member there; here one takes the place of the other',
  members:
    'objects of several nodes are joined member by member there, and null removes a member: here a member may be missing, or show that is removed there',
}

/** The document has more ways through its switches than a ruleset can have steps. */
export class TooManySteps extends Error {}

/** What the conversion of one document shares. */
export class Conversion {
  readonly graph: OrderedGraph
  readonly losses: Losses
  readonly steps: (DraftStep | undefined)[] = []
  readonly #ids = new Set<string>()
  readonly #noted = new Set<string>()
  readonly #parameter: string

  constructor(graph: OrderedGraph, losses: Losses, words: ReadonlySet<string>) {
    this.graph = graph
    this.losses = losses
    let name = 'item'
    while (words.has(name)) name += '_'
    this.#parameter = name
  }

  /** A name of no field, for the parameter of a function within so many others. */
  parameter(depth: number): string {
    return depth === 0 ? this.#parameter : `${this.#parameter}_${depth + 1}`
  }

  freshId(wanted: string): string {
    return unusedName(wanted, this.#ids)
  }

  /** A place for a step, in the order in which they are executed; `set` it when what follows is known. */
  reserve(): (step: DraftStep) => void {
    if (this.steps.length >= MAX_STEPS) throw new TooManySteps()
    const index = this.steps.push(undefined) - 1
    return (step) => {
      this.steps[index] = step
    }
  }

  /** Note a difference once, at its first place. */
  note(difference: keyof typeof DIFFERENCES, place: Place): void {
    if (this.#noted.has(difference)) return
    this.#noted.add(difference)
    this.losses.warn(place, { code: difference, message: DIFFERENCES[difference] })
  }

  /** Note what was lost once at a place: a node may be converted several times. */
  lose(place: Place, key: string, code: string, message: string): void {
    if (this.#noted.has(key)) return
    this.#noted.add(key)
    this.losses.error(place, { code, message })
  }
}

/** What an expression of a node is translated with. */
export interface NodeContext {
  readonly conversion: Conversion
  readonly node: JdmNode
  readonly names: Names
}

/** Translate a text; undefined after a loss at its place. */
export function translated<Result>(
  { conversion, node, names }: NodeContext,
  place: Place,
  key: string,
  translate: (around: Surroundings) => Result,
): Result | undefined {
  const note: Surroundings['note'] = (difference) => {
    // Where no row depends on it, an expression that fails ends the decision there.
    if (difference !== 'row') conversion.note(difference, place)
  }
  try {
    return translate({ names, note, parameters: [] })
  } catch (error) {
    if (!(error instanceof Untranslatable) && !(error instanceof ZenSyntaxError)) throw error
    const where = error instanceof ZenSyntaxError ? ` (character ${error.offset + 1})` : ''
    const code = error instanceof ZenSyntaxError ? 'syntax' : 'no-counterpart'
    conversion.lose(place, `${node.id} ${key}`, code, `${error.message}${where}`)
    return undefined
  }
}
