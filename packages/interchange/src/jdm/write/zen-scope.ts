import type { Value } from '@engine/expression'
import type { ZenText } from './zen-text.ts'

/** Where ZEN decides otherwise for some inputs. */
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

/** What an expression is written with. */
export interface ZenScope {
  /** A field of the input, by the first name of its path. Throws `NoZen`. */
  readonly field: (name: string) => ZenText
  readonly variable: (name: string) => ZenText
  /** What a path of the input is where it is missing; undefined: null. */
  readonly byDefault: (path: string) => Value | undefined
  readonly deviates: (deviation: Deviation) => void
  /** The parameter of the function that the expression is the body of, which is `#` there. */
  readonly parameter?: string
}
