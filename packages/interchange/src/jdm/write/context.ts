import { at, type Place, pointer } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import type { Losses } from '../../losses.ts'
import { type Data, type Keys, shownIn } from './data.ts'
import type { DocumentWriter, Exit } from './document-writer.ts'
import { jdmLosses } from './losses.ts'
import type { ZenScope } from './zen-scope.ts'
import { atom, NoZen, type ZenText } from './zen-text.ts'

/** State shared by writing all steps of one draft. */
export interface Writing {
  readonly document: DocumentWriter
  readonly keys: Keys
  readonly losses: Losses
  /** Default values by path. */
  readonly defaults: { readonly [path: string]: Value }
  /** Deviations already reported, by step. */
  readonly told: Set<string>
}

/** A step with its place. */
export interface StepAt<Step> {
  readonly step: Step
  readonly place: Place
  readonly known: Data
}

/** The written form of a step: its first node, and its exits with their variables. */
export interface WrittenStep {
  readonly first: string
  readonly exits: readonly WrittenExit[]
}

export interface WrittenExit {
  readonly exit: Exit
  /** Place of the next step's id. */
  readonly place: Place
  readonly target: string | undefined
  readonly known: Data
}

/** The context for writing expressions. @param variable value of a variable; default: the object's member */
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

/** Writes a text; one that cannot be expressed is reported and replaced by a call of an unknown function. */
export function written({ losses }: Writing, place: Place, original: string, write: () => ZenText): ZenText {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof NoZen)) throw error
    losses.error(place, jdmLosses.expression(original, error.message))
    return lostText(original)
  }
}

/** Placeholder for an expression that cannot be expressed: ZEN rejects it. */
export const lostText = (original: string) => atom(`lost('${original.slice(0, 1000).replaceAll("'", '"')}')`)

/** An item of a list member. */
export const itemAt = (place: Place, key: string, index: number): Place => at(at(place, key), index)

/** An expression of an expression node. */
export const expressionOf = (id: string, key: string, value: string): Value => ({ id, key, value })
