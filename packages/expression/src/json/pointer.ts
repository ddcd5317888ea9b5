/** A key escaped for a JSON pointer (RFC 6901). */
export const escapedKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** The keys of a JSON pointer, from the document's root (RFC 6901). */
export const keysOfPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
