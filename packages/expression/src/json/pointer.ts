/** A key as it stands in a JSON pointer behind its `/` (RFC 6901). */
export const escapedKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** The keys of a JSON pointer, from the root of the document (RFC 6901). */
export const keysOfPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
