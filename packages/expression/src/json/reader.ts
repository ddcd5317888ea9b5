import { JSON_DEPTH, JSON_MEMBERS, type ValueAllowance } from './limits.ts'
import { harmlessEnd, skipSpace, UNSAFE_DIGITS } from './safe-text.ts'
import { JsonFailure, jsonFailure } from './problem.ts'
import { defined } from '../defined.ts'
import { quote } from '../quote.ts'
import { isDecimal, numberOfText, type NumberValue } from '../decimal/decimal.ts'
import type { NumberReading } from '../runtime.ts'
import { isList, normalizeInteger, type Value } from '../value.ts'

/** Characters passed to one `JSON.parse` call: a few milliseconds at most. */
const MAX_CHUNK_CHARACTERS = 64 * 1024
/** Maximum number of characters of a string that are read in one step. */
const TEXT_PIECE = 64 * 1024
/** Maximum number of digits of an integer within the range of doubles: 1.8e308 has 309. */
const MAX_DIGITS = 309
/**
 * Number of digits up to which a loop is faster than a pattern; for millions of digits a loop takes four times as long.
 */
const FEW_DIGITS = 64
const DIGITS = /\d*/y
/** V8 copies shorter slices of a text; longer ones keep the whole text in memory. */
const COPIED = 13

const WORD = /^[\p{ID_Start}$_][\p{ID_Continue}$.+-]*/u
/** Characters of an invalid word that are examined. */
const MAX_WORD = 100
const LITERALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** An incomplete object or list. */
interface Open {
  /** Undefined for a list, whose items are on the stack from `base` on. */
  object: { [key: string]: Value } | undefined
  readonly base: number
  /** Members started so far in an object. */
  members: number
  /** Its keys, when duplicates are rejected. */
  readonly keys: Set<string> | undefined
  /** The key of the member being read. */
  key: string
}

/** An incomplete long text. */
interface OpenText {
  readonly start: number
  /** The pieces read so far, with escapes resolved. */
  readonly pieces: string[]
}

/** A container or long text is incomplete, or another member follows: no complete value yet. */
const UNDERWAY = Symbol('underway')

/**
 * Parses JSON text (RFC 8259) incrementally: `advance` continues where it stopped, so other requests can run in
 * between. Correct for every text (keys with escapes, `__proto__`, integers of any size, the position of every error),
 * and linear in its length. Runs of members that are safe for `JSON.parse` are passed to it, which is several times
 * faster with the same result. After a stretch without a safe run of at most `MAX_CHUNK_CHARACTERS` characters, the same number of
 * characters is read here before the next attempt, which keeps the attempts cheap.
 */
export class JsonReader {
  readonly #text: string
  readonly #refusesDuplicates: boolean
  readonly #allowance: ValueAllowance | undefined
  readonly #numbers: NumberReading
  readonly #open: Open[] = []
  /** Items of the incomplete lists, one list after the other: a list is allocated at its final size when it ends. */
  readonly #items: Value[] = []
  #top = 0
  #at = 0
  /** The earliest offset of the next attempt to find a run. */
  #runsFrom: number
  /** A run was read, and the text after it is next. */
  #isBehind = false
  /** Undefined when no long text is being read. */
  #openText: OpenText | undefined
  /** The long text is a key. */
  #isOpenKey = false
  /** The closing quote of the last text was read. */
  #isClosed = true
  #value: Value | undefined

  constructor(text: string, refusesDuplicates: boolean, allowance?: ValueAllowance, numbers: NumberReading = 'double') {
    this.#text = text
    this.#refusesDuplicates = refusesDuplicates
    this.#allowance = allowance
    this.#numbers = numbers
    this.#runsFrom = refusesDuplicates ? Infinity : 0
  }

  /** The value, once `advance` has returned true. */
  get value(): Value {
    if (this.#value === undefined) throw new TypeError('the text has not been read to its end')
    return this.#value
  }

  /**
   * Read about this many characters more, at least one value or one piece of a long text. Returns true when the
   * document is complete. Throws `JsonFailure`.
   */
  advance(characters: number): boolean {
    const until = this.#at + characters
    if (this.#at === 0) this.#begin()
    do {
      let value = this.#openText === undefined ? this.#next() : this.#readOn(this.#openText)
      while (value !== UNDERWAY) {
        const open = this.#open.at(-1)
        if (open === undefined) return this.#end(value)
        this.#add(open, value)
        value = this.#follow(open)
      }
    } while (this.#at < until)
    return false
  }

  #next(): Value | typeof UNDERWAY {
    return this.#isBehind ? this.#resume() : this.#read()
  }

  #begin(): void {
    this.#space()
    if (this.#at >= this.#text.length) this.#fail('the text is empty', 0)
  }

  #end(value: Value): true {
    this.#space()
    if (this.#at < this.#text.length) this.#fail(`unexpected ${this.#here()} after the end of the document`)
    this.#value = value
    return true
  }

  /** After a run of members. */
  #resume(): Value | typeof UNDERWAY {
    this.#isBehind = false
    return this.#follow(defined(this.#open.at(-1)))
  }

  #read(): Value | typeof UNDERWAY {
    this.#space()
    if (this.#allowance !== undefined) this.#charge(this.#allowance, 1)
    const code = this.#text.charCodeAt(this.#at)
    if (code === 34) return this.#string()
    if (code === 123 || code === 91) return this.#container(code === 91)
    if (code === 45 || (code >= 48 && code <= 57)) return this.#number()
    return this.#word()
  }

  #container(asList: boolean): Value | typeof UNDERWAY {
    if (this.#open.length >= JSON_DEPTH)
      this.#raise('nested-too-deeply', `nested more than ${JSON_DEPTH} levels deep`, this.#at)
    this.#at++
    this.#space()
    if (this.#take(asList ? ']' : '}')) return asList ? [] : {}
    const keys = this.#refusesDuplicates && !asList ? new Set<string>() : undefined
    const open: Open = { object: asList ? undefined : {}, base: this.#top, members: 0, keys, key: '' }
    this.#open.push(open)
    return this.#member(open)
  }

  #add(open: Open, value: Value): void {
    if (open.object === undefined) this.#items[this.#top++] = value
    else put(open.object, open.key, value)
  }

  /** After a member: continue with the next one, or complete the container. */
  #follow(open: Open): Value | typeof UNDERWAY {
    this.#space()
    const closing = open.object === undefined ? ']' : '}'
    if (this.#take(closing)) return this.#close(open)
    const comma = this.#at
    if (!this.#take(',')) this.#fail(`expected \`,\` or \`${closing}\`, found ${this.#here()}`)
    this.#space()
    if (this.#text[this.#at] === closing) this.#fail(`a comma before \`${closing}\` is not allowed`, comma)
    return this.#member(open)
  }

  /** At the start of a member. */
  #member(open: Open): Value | typeof UNDERWAY {
    if (this.#at >= this.#runsFrom && this.#run(open)) {
      this.#isBehind = true
      return UNDERWAY
    }
    if (open.object === undefined) return UNDERWAY
    const start = this.#at
    this.#count(open, 1)
    if (this.#text[start] !== '"') this.#fail(`expected a key in double quotes, found ${this.#here()}`)
    const key = this.#string()
    if (key === UNDERWAY) this.#isOpenKey = true
    else this.#name(open, key, start)
    return UNDERWAY
  }

  /** After a key. */
  #name(open: Open, key: string, start: number): void {
    if (open.keys?.has(key) === true)
      this.#raise('duplicate-key', `the key ${quote(key)} occurs twice in one object`, start)
    open.keys?.add(key)
    open.key = key
    this.#space()
    if (!this.#take(':')) this.#fail(`expected \`:\` after the key ${quote(key)}, found ${this.#here()}`)
  }

  #close({ object, base }: Open): Value {
    this.#open.pop()
    if (object !== undefined) return object
    const list = this.#items.slice(base, this.#top)
    this.#top = base
    return list
  }

  /**
   * Pass the following members to `JSON.parse`, as far as known to be safe. Returns false when nothing was read.
   */
  #run(open: Open): boolean {
    const start = this.#at
    const end = harmlessEnd(this.#text, start, MAX_CHUNK_CHARACTERS, JSON_DEPTH - this.#open.length, this.#numbers)
    if (end <= start) {
      this.#runsFrom = Math.max(-end, start + 1)
      return false
    }
    const members = this.#text.slice(start, end)
    try {
      const part = JSON.parse(open.object === undefined ? `[${members}]` : `{${members}}`) as Value
      // The part itself is the container, which was counted when it started.
      if (this.#allowance !== undefined) this.#charge(this.#allowance, valuesIn(part) - 1)
      if (open.object === undefined) this.#push(part as Value[])
      else this.#merge(open, part as { [key: string]: Value })
    } catch (error) {
      if (error instanceof JsonFailure) throw error
      // Read here instead, which finds the error.
      this.#runsFrom = end
      return false
    }
    this.#at = end
    return true
  }

  #push(items: readonly Value[]): void {
    for (let index = 0; index < items.length; index++) this.#items[this.#top++] = defined(items[index])
  }

  #merge(open: Open, part: { [key: string]: Value }): void {
    const keys = Object.keys(part)
    this.#count(open, keys.length)
    // The first part becomes the object.
    if (open.members === keys.length) open.object = part
    else if (open.object !== undefined) for (const key of keys) put(open.object, key, defined(part[key]))
  }

  #charge(allowance: ValueAllowance, values: number): void {
    allowance.left -= values
    if (allowance.left < 0) this.#raise('too-many-values', `there are more than ${allowance.max} values`, this.#at)
  }

  #count(open: Open, members: number): void {
    open.members += members
    if (open.members > JSON_MEMBERS)
      this.#raise('too-many-members', `this object has more than ${JSON_MEMBERS} members`, this.#at)
  }

  /** A text, or the first piece of a long one. */
  #string(): string | typeof UNDERWAY {
    const text = this.#text
    const start = this.#at
    const isPlain = this.#scan(start, start + 1)
    if (!this.#isClosed) {
      this.#openText = { start, pieces: [this.#piece(start + 1, this.#at, isPlain)] }
      return UNDERWAY
    }
    // V8 reads a text that is not a key correctly.
    return isPlain && this.#at - start <= COPIED
      ? text.slice(start + 1, this.#at - 1)
      : (JSON.parse(text.slice(start, this.#at)) as string)
  }

  /** The next piece of a long text, which is a value, or the key of one. */
  #readOn({ start, pieces }: OpenText): Value | typeof UNDERWAY {
    const from = this.#at
    const isPlain = this.#scan(start, from)
    pieces.push(this.#piece(from, this.#isClosed ? this.#at - 1 : this.#at, isPlain))
    if (!this.#isClosed) return UNDERWAY
    this.#openText = undefined
    const whole = pieces.join('')
    if (!this.#isOpenKey) return whole
    this.#isOpenKey = false
    this.#name(defined(this.#open.at(-1)), whole, start)
    return UNDERWAY
  }

  #piece(from: number, end: number, isPlain: boolean): string {
    const piece = this.#text.slice(from, end)
    return isPlain ? piece : (JSON.parse(`"${piece}"`) as string)
  }

  /**
   * Scan to the closing quote of the text that starts at `start`, or part of the way. Returns false when there were
   * escapes.
   */
  #scan(start: number, from: number): boolean {
    const text = this.#text
    const end = from + TEXT_PIECE
    let isPlain = true
    for (let at = from; ; at++) {
      if (at >= end) {
        this.#at = at
        this.#isClosed = false
        return isPlain
      }
      const code = text.charCodeAt(at)
      if (code === 34) {
        this.#at = at + 1
        this.#isClosed = true
        return isPlain
      }
      if (code === 92) {
        isPlain = false
        at += this.#escape(at)
      } else if (code < 32) {
        this.#at = at
        this.#fail(`the character ${this.#here()} must be escaped inside a text, such as \\n`)
      } else if (Number.isNaN(code)) this.#fail('this text has no closing double quote', start)
    }
  }

  /** Length of the escape at an offset, without the backslash. */
  #escape(at: number): number {
    const text = this.#text
    const letter = text.charCodeAt(at + 1)
    if (letter === 117 && isHex(text, at + 2) && isHex(text, at + 3) && isHex(text, at + 4) && isHex(text, at + 5))
      return 5
    if (ESCAPED[letter] === 1) return 1
    this.#fail(`${quote(text.slice(at, at + 2))} is not an escape of JSON`, at)
  }

  #number(): NumberValue {
    const start = this.#at
    const whole = this.#text.charCodeAt(start) === 45 ? start + 1 : start
    const wholeEnd = this.#text.charCodeAt(whole) === 48 ? whole + 1 : this.#digits(whole)
    let end = wholeEnd
    let isWritten = end > whole
    if (this.#text.charCodeAt(end) === 46) {
      const fraction = end + 1
      end = this.#digits(fraction)
      isWritten &&= end > fraction
    }
    if ((this.#text.charCodeAt(end) | 32) === 101) {
      const sign = this.#text.charCodeAt(end + 1)
      const exponent = sign === 43 || sign === 45 ? end + 2 : end + 1
      end = this.#digits(exponent)
      isWritten &&= end > exponent
    }
    if (!isWritten || /[\w.]/.test(this.#text[end] ?? ''))
      this.#fail(
        `${quote(/[-+\w.]+/.exec(this.#text.slice(start, start + 40))?.[0] ?? '')} is not a number of JSON`,
        start,
      )
    this.#at = end
    const written = this.#text.slice(start, end)
    if (this.#numbers !== 'double') {
      const decimal = numberOfText(written)
      if (decimal !== undefined && (this.#numbers === 'decimal' || isDecimal(decimal))) return decimal
    }
    const isLong = end === wholeEnd && end - whole >= UNSAFE_DIGITS
    if (isLong && end - whole <= MAX_DIGITS) {
      const integer = normalizeInteger(BigInt(written))
      if (Number.isFinite(Number(integer))) return integer
    } else {
      const number = Number(written)
      if (Number.isFinite(number)) return number
    }
    this.#raise('number-out-of-range', `${quote(written)} is beyond the largest number, about 1.8e308`, start)
  }

  /** The end of the digits starting at an offset. */
  #digits(from: number): number {
    let at = from
    for (let code = this.#text.charCodeAt(at); code >= 48 && code <= 57; code = this.#text.charCodeAt(at)) {
      at++
      if (at - from === FEW_DIGITS) return digitsEnd(this.#text, at)
    }
    return at
  }

  #word(): Value {
    const word = WORD.exec(this.#text.slice(this.#at, this.#at + MAX_WORD))?.[0] ?? ''
    const literal = LITERALS.get(word)
    if (literal === undefined)
      this.#fail(
        `expected a value, found ${word === '' ? this.#here() : quote(word)}${hint(word, this.#text[this.#at])}`,
      )
    this.#at += word.length
    return literal
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #space(): void {
    this.#at = skipSpace(this.#text, this.#at)
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? 'the end of the text' : quote(String.fromCodePoint(code))
  }

  #fail(message: string, offset = this.#at): never {
    this.#raise('malformed-json', message, offset)
  }

  #raise(code: string, message: string, offset: number): never {
    throw jsonFailure(this.#text, code, message, offset)
  }
}

/** The characters allowed after a backslash, except `u`. */
const ESCAPED = new Uint8Array(128)
for (const letter of '"\\/bfnrt') ESCAPED[letter.charCodeAt(0)] = 1

function digitsEnd(text: string, from: number): number {
  DIGITS.lastIndex = from
  DIGITS.test(text)
  return DIGITS.lastIndex
}

/** The number of values in a value, including itself. Its nesting is bounded by the limit of documents. */
function valuesIn(value: Value): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  if (isList(value)) {
    for (const item of value) count += valuesIn(item)
    return count
  }
  const members = value as { readonly [key: string]: Value }
  for (const key in members) count += valuesIn(defined(members[key]))
  return count
}

function isHex(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102)
}

/** Set an own member, regardless of its name. */
function put(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

function hint(word: string, character: string | undefined): string {
  if (character === "'") return ': texts need double quotes'
  if (character === '/' || character === '#') return ': JSON has no comments'
  const lower = word.toLowerCase()
  if (LITERALS.has(lower)) return `: it is written \`${lower}\``
  return word === '' ? '' : ': texts need double quotes'
}
