import type { Value } from './value.ts'

/** Deeper values are refused with a `RangeError`, as `JSON.stringify` refuses them. */
const DEEPEST = 4000
/** Characters that are collected before they are put together. */
const CHUNK = 64 * 1024
const UNSAFE = 2 ** 53

/** An object or list that is being written. */
interface Open {
  readonly list: readonly Value[] | undefined
  readonly object: { readonly [key: string]: Value } | undefined
  readonly keys: readonly string[]
  next: number
}

/**
 * Writes a value as JSON text without spaces, piece by piece: `advance` goes on where it stopped. The text is that of
 * `JSON.stringify`, but for numbers: see `numberText`.
 */
export class JsonWriter {
  readonly #chunks: string[] = []
  #pending = ''
  readonly #open: Open[] = []
  #root: { readonly value: Value } | undefined

  constructor(value: Value) {
    this.#root = { value }
  }

  /** The text, once `advance` has said that it is complete. */
  get text(): string {
    return this.#chunks.length === 0 ? this.#pending : this.#chunks.join('') + this.#pending
  }

  /** Write about so many characters more. True when the text is complete. Throws `RangeError` for deep nesting. */
  advance(characters: number): boolean {
    if (this.#root !== undefined) {
      const { value } = this.#root
      this.#root = undefined
      this.#write(value)
    }
    let left = characters
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (left <= 0) return false
      const before = this.#pending.length
      this.#member(open)
      left -= this.#pending.length - before + 1
      if (this.#pending.length < CHUNK) continue
      this.#chunks.push(this.#pending)
      this.#pending = ''
    }
    return true
  }

  #member(open: Open): void {
    const { list, object, keys } = open
    if (open.next === (list ?? keys).length) {
      this.#open.pop()
      this.#pending += list === undefined ? '}' : ']'
      return
    }
    const index = open.next++
    if (list !== undefined) {
      if (index > 0) this.#pending += ','
      this.#write(list[index])
      return
    }
    const key = keys[index] as string
    const value = object?.[key]
    this.#pending += index > 0 ? `,${JSON.stringify(key)}:` : `${JSON.stringify(key)}:`
    this.#write(value)
  }

  #write(value: Value | undefined): void {
    if (typeof value !== 'object' || value === null) {
      this.#pending += scalarText(value)
      return
    }
    if (this.#open.length >= DEEPEST) throw new RangeError(`nested more than ${DEEPEST} levels deep`)
    if (Array.isArray(value)) {
      this.#pending += '['
      this.#open.push({ list: value as readonly Value[], object: undefined, keys: NO_KEYS, next: 0 })
      return
    }
    const object = value as { readonly [key: string]: Value }
    this.#pending += '{'
    // What a record leaves undefined is left out, as `JSON.stringify` does.
    const keys = Object.keys(object).filter((key) => object[key] !== undefined)
    this.#open.push({ list: undefined, object, keys, next: 0 })
  }
}

const NO_KEYS: readonly string[] = []

function scalarText(value: null | boolean | number | bigint | string | undefined): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? numberText(value) : 'null'
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return 'null'
  }
}

/**
 * The text of a number, which is read as the same number again: an exact integer has all its digits, and a double from
 * 2^53 on has an exponent, so that it stays a double. The zero has no sign.
 */
export function numberText(value: number | bigint): string {
  if (typeof value === 'bigint' || (value < UNSAFE && value > -UNSAFE)) return String(value)
  return value.toExponential()
}
