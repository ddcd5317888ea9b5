import { isDecimal, type NumberValue } from '../decimal/decimal.ts'
import { isList, type ObjectValue, type Value } from '../value.ts'

/** Deeper values throw a `RangeError`, as in `JSON.stringify`. */
const MAX_DEPTH = 4000
/** Characters collected before they are joined. */
const CHUNK = 64 * 1024
const UNSAFE = 2 ** 53

/** An object or list that is being written. */
interface Open {
  readonly list: readonly Value[] | undefined
  readonly object: ObjectValue | undefined
  readonly keys: readonly string[]
  next: number
  isFirst: boolean
}

/**
 * Writes a value as JSON text without spaces, incrementally: `advance` continues where it stopped. The text is that of
 * `JSON.stringify`, except for numbers: see `numberText`.
 */
export class JsonWriter {
  readonly #chunks: string[] = []
  /** Characters in `chunks`. */
  #chunked = 0
  #parts: string[] = []
  /** Characters in `parts`. */
  #length = 0
  readonly #open: Open[] = []
  #root: { readonly value: Value } | undefined

  readonly #form: JsonForm

  constructor(value: Value, form: JsonForm = AS_IT_IS) {
    this.#root = { value }
    this.#form = form
  }

  /** Characters written so far. */
  get length(): number {
    return this.#chunked + this.#length
  }

  /** The text, once `advance` has returned true. */
  get text(): string {
    // Joining two texts would copy them again when the result is read.
    return [...this.#chunks, this.#parts.join('')].join('')
  }

  /**
   * Write about this many characters more. Returns true when the text is complete. Throws `RangeError` for deep
   * nesting.
   */
  advance(characters: number): boolean {
    if (this.#root !== undefined) {
      const { value } = this.#root
      this.#root = undefined
      this.#write(value)
    }
    let left = characters
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (left <= 0) return false
      const before = this.#length
      this.#member(open)
      left -= this.#length - before + 1
      if (this.#length < CHUNK) continue
      this.#chunks.push(this.#parts.join(''))
      this.#parts = []
      this.#chunked += this.#length
      this.#length = 0
    }
    return true
  }

  #member(open: Open): void {
    const { list, object, keys } = open
    if (open.next === (list ?? keys).length) {
      this.#open.pop()
      this.#push(list === undefined ? '}' : ']')
      return
    }
    const index = open.next++
    const key = list === undefined ? (keys[index] ?? '') : index
    const value = list === undefined ? object?.[key] : list[index]
    // Undefined members are omitted, as in `JSON.stringify`.
    if (value === undefined && list === undefined) return
    if (open.isFirst) open.isFirst = false
    else this.#push(',')
    if (list === undefined) this.#push(`${this.#form.scalar(key)}:`)
    this.#write(value)
  }

  #push(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
  }

  #write(value: Value | undefined): void {
    if (typeof value !== 'object' || value === null || isDecimal(value)) return this.#push(this.#form.scalar(value))
    if (this.#open.length >= MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`)
    const [list, object] = isList(value) ? [value, undefined] : [undefined, value]
    if (list?.length === 0) return this.#push('[]')
    this.#push(list === undefined ? '{' : '[')
    this.#open.push({
      list,
      object,
      keys: object === undefined ? NO_KEYS : this.#form.keys(object),
      next: 0,
      isFirst: true,
    })
  }
}

const NO_KEYS: readonly string[] = []

/** A value without parts; undefined: an item that a list lacks. */
export type Scalar = null | boolean | NumberValue | string | undefined

/** The formatting choices that JSON leaves to its writer. */
export interface JsonForm {
  /** The keys of an object in output order. */
  keys(object: ObjectValue): readonly string[]
  /** The text of a value, or of a key. */
  scalar(value: Scalar): string
}

/** The text of a value without parts. */
export function scalarText(value: Scalar): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? numberText(value) : 'null'
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return isDecimal(value) ? String(value) : 'null'
  }
}

const AS_IT_IS: JsonForm = { keys: Object.keys, scalar: scalarText }

/**
 * The text of a finite number that parses to the same number: an exact integer has all its digits, and a double from
 * 2^53 on has an exponent, so it stays a double. Zero has no sign.
 */
export function numberText(value: NumberValue): string {
  if (typeof value !== 'number' || (value < UNSAFE && value > -UNSAFE)) return String(value)
  return value.toExponential()
}
