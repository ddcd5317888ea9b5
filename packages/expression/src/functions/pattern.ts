import { type Matcher, RE2JS } from 're2js'
import type { Call } from '../ast.ts'
import { TYPE } from '../types.ts'
import { charge, type Value } from '../value.ts'
import { text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from './definition.ts'
import { failures } from './failures.ts'
import { globPattern } from './glob.ts'

const { array, boolean, null: nothing, string } = TYPE

/** Compiled patterns: nearly always literals of a ruleset. */
const compiled = new Map<string, RE2JS>()
const MOST_COMPILED = 256
/** Characters of a pattern: RE2 compiles repetitions out, so a short pattern can already be a large program. */
const LONGEST_PATTERN = 1000

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const fresh = RE2JS.compile(pattern)
  if (compiled.size >= MOST_COMPILED) compiled.delete(compiled.keys().next().value as string)
  compiled.set(pattern, fresh)
  return fresh
}

/** Why a text is not a regular expression (RE2 syntax: no look-around, no back-references); undefined: it is one. */
function patternFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `a pattern has at most ${LONGEST_PATTERN} characters`
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    return `\`${pattern.slice(0, 60)}\` is not a regular expression: ${reasonOf(error)}`
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '')
}

function matcher(node: Call, patternIndex: number, pattern: Argument, subject: string): Matcher {
  const source = text(node, patternIndex, pattern)
  const fault = compiled.has(source) ? undefined : patternFault(source)
  if (fault !== undefined) throw failures.badArgument(node, patternIndex, fault)
  return compile(source).matcher(subject)
}

const PATTERN: Parameter = { name: 'pattern', type: string, refuses: patternFault }
const SUBJECT: Parameter = { name: 'text', type: string }

/** Regular expressions, in time linear in the text (RE2), and globs. */
export const PATTERNS: readonly FunctionDefinition[] = [
  {
    name: 'matches',
    parameters: [SUBJECT, PATTERN],
    returns: boolean,
    summary: 'Whether a regular expression (RE2) is found anywhere in a text; false when one is null.',
    example: { expression: 'matches("order-17", "^order-\\\\d+$")', value: true },
    implementation: (_runtime, node, subject, pattern) =>
      subject !== null && pattern !== null && matcher(node, 1, pattern, text(node, 0, subject)).find(),
  },
  {
    name: 'regex_match',
    parameters: [PATTERN, SUBJECT],
    returns: boolean,
    summary: 'As `matches`, the pattern first.',
    example: { expression: 'regex_match("\\\\d", "a1")', value: true },
    implementation: (_runtime, node, pattern, subject) =>
      subject !== null && pattern !== null && matcher(node, 0, pattern, text(node, 1, subject)).find(),
  },
  {
    name: 'regex_find',
    parameters: [PATTERN, SUBJECT],
    returns: string | nothing,
    summary: 'The first match in a text, else null.',
    example: { expression: 'regex_find("\\\\d+", "a12b3")', value: '12' },
    implementation: (_runtime, node, pattern, subject) => {
      const search = matcher(node, 0, pattern, text(node, 1, subject))
      return search.find() ? search.group() : null
    },
  },
  {
    name: 'regex_find_all',
    parameters: [PATTERN, SUBJECT],
    returns: array,
    summary: 'All matches in a text.',
    example: { expression: 'regex_find_all("\\\\d+", "a12b3")', value: ['12', '3'] },
    implementation: (runtime, node, pattern, subject) => {
      const search = matcher(node, 0, pattern, text(node, 1, subject))
      const found: Value[] = []
      while (search.find()) {
        charge(runtime, node, 1)
        found.push(search.group())
      }
      return found
    },
  },
  {
    name: 'regex_replace',
    parameters: [PATTERN, SUBJECT, { name: 'replacement', type: string }],
    returns: string,
    summary: 'With every match replaced; `$1` stands for the first group.',
    example: { expression: 'regex_replace("(\\\\w+)@\\\\w+", "ada@home", "$1")', value: 'ada' },
    implementation: (runtime, node, pattern, subject, replacement) => {
      const whole = text(node, 1, subject)
      const by = text(node, 2, replacement)
      const search = matcher(node, 0, pattern, whole)
      let length = whole.length
      // Measured before it is made: a replacement may repeat groups.
      while (search.find()) {
        length += by.length + (by.split('$').length - 1) * (search.group() ?? '').length
        charge({ now: runtime.now, allocated: 0 }, node, length, 'text')
      }
      charge(runtime, node, length, 'text')
      try {
        return matcher(node, 0, pattern, whole).replaceAll(by)
      } catch (error) {
        throw failures.badArgument(node, 2, reasonOf(error))
      }
    },
  },
  {
    name: 'regex_split',
    parameters: [PATTERN, SUBJECT],
    returns: array,
    summary: 'The parts of a text between matches.',
    example: { expression: 'regex_split("[,;]", "a,b;c")', value: ['a', 'b', 'c'] },
    implementation: (runtime, node, pattern, subject) => {
      const whole = text(node, 1, subject)
      const search = matcher(node, 0, pattern, whole)
      const parts: Value[] = []
      let start = 0
      while (search.find()) {
        charge(runtime, node, 1)
        // An empty match at an end separates nothing.
        if (search.end() === search.start() && (search.start() === 0 || search.start() === whole.length)) continue
        parts.push(whole.slice(start, search.start()))
        start = search.end()
      }
      parts.push(whole.slice(start))
      return parts
    },
  },
  {
    name: 'glob_match',
    parameters: [{ name: 'pattern', type: string, refuses: (glob) => patternFault(globPattern(glob)) }, SUBJECT],
    returns: boolean,
    summary:
      'Whether a glob fits a whole text: `*` within a segment, `**` across `/`, `?`, `[a-z]`; false when one is null.',
    example: { expression: 'glob_match("docs/**/*.md", "docs/a/b.md")', value: true },
    implementation: (_runtime, node, glob, subject) =>
      glob !== null &&
      subject !== null &&
      matcher(node, 0, globPattern(text(node, 0, glob)), text(node, 1, subject)).find(),
  },
]
