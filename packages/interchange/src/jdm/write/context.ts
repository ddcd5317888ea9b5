import { at, type Place, pointer } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import type { Losses } from '../../losses.ts'
import { type Data, type Keys, shownIn } from './data.ts'
import type { DocumentWriter, Exit } from './document-writer.ts'
import { jdmLosses } from './losses.ts'
import type { ZenScope } from './zen-scope.ts'
import { atom, NoZen, type ZenText } from './zen-text.ts'

/** What all steps of one draft are written with. */
export interface Writing {
  readonly document: DocumentWriter
  readonly keys: Keys
  readonly losses: Losses
  /** Values of paths that are missing. */
  readonly defaults: { readonly [path: string]: Value }
  /** Deviations that were told, by step. */
  readonly told: Set<string>
}

/** A step where it stands. */
export interface StepAt<Step> {
  readonly step: Step
  readonly place: Place
  readonly known: Data
}

/** What became of a step: its first node, and where it leads with which variables. */
export interface WrittenStep {
  readonly first: string
  readonly exits: readonly WrittenExit[]
}

export interface WrittenExit {
  readonly exit: Exit
  /** Place of the id of the next step. */
  readonly place: Place
  readonly target: string | undefined
  readonly known: Data
}

/** What expressions of a step are written with. @param variable what a variable is; the object's member without it */
export function scopeOf(
  { keys, losses, defaults, told }: Writing,
  { place, known }: StepAt<unknown>,
  variable: (name: string) => ZenText = (name) => shownIn(known, keys, name),
): ZenScope {
  return {
    field: (name) => keys.field(name),
    variable,
    byDefault: (path) => (Object.hasOwn(defaults, path) ? defaults[path] : undefined),
    deviates(deviation) {
      const key = `${pointer(place)} ${deviation}`
      if (!told.has(key)) losses.warn(place, jdmLosses.deviation(deviation))
      told.add(key)
    },
  }
}

/** Writes a text; one that has no form is lost at its place, and a call of no function stands there. */
export function written({ losses }: Writing, place: Place, original: string, write: () => ZenText): ZenText {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof NoZen)) throw error
    losses.error(place, jdmLosses.expression(original, error.message))
    return lostText(original)
  }
}

/** Stands where an expression has no form: ZEN refuses it. */
export const lostText = (original: string) => atom(`lost('${original.slice(0, 1000).replaceAll("'", '"')}')`)

/** An item of a list that is a member. */
export const itemAt = (place: Place, key: string, index: number): Place => at(at(place, key), index)

/** An expression of an expression node. */
export const expressionOf = (id: string, key: string, value: string): Value => ({ id, key, value })
