/** A JSON document is nested at most this deep. */
export const JSON_DEPTH = 128

/**
 * An object of a JSON document has at most this many members: listing the members of a larger one takes V8 longer than
 * any request may keep the thread.
 */
export const JSON_MEMBERS = 100_000

/**
 * How many values JSON texts may have together: objects, lists and scalars, the documents themselves included. The smallest ones,
 * such as `{}`, take three bytes of text and some 60 bytes of memory, so a limit of bytes alone bounds memory badly.
 */
export class ValueAllowance {
  readonly max: number
  /** Negative: there were too many. */
  left: number

  constructor(max: number) {
    this.max = max
    this.left = max
  }
}
