import type { Matcher } from 're2js'
import type { Call } from '../ast.ts'
import { type Budget, BudgetError } from '../budget.ts'
import { createText } from '../creation.ts'
import { failures as common } from '../failures.ts'
import { LIMITS, type Runtime } from '../runtime.ts'
import { TYPE } from '../types.ts'
import type { Value } from '../value.ts'
import { text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'
import { globPattern } from './glob.ts'
import { compilePattern, reasonOf } from './pattern-program.ts'

const { array, boolean, null: nothing, string } = TYPE

/** Finds matches in a text one after the other; each search is charged. */
class Search {
  readonly #budget: Budget
  readonly #matcher: Matcher
  readonly #cost: number
  #searches = 0

  constructor({ budget }: Runtime, node: Call, patternIndex: number, pattern: string, subject: string) {
    const program = compilePattern(budget, pattern)
    if ('fault' in program) throw failures.badArgument(node, patternIndex, program.fault)
    this.#budget = budget
    this.#matcher = program.matcher(budget, subject)
    this.#cost = program.again(subject)
  }

  find(): boolean {
    // The first search was charged with the matcher.
    if (this.#searches++ > 0) this.#budget.spend(this.#cost)
    return this.#matcher.find()
  }

  get start(): number {
    return this.#matcher.start()
  }

  get end(): number {
    return this.#matcher.end()
  }

  /** Throws when the replacement names an unknown group. */
  replaceAll(by: string): string {
    return this.#matcher.reset().replaceAll(by)
  }
}

/** Whether a pattern matches; false when the text or the pattern is null. */
function isFound(runtime: Runtime, node: Call, args: readonly Argument[], patternIndex: number): boolean {
  const subjectIndex = 1 - patternIndex
  if (args[subjectIndex] === null || args[patternIndex] === null) return false
  const subject = text(node, subjectIndex, args[subjectIndex])
  return new Search(runtime, node, patternIndex, text(node, patternIndex, args[patternIndex]), subject).find()
}

/**
 * Why a literal is not a regular expression (RE2 syntax: no look-around, no back-references); undefined when it is
 * valid.
 */
function patternFault(pattern: string, budget: Budget): string | undefined {
  const program = compilePattern(budget, pattern)
  return 'fault' in program ? program.fault : undefined
}

/** Why a literal is not a glob. */
function globFault(glob: string, budget: Budget): string | undefined {
  return glob.length > MAX_GLOB ? tooLong() : patternFault(globPattern(glob), budget)
}

/** Characters of a glob. */
const MAX_GLOB = 1000

function tooLong(): string {
  return `a glob has at most ${MAX_GLOB} characters`
}

/** Account for one more part of a text in a list. */
function requireItems({ budget }: Runtime, node: Call, items: number): void {
  if (items > LIMITS.value) throw common.valueTooLarge(node.span, 'list')
  budget.create(40)
}

const PATTERN: Parameter = { name: 'pattern', type: string, refuses: patternFault }
const SUBJECT: Parameter = { name: 'text', type: string }

/** Regular expressions, in time linear in the text (RE2), and globs. */
export const PATTERNS: readonly FunctionDefinition[] = [
  {
    name: 'matches',
    aliases: ['is_match', 'regexp_like'],
    parameters: [SUBJECT, PATTERN],
    returns: boolean,
    cost: 40,
    implementation: (runtime, node, ...args) => isFound(runtime, node, args, 1),
  },
  {
    name: 'regex_match',
    parameters: [PATTERN, SUBJECT],
    returns: boolean,
    cost: 40,
    implementation: (runtime, node, ...args) => isFound(runtime, node, args, 0),
  },
  {
    name: 'regex_find',
    parameters: [PATTERN, SUBJECT],
    returns: string | nothing,
    cost: 40,
    implementation: (runtime, node, pattern, subject) => {
      const whole = text(node, 1, subject)
      const search = new Search(runtime, node, 0, text(node, 0, pattern), whole)
      return search.find() ? whole.slice(search.start, search.end) : null
    },
  },
  {
    name: 'regex_find_all',
    parameters: [PATTERN, SUBJECT],
    returns: array,
    cost: 40,
    implementation: (runtime, node, pattern, subject) => {
      const whole = text(node, 1, subject)
      const search = new Search(runtime, node, 0, text(node, 0, pattern), whole)
      const found: Value[] = []
      while (search.find()) {
        requireItems(runtime, node, found.length + 1)
        found.push(whole.slice(search.start, search.end))
      }
      return found
    },
  },
  {
    name: 'regex_replace',
    parameters: [PATTERN, SUBJECT, { name: 'replacement', type: string }],
    returns: string,
    cost: 40,
    implementation: (runtime, node, pattern, subject, replacement) => {
      const whole = text(node, 1, subject)
      const by = text(node, 2, replacement)
      const search = new Search(runtime, node, 0, text(node, 0, pattern), whole)
      let length = whole.length
      const repeats = by.split('$').length - 1
      runtime.budget.spend(by.length)
      // Measured before it is built: a replacement may repeat groups.
      while (search.find()) {
        length += by.length + repeats * (search.end - search.start)
        if (length > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
        runtime.budget.spend(20 + by.length)
      }
      createText(runtime, node, length)
      try {
        return search.replaceAll(by)
      } catch (error) {
        if (error instanceof BudgetError) throw error
        throw failures.badArgument(node, 2, reasonOf(error))
      }
    },
  },
  {
    name: 'regex_split',
    parameters: [PATTERN, SUBJECT],
    returns: array,
    cost: 40,
    implementation: (runtime, node, pattern, subject) => {
      const whole = text(node, 1, subject)
      const search = new Search(runtime, node, 0, text(node, 0, pattern), whole)
      const parts: Value[] = []
      let start = 0
      while (search.find()) {
        // An empty match at either end separates nothing.
        if (search.end === search.start && (search.start === 0 || search.start === whole.length)) continue
        requireItems(runtime, node, parts.length + 2)
        parts.push(whole.slice(start, search.start))
        start = search.end
      }
      parts.push(whole.slice(start))
      return parts
    },
  },
  {
    name: 'glob_match',
    parameters: [{ name: 'pattern', type: string, refuses: globFault }, SUBJECT],
    returns: boolean,
    cost: 40,
    implementation: (runtime, node, glob, subject) => {
      if (glob === null || subject === null) return false
      const given = text(node, 0, glob)
      if (given.length > MAX_GLOB) throw failures.badArgument(node, 0, tooLong())
      runtime.budget.spend(20 * given.length)
      return new Search(runtime, node, 0, globPattern(given), text(node, 1, subject)).find()
    },
  },
]
