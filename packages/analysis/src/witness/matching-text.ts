/** Characters that a text of a pattern has at most: longer ones show nothing more. */
const MAX_LENGTH = 1000

/**
 * A text that a regular expression likely matches: with few repetitions, and another alternative for each variation. Undefined: the
 * pattern has something else than characters, classes, groups, alternatives and repetitions. The text has at most `MAX_LENGTH`
 * characters for each part of the pattern; only an execution shows that it matches.
 */
export function matchingText(pattern: string, variation: number): string | undefined {
  return new PatternReader(pattern, variation).text()
}

/** First and last character. */
type Range = readonly [string, string]

/** Characters of a class of one letter. */
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: [['0', '9']],
  w: [
    ['a', 'z'],
    ['0', '9'],
    ['A', 'Z'],
    ['_', '_'],
  ],
  s: [[' ', ' ']],
}

/** Texts for other escapes with a letter. */
const ESCAPES: Readonly<Record<string, string>> = { D: 'x', W: '-', S: 'x', n: '\n', t: '\t', b: '', A: '', z: '' }

/** Characters for classes that exclude others. */
const OTHERS = 'x0-A _~.é'

const REPETITION = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y
/** The name or the flags of a group, or flags for the rest. */
const GROUP_START = /\?(?:P?<\w+>|[a-z-]*:|[a-z-]+(?=\)))/y

/** Reads a pattern once from left to right, and makes a text of each part. */
class PatternReader {
  readonly #pattern: string
  readonly #variation: number
  #at = 0
  #isKnown = true

  constructor(pattern: string, variation: number) {
    this.#pattern = pattern
    this.#variation = variation
  }

  text(): string | undefined {
    const text = this.#alternatives()
    return this.#isKnown && this.#at === this.#pattern.length ? text : undefined
  }

  #alternatives(): string {
    const ways = [this.#sequence()]
    while (this.#skips('|')) ways.push(this.#sequence())
    return ways[this.#variation % ways.length] ?? ''
  }

  #sequence(): string {
    let text = ''
    // Behind the last character the next one is empty, and every text has that.
    while (!'|)'.includes(this.#next)) {
      const part = this.#part()
      text += part.repeat(Math.min(this.#repetitions(), MAX_LENGTH))
      text = text.slice(0, MAX_LENGTH)
    }
    return text
  }

  #part(): string {
    const character = this.#take()
    switch (character) {
      case '(': {
        this.#match(GROUP_START)
        const inner = this.#alternatives()
        this.#isKnown &&= this.#skips(')')
        return inner
      }
      case '[':
        return this.#class()
      case '\\': {
        const escaped = this.#take()
        const ranges = CLASSES[escaped]
        return ranges === undefined ? this.#escaped(escaped) : this.#oneOf(ranges)
      }
      case '^':
      case '$':
        return ''
      case '.':
        return 'x'
      default:
        return character
    }
  }

  #escaped(character: string): string {
    const text = ESCAPES[character] ?? character
    this.#isKnown &&= text !== character || !/[a-z0-9]/i.test(character)
    return text
  }

  #class(): string {
    const isNegated = this.#skips('^')
    const ranges: Range[] = []
    do {
      const first = this.#take()
      const known = first === '\\' ? CLASSES[this.#next] : undefined
      this.#isKnown &&= first !== '' && !(first === '[' && this.#next === ':')
      if (known !== undefined) {
        this.#take()
        ranges.push(...known)
        continue
      }
      const from = first === '\\' ? this.#escaped(this.#take()) : first
      const isRange = this.#next === '-' && this.#pattern[this.#at + 1] !== ']'
      if (isRange) this.#take()
      ranges.push([from, isRange ? this.#take() : from])
    } while (this.#isKnown && !this.#skips(']'))
    if (!isNegated) return this.#oneOf(ranges)
    return [...OTHERS].find((other) => !ranges.some(([from, to]) => from <= other && other <= to)) ?? ''
  }

  #oneOf(ranges: readonly Range[]): string {
    return ranges[this.#variation % ranges.length]?.[0] ?? ''
  }

  /** How often the part before is repeated. */
  #repetitions(): number {
    const found = this.#match(REPETITION)
    if (found === null) return 1
    const [text, least, comma, most] = found
    const from = Number(least ?? (text.startsWith('+') ? 1 : 0))
    const isExact = least !== undefined && comma === ''
    const to = isExact ? from : most === undefined || most === '' ? (text.startsWith('?') ? 1 : Infinity) : Number(most)
    return Math.min(from + (this.#variation % 2), to)
  }

  get #next(): string {
    return this.#pattern[this.#at] ?? ''
  }

  #take(): string {
    return this.#pattern[this.#at++] ?? ''
  }

  #skips(character: string): boolean {
    if (this.#next !== character) return false
    this.#at++
    return true
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#pattern)
    this.#at += found?.[0].length ?? 0
    return found
  }
}
