/** A JSON document is nested at most this deep. */
export const JSON_DEPTH = 128
