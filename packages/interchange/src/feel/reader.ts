import { quote } from '@engine/expression'
import { FeelFault } from './ast.ts'

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/uy
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/uy
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy
const STRING = /"(?:[^"\\]|\\[^])*"/uy
/** Nesting levels of an expression. */
const MAX_DEPTH = 100
/** UTF-16 units, the limit of our own expressions. */
const MAX_LENGTH = 65_536

/** Reads tokens and words of a FEEL text. */
export class FeelReader {
  readonly text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    if (text.length > MAX_LENGTH) throw new FeelFault(`an expression may have at most ${MAX_LENGTH} characters`)
    this.text = text
    this.#skip()
  }

  get offset(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.text.length
  }

  fail(message: string): never {
    throw new FeelFault(message)
  }

  /** Consumes a token if it is next. */
  take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    this.#skip()
    return true
  }

  expect(sign: string): void {
    if (!this.take(sign)) this.fail(`expected ${quote(sign)}`)
  }

  /** Consumes a word, or several separated by blanks, if next. */
  takeWord(words: string): boolean {
    const start = this.#at
    for (const word of words.split(' '))
      if (this.peekWord() === word) this.take(word)
      else {
        this.#at = start
        return false
      }
    return true
  }

  peekWord(): string | undefined {
    return this.#match(WORD)
  }

  peek(length = 1): string {
    return this.text.slice(this.#at, this.#at + length)
  }

  number(): string | undefined {
    return this.#taken(NUMBER)
  }

  string(): string | undefined {
    const quoted = this.#taken(STRING)
    if (quoted !== undefined) return this.#unescaped(quoted.slice(1, -1))
    if (this.peek() === '"') this.fail('the text has no closing quotation mark')
    return undefined
  }

  /** Parses a nested part within the depth limit. */
  nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) this.fail(`an expression may be nested at most ${MAX_DEPTH} levels deep`)
    const result = read()
    this.#depth--
    return result
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.text)?.[0]
  }

  #taken(pattern: RegExp): string | undefined {
    const found = this.#match(pattern)
    if (found !== undefined) this.take(found)
    return found
  }

  #skip(): void {
    this.#at += this.#match(BLANK)?.length ?? 0
  }

  #unescaped(text: string): string {
    return text.replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{6}|[^])/gu, (_, escape: string) => {
      const plain = ESCAPES.get(escape)
      if (plain !== undefined) return plain
      const code = Number.parseInt(escape.slice(1), 16)
      if (!(code <= 0x10ffff)) throw new FeelFault(`${quote(`\\${escape}`)} is not a valid escape`)
      return String.fromCodePoint(code)
    })
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
])
