/** Maximum nesting depth of a JSON document. */
export const JSON_DEPTH = 128

/**
 * Maximum number of members of an object in a JSON document: listing the members of a larger one takes V8 longer than
 * any request may block the thread.
 */
export const JSON_MEMBERS = 100_000

/**
 * Limits the number of values in JSON texts together: objects, lists and scalars, including the documents themselves.
 * The smallest values, such as `{}`, take three bytes of text and some 60 bytes of memory, so a byte limit alone bounds
 * memory poorly.
 */
export class ValueAllowance {
  readonly max: number
  /** Negative when the limit was exceeded. */
  left: number

  constructor(max: number) {
    this.max = max
    this.left = max
  }
}
