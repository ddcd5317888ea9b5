import { escapedKey } from '@engine/expression/core'

/**
 * A place in a document as a chain from a member to the root (undefined), so that pointers are only built when shown.
 */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

/** The place of a member of the value at `parent`; undefined is the document itself. */
export function at(parent: Place | undefined, key: string | number): Place {
  return { parent, key }
}

/** JSON pointer (RFC 6901) of a place; the empty text is the whole document. */
export function pointer(place: Place | undefined): string {
  let text = ''
  for (let hop = place; hop !== undefined; hop = hop.parent)
    text = `/${typeof hop.key === 'number' ? hop.key : escapedKey(hop.key)}${text}`
  return text
}
