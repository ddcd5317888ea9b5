import { quote } from '../quote.ts'
import { type Matcher, RE2JS } from 're2js'
import type { Budget } from '../budget.ts'
import { ChargedText } from './charged-text.ts'
import { estimatedSize } from './pattern-size.ts'

/** Characters of a pattern. */
const MAX_LENGTH = 1000
/** Instructions of a pattern: compiling this number takes some 20 ms. */
const MAX_SIZE = 3000
/** Units to compile a pattern: fixed, and for each instruction. */
const COMPILING = { pattern: 1000, instruction: 300 } as const
/** Instructions of all cached patterns: each takes some 400 bytes. */
const MAX_KEPT = 60_000
/** Overhead of a pattern, counted in instructions. */
const OVERHEAD = 100
/** Below this number of characters times instructions a match runs without checking the budget. */
const MAX_UNCHECKED_WORK = 8192

/** A compiled regular expression. */
class PatternProgram {
  readonly size: number
  readonly #program: RE2JS

  constructor(program: RE2JS) {
    this.#program = program
    this.size = program.programSize()
  }

  /** Finds matches in a text. Every character read is charged, by the size of the program. */
  matcher(budget: Budget, text: string): Matcher {
    const cost = 4 + (this.size >> 2)
    budget.spend(20 + cost)
    if (text.length * this.size > MAX_UNCHECKED_WORK)
      return this.#program.matcher(new ChargedText(budget, text, cost) as unknown as string)
    budget.spend(cost * text.length)
    return this.#program.matcher(text)
  }

  /** Units of one further search in a text that is not charged while it is read. */
  again(text: string): number {
    const cost = 4 + (this.size >> 2)
    return 20 + (text.length * this.size > MAX_UNCHECKED_WORK ? cost : cost * text.length)
  }
}

/** Compiled patterns, oldest first: nearly always literals of a ruleset. */
const kept = new Map<string, PatternProgram>()
let keptSize = 0

/**
 * A compiled pattern, or why it is invalid (RE2 syntax: no look-around, no back-references). Charges the compilation.
 */
export function compilePattern(budget: Budget, pattern: string): PatternProgram | { readonly fault: string } {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  if (pattern.length > MAX_LENGTH) return { fault: `a pattern has at most ${MAX_LENGTH} characters` }
  budget.spend(4 * pattern.length)
  const size = estimatedSize(pattern)
  if (size > MAX_SIZE) return { fault: tooLarge(pattern, size) }
  budget.spend(COMPILING.pattern + COMPILING.instruction * size)
  const program = compiled(pattern)
  if (program instanceof PatternProgram) keep(pattern, program)
  return program
}

function compiled(pattern: string): PatternProgram | { readonly fault: string } {
  try {
    const program = new PatternProgram(RE2JS.compile(pattern))
    return program.size > MAX_SIZE ? { fault: tooLarge(pattern, program.size) } : program
  } catch (error) {
    return { fault: `${quote(pattern)} is not a regular expression: ${reasonOf(error)}` }
  }
}

function tooLarge(pattern: string, size: number): string {
  return `${quote(pattern)} is too large: with its repetitions expanded it has some ${size} parts, at most ${MAX_SIZE} are allowed`
}

function keep(pattern: string, program: PatternProgram): void {
  keptSize += program.size + OVERHEAD
  kept.set(pattern, program)
  for (const [oldest, { size }] of kept) {
    if (keptSize <= MAX_KEPT) break
    kept.delete(oldest)
    keptSize -= size + OVERHEAD
  }
}

/** The reason of the library's error. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '')
}
