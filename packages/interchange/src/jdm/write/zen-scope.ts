import type { Value } from '@engine/expression'
import type { ZenText } from './zen-text.ts'

/** A difference to ZEN for some inputs. */
export type Deviation =
  | 'decimals'
  | 'number-text'
  | 'length'
  | 'unicode-classes'
  | 'key-order'
  | 'truth'
  | 'comparison'
  | 'order'
  | 'membership'
  | 'exists'
  | 'index'
  | 'defaults'

/** The context for writing an expression. */
export interface ZenScope {
  /** A field of the input, by the first name of its path. Throws `NoZen`. */
  readonly field: (name: string) => ZenText
  readonly variable: (name: string) => ZenText
  /** The default of a missing input path; undefined: null. */
  readonly byDefault: (path: string) => Value | undefined
  readonly deviates: (deviation: Deviation) => void
  /** The parameter of the enclosing function, which is `#` in ZEN. */
  readonly parameter?: string
}
