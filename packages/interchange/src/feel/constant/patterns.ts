import { type Expression, fold, LENIENT, parse } from '@engine/expression'
import { NotConstant } from './value.ts'

/*
 * XPath patterns, evaluated as patterns of rulesets, which take linear time. Patterns that may differ are rejected:
 * Unicode classes, class subtraction, back-references.
 */

const MAX_PATTERN = 500

/** Undefined for an invalid XPath pattern or invalid flags. */
function translated(pattern: string, flags: string): string | undefined {
  if (!/^[smixq]*$/.test(flags)) return undefined
  if (pattern.length > MAX_PATTERN) throw new NotConstant('such a long pattern')
  if (flags.includes('q')) {
    if (flags.includes('m') || flags.includes('s') || flags.includes('x')) throw new NotConstant('flags beside `q`')
    return `${flags.includes('i') ? '(?i)' : ''}${pattern.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)}`
  }
  if (/[mx]/.test(flags)) throw new NotConstant('the flag `m` or `x`')
  if (/\\(?![.\\?*+{}()[\]|^$-])|\[[^\]]*\[|\[[^\]]*-\[|\(\?|\*\?|\+\?|[*+?}][*+]/.test(pattern))
    throw new NotConstant('such a pattern')
  if (flags.includes('i') && /[[\u0080-\uffff]/.test(pattern)) throw new NotConstant('such a pattern without case')
  if (/[^\x20-\x7e]/.test(pattern)) throw new NotConstant('such a pattern')
  // Texts with several lines are rejected, so the flag `s` has no effect.
  return `${flags.includes('i') ? '(?i)' : ''}${pattern}`
}

/** The value of a constant call in the language of rulesets; undefined if it is rejected. */
function called(name: string, ...args: readonly string[]): unknown {
  const parsed = parse(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`)
  if (parsed.kind === 'failed') return undefined
  const folded: Expression = fold(parsed.expression, LENIENT)
  return folded.kind === 'literal' ? folded.value : undefined
}

/** Null for an invalid pattern. */
export function patternMatches(input: string, pattern: string, flags: string): boolean | null {
  const own = translated(pattern, flags)
  if (own === undefined) return null
  if (/[\r\n]/.test(input)) throw new NotConstant('a pattern over several lines')
  const found = called('matches', input, own)
  if (typeof found !== 'boolean') throw new NotConstant('such a pattern')
  return found
}

export function patternReplaced(input: string, pattern: string, replacement: string, flags: string): string | null {
  const own = translated(pattern, flags)
  if (own === undefined) return null
  if (/[\\]|\$(?!\d)|\$0|\$\d\d/.test(replacement) || /[\r\n]/.test(input)) throw new NotConstant('such a replacement')
  const matchesEmpty = called('matches', '', own)
  if (matchesEmpty !== false) throw new NotConstant('a pattern that matches the empty text')
  const found = called('regex_replace', own, input, replacement)
  if (typeof found !== 'string') throw new NotConstant('such a pattern')
  return found
}

export function patternSplit(input: string, pattern: string): readonly string[] {
  const own = translated(pattern, '')
  if (own === undefined || called('matches', '', own) !== false) throw new NotConstant('such a delimiter')
  const found = called('regex_split', own, input)
  if (!Array.isArray(found)) throw new NotConstant('such a delimiter')
  return found as readonly string[]
}
