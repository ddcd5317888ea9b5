import { type Zen, ZenSyntaxError } from './ast.ts'
import { trueText } from './condition.ts'
import { parseZenTest, REFERENCE } from './parser.ts'
import { FALSE, type Text } from './text.ts'
import type { Surroundings } from './value.ts'
import { Untranslatable } from './value.ts'

/** Translates the test of a cell: a literal, a comparison, a list, an interval, or a condition after `?`. */
export function cellText(tests: readonly Zen[], around: Surroundings): string {
  const literals = tests.map(literalText)
  if (literals.every((text) => text !== undefined))
    return literals.length === 1 ? (literals[0] ?? '') : `in [${literals.join(', ')}]`
  const [only] = tests
  const short = tests.length === 1 && only !== undefined ? shortText(only) : undefined
  return short ?? `? ${trueText(alternatives(tests), around).text}`
}

/**
 * The condition of a column without a field: an expression that is true. ZEN rejects several tests, and a comparison
 * without its left side: the row then never matches.
 */
export function conditionText(tests: readonly Zen[], around: Surroundings): string {
  return `? ${wholeCondition(tests, around).text}`
}

/** Whether a test compares the value of its column, here named `$`. */
function comparesColumn(zen: Zen): boolean {
  if (zen === REFERENCE) return true
  return zen.kind === 'binary' && (comparesColumn(zen.left) || comparesColumn(zen.right))
}

/** The condition of a cell in a column with a field. */
export function testCondition(tests: readonly Zen[], around: Surroundings): Text {
  return trueText(alternatives(tests), around)
}

/** The condition of a cell in a column without a field. */
export function wholeCondition(tests: readonly Zen[], around: Surroundings): Text {
  const [only] = tests
  return only === undefined || tests.length > 1 || comparesColumn(only) ? FALSE : trueText(only, around)
}

/** Maximum number of tests of one cell that form a condition, which is translated by recursion. */
const MAX_ALTERNATIVES = 500

function alternatives(tests: readonly Zen[]): Zen {
  if (tests.length > MAX_ALTERNATIVES) throw new Untranslatable(`a cell of more than ${MAX_ALTERNATIVES} tests`)
  return tests.map(asCondition).reduceRight((right, left) => ({ kind: 'binary', operator: 'or', left, right }))
}

/** A literal in our syntax. */
function literalText(zen: Zen): string | undefined {
  if (zen.kind === 'literal') return JSON.stringify(zen.value)
  if (zen.kind !== 'unary' || zen.operator !== '-') return undefined
  const { operand } = zen
  return operand.kind === 'literal' && typeof operand.value === 'number' ? `-${operand.value}` : undefined
}

/** The short form of a test, without the name of the column. */
function shortText(zen: Zen): string | undefined {
  if (zen.kind === 'array') return listText(zen)
  if (zen.kind === 'interval') return intervalText(zen)
  if (zen.kind !== 'binary' || zen.left.kind !== 'name' || zen.left.name !== '$') return undefined
  const { operator, right } = zen
  switch (operator) {
    case 'in':
      return right.kind === 'interval' ? intervalText(right) : listText(right)
    case 'not in': {
      const list = right.kind === 'array' ? listText(right) : undefined
      return list && `not ${list}`
    }
    case '==':
    case '!=': {
      const literal = literalText(right)
      return literal && `${operator} ${literal}`
    }
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const literal = literalText(right)
      return literal === undefined || !/^-?\d/.test(literal) ? undefined : `${operator} ${literal}`
    }
    default:
      return undefined
  }
}

function listText(zen: Zen): string | undefined {
  if (zen.kind !== 'array' || zen.items.length === 0) return undefined
  const items = zen.items.map(literalText)
  return items.every((item) => item !== undefined) ? `in [${items.join(', ')}]` : undefined
}

function intervalText({ from, to, open, close }: Zen & { readonly kind: 'interval' }): string | undefined {
  const low = literalText(from)
  const high = literalText(to)
  if (low === undefined || high === undefined || !(Number(low) <= Number(high))) return undefined
  return (open === '[' || open === '(') && (close === ']' || close === ')')
    ? `${open}${low}..${high}${close}`
    : undefined
}

/** Whether the test of a cell is itself a condition with the same meaning. */
export function isTestCondition(text: string): boolean {
  try {
    refuseParentheses(text)
    const tests = parseZenTest(text)
    const [only] = tests
    if (only === undefined || tests.length > 1 || behaviour(only) !== 'condition') return false
    requireConditions(only)
    const or = text.search(/\bor\b/)
    return or < 0 || !/\band\b/.test(text.slice(or))
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof ZenSyntaxError) return false
    throw error
  }
}

/** The condition of a test on the column; a test that is a condition itself is unchanged, apart from its operands. */
function asCondition(zen: Zen): Zen {
  switch (behaviour(zen)) {
    case 'condition':
      if (zen.kind === 'binary' && (zen.operator === 'and' || zen.operator === 'or'))
        return { ...zen, left: asCondition(zen.left), right: asCondition(zen.right) }
      return zen
    case 'member':
      return { kind: 'binary', operator: 'in', left: { kind: 'name', name: '$' }, right: zen }
    case 'equal':
      return { kind: 'binary', operator: '==', left: { kind: 'name', name: '$' }, right: zen }
  }
}

/** In a ZEN test, a parenthesis that is not a call starts an interval. Throws `Untranslatable`. */
export function refuseParentheses(text: string): void {
  if (/(?:^|[^\w$#])\((?![^()]*\.\.)/.test(text)) throw new Untranslatable('parentheses in the test of a cell')
}

/** Operands of `and` and `or` are also compared with the column unless they are conditions. */
function requireConditions(zen: Zen): void {
  if (zen.kind !== 'binary' || (zen.operator !== 'and' && zen.operator !== 'or')) return
  for (const operand of [zen.left, zen.right]) {
    if (behaviour(operand) !== 'condition')
      throw new Untranslatable('an operand that is not a comparison, in the test of a cell')
    requireConditions(operand)
  }
}

/** Functions that return a boolean. */
const CONDITIONS: ReadonlySet<string> = new Set([
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'some',
  'all',
  'none',
  'one',
])

/** Methods of dates that return a boolean. */
const CONDITION_METHODS = /^is[A-Z]/

/** The meaning of a test, which ZEN derives from its outermost node. */
function behaviour(zen: Zen): 'condition' | 'member' | 'equal' {
  switch (zen.kind) {
    case 'array':
    case 'interval':
      return 'member'
    case 'unary':
      return 'equal'
    case 'binary':
      return isConditional(zen.operator) ? 'condition' : 'equal'
    case 'call':
      return CONDITIONS.has(zen.name) ? 'condition' : 'equal'
    case 'conditional':
    case 'slice':
      throw new Untranslatable('a conditional as the test of a cell')
    case 'literal':
    case 'name':
    case 'member':
    case 'object':
    case 'template':
    case 'alias':
    case 'assignment':
      return 'equal'
    case 'method':
      return CONDITION_METHODS.test(zen.name) ? 'condition' : 'equal'
  }
}

const isConditional = (operator: (Zen & { readonly kind: 'binary' })['operator']) =>
  /^(?:and|or|not in|in|==|!=|<=?|>=?)$/.test(operator)
