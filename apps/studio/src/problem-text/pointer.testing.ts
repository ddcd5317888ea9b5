import { escapedKey } from '@engine/expression'
import fc from 'fast-check'

/** Pointers to all values of a document, and some to values that it does not have. */
export function pointerTo(document: unknown): fc.Arbitrary<string> {
  const found: string[] = []
  const collect = (value: unknown, path: string) => {
    found.push(path)
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) collect(inner, `${path}/${escapedKey(key)}`)
  }
  collect(document, '')
  const known = fc.constantFrom(...found)
  return fc.oneof(
    known,
    fc.tuple(known, fc.string()).map(([path, key]) => `${path}/${escapedKey(key)}`),
  )
}
