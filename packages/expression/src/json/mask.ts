import { setMember } from '../members.ts'
import { isList, isObject, type ObjectValue, type Value, VALUE_DEPTH } from '../value.ts'

/** Paths whose values are masked, as a tree of their parts. */
export interface Mask {
  readonly isWhole: boolean
  readonly members: ReadonlyMap<string, Mask>
}

/** Replaces a masked value. */
const MASKED = '***'

interface Building {
  isWhole: boolean
  readonly members: Map<string, Building>
}

const leaf = (): Building => ({ isWhole: false, members: new Map() })

/**
 * The mask of dotted paths, in which an index such as `[0]` stands for all items of a list. Also matches a member whose
 * own name contains the dots.
 */
export function maskOf(paths: Iterable<string>): Mask {
  const root = leaf()
  for (const path of paths) {
    add(root, maskNames(path))
    add(root, [path])
  }
  return root
}

/** The member names of a mask path, without indexes. Linear in its length. */
export function maskNames(path: string): readonly string[] {
  // After the last `]`, each `[` would cause a scan to the end.
  const end = path.lastIndexOf(']') + 1
  return (path.slice(0, end).replaceAll(/\[[^\]]*\]/g, '') + path.slice(end)).split('.')
}

function add(root: Building, parts: readonly string[]): void {
  let node = root
  for (const part of parts) {
    const next = node.members.get(part) ?? leaf()
    node.members.set(part, next)
    node = next
  }
  node.isWhole = true
}

/** The mask of a value that has values with this mask at several places, each a list of member names. */
export function maskAt(places: readonly (readonly string[])[], mask: Mask): Mask {
  if (places.some((place) => place.length === 0)) return mask
  const byName = Map.groupBy(places, ([name = '']) => name)
  const members = [...byName].map(
    ([name, those]) =>
      [
        name,
        maskAt(
          those.map(([, ...rest]) => rest),
          mask,
        ),
      ] as const,
  )
  return { isWhole: false, members: new Map(members) }
}

/** A copy without masked values, and the approximate length of its JSON text. */
export interface Masked {
  readonly value: Value
  readonly size: number
}

/**
 * Copy a value, replacing masked values by `***`. A path applies to each item of a list. Returns undefined as soon as
 * the copy exceeds `most`, or when the value is nested too deeply. Linear in the size of the value or in `most`,
 * whichever is smaller.
 */
export function masked(value: Value, mask: Mask, most: number): Masked | undefined {
  const copying = new Copying(most)
  const copy = copying.visit(value, mask, 0)
  return copy === undefined ? undefined : { value: copy, size: copying.size }
}

/** Characters of a number, boolean or null, with the comma. */
const SCALAR = 6

class Copying {
  size = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Undefined: too large, or too deep. */
  visit(value: Value, mask: Mask | undefined, depth: number): Value | undefined {
    if (depth > VALUE_DEPTH) return undefined
    if (mask?.isWhole === true) return this.#counted(MASKED, MASKED.length)
    if (typeof value === 'string') return this.#counted(value, value.length + 3)
    if (isObject(value)) return this.#object(value, mask, depth)
    return isList(value) ? this.#list(value, mask, depth) : this.#counted(value, SCALAR)
  }

  #counted(value: Value, size: number): Value | undefined {
    this.size += size
    return this.size > this.#most ? undefined : value
  }

  #list(items: readonly Value[], mask: Mask | undefined, depth: number): Value | undefined {
    if (this.#counted(null, 2) === undefined) return undefined
    const copy: Value[] = []
    for (const item of items) {
      const one = this.visit(item, mask, depth + 1)
      if (one === undefined) return undefined
      copy.push(one)
    }
    return copy
  }

  #object(value: ObjectValue, mask: Mask | undefined, depth: number): Value | undefined {
    if (this.#counted(null, 2) === undefined) return undefined
    const copy: { [key: string]: Value } = {}
    for (const key in value) {
      const member = Object.hasOwn(value, key) ? value[key] : undefined
      if (member === undefined) continue
      this.size += key.length + 4
      const one = this.visit(member, mask?.members.get(key), depth + 1)
      if (one === undefined) return undefined
      setMember(copy, key, one)
    }
    return copy
  }
}
