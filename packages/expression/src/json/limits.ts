/** A JSON document is nested at most this deep. */
export const JSON_DEPTH = 128

/**
 * An object of a JSON document has at most this many members: listing the members of a larger one takes V8 longer than
 * any request may keep the thread.
 */
export const JSON_MEMBERS = 100_000
