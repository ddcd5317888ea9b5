import { locate } from './source.ts'
import { shown } from './problems.ts'

/** Why a text is not the JSON that was asked for, and where. */
export interface JsonProblem {
  /** `malformed-json`, `duplicate-key`, `nested-too-deeply` or `number-out-of-range`. */
  readonly code: string
  /** Lower-case sentence without a final period; place and remedy included. */
  readonly message: string
  /** UTF-16 units from the start. */
  readonly offset: number
  /** One-based. */
  readonly line: number
  /** One-based, in UTF-16 units. */
  readonly column: number
}

export class JsonFailure extends Error {
  readonly problem: JsonProblem
  constructor(problem: JsonProblem) {
    super(problem.message)
    this.problem = problem
  }
}

export interface ScanOptions {
  /** Deepest nesting allowed. */
  readonly depth: number
  readonly refuseDuplicates: boolean
}

const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$.+-]*/uy
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/**
 * Goes through JSON text for what `JSON.parse` does not tell: the exact place and nature of a mistake, and keys that occur
 * twice. Used when something is wrong, and for documents that people write.
 */
export class JsonScanner {
  readonly #text: string
  readonly #options: ScanOptions
  #at = 0
  #depth = 0

  constructor(text: string, options: ScanOptions = { depth: Infinity, refuseDuplicates: false }) {
    this.#text = text
    this.#options = options
  }

  /** Throws `JsonFailure`. */
  document(): void {
    this.#space()
    if (this.#at >= this.#text.length) this.#fail('the text is empty', 0)
    this.#value()
    this.#space()
    if (this.#at < this.#text.length) this.#fail(`unexpected ${this.#here()} behind the end of the document`)
  }

  problem(code: string, message: string, offset: number): JsonProblem {
    const { line, column } = locate(this.#text, offset)
    return { code, message: `${message} (line ${line}, column ${column})`, offset, line, column }
  }

  #value(): void {
    this.#space()
    const character = this.#text[this.#at]
    if (character === '{') return this.#nested(() => this.#members())
    if (character === '[') return this.#nested(() => this.#elements())
    if (character === '"') {
      this.#string()
      return
    }
    if (character === '-' || (character !== undefined && character >= '0' && character <= '9')) return this.#number()
    this.#word()
  }

  #nested(scan: () => void): void {
    if (++this.#depth > this.#options.depth)
      this.#raise('nested-too-deeply', `nested more than ${this.#options.depth} levels deep`, this.#at)
    this.#at++
    scan()
    this.#depth--
  }

  #members(): void {
    const keys = new Set<string>()
    this.#space()
    if (this.#take('}')) return
    do {
      this.#space()
      const start = this.#at
      if (this.#text[start] !== '"') this.#fail(`expected a key in double quotes, found ${this.#here()}`)
      const key = this.#string()
      if (this.#options.refuseDuplicates && keys.has(key))
        this.#raise('duplicate-key', `the key ${shown(key)} occurs twice in one object`, start)
      keys.add(key)
      this.#space()
      if (!this.#take(':')) this.#fail(`expected \`:\` behind the key ${shown(key)}, found ${this.#here()}`)
      this.#value()
      this.#space()
    } while (this.#comma('}'))
  }

  #elements(): void {
    this.#space()
    if (this.#take(']')) return
    do {
      this.#value()
      this.#space()
    } while (this.#comma(']'))
  }

  /** True when another one follows. */
  #comma(closing: '}' | ']'): boolean {
    if (this.#take(closing)) return false
    const comma = this.#at
    if (!this.#take(',')) this.#fail(`expected \`,\` or \`${closing}\`, found ${this.#here()}`)
    this.#space()
    if (this.#text[this.#at] === closing) this.#fail(`there must be no comma before \`${closing}\``, comma)
    return true
  }

  #string(): string {
    const start = this.#at++
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (Number.isNaN(code)) this.#fail('this text has no closing double quote', start)
      if (code === 34) break
      if (code < 32) this.#fail(`the character ${this.#here()} is written with an escape inside a text, such as \\n`)
      if (code === 92) this.#escape()
    }
    this.#at++
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  #escape(): void {
    const rest = this.#text.slice(this.#at, this.#at + 6)
    if (/^\\u[0-9a-fA-F]{4}$/.test(rest)) this.#at += 5
    else if (/^\\["\\/bfnrt]/.test(rest)) this.#at += 1
    else this.#fail(`${shown(rest.slice(0, 2))} is not an escape of JSON`)
  }

  #number(): void {
    const start = this.#at
    NUMBER.lastIndex = start
    const written = NUMBER.exec(this.#text)?.[0] ?? ''
    this.#at += written.length
    const next = this.#text[this.#at] ?? ''
    if (written === '' || /[\w.]/.test(next))
      this.#fail(
        `${shown(/[-+\w.]+/.exec(this.#text.slice(start, start + 40))?.[0] ?? '')} is not a number of JSON`,
        start,
      )
    if (!Number.isFinite(Number(written)))
      this.#raise('number-out-of-range', `${shown(written)} is beyond the largest number, about 1.8e308`, start)
  }

  #word(): void {
    WORD.lastIndex = this.#at
    const word = WORD.exec(this.#text)?.[0] ?? ''
    if (!LITERALS.has(word))
      this.#fail(
        `expected a value, found ${word === '' ? this.#here() : shown(word)}${hint(word, this.#text[this.#at])}`,
      )
    this.#at += word.length
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #space(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? 'the end of the text' : shown(String.fromCodePoint(code))
  }

  #fail(message: string, offset = this.#at): never {
    this.#raise('malformed-json', message, offset)
  }

  #raise(code: string, message: string, offset: number): never {
    throw new JsonFailure(this.problem(code, message, offset))
  }
}

function hint(word: string, character: string | undefined): string {
  if (character === "'") return ': a text is written in double quotes'
  if (character === '/' || character === '#') return ': JSON has no comments'
  const lower = word.toLowerCase()
  if (LITERALS.has(lower)) return `: it is written \`${lower}\``
  return word === '' ? '' : ': a text is written in double quotes'
}
