import { parseText } from '../expression-text.ts'

/** The syntax of an input cell (platform contract 9.3). */
export type CellForm =
  | { readonly kind: 'any' }
  /** `? condition`; `start` is the offset of the condition in the cell. */
  | { readonly kind: 'condition'; readonly text: string; readonly start: number }
  /** `[low..high)` */
  | {
      readonly kind: 'interval'
      readonly open: '[' | '('
      readonly low: string
      readonly high: string
      readonly close: ']' | ')'
    }
  /** `>= literal`, `in [a, b]`, or a single literal. */
  | { readonly kind: 'comparison'; readonly operator: CellOperator; readonly right: string; readonly start: number }

export type CellOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

const COMPARISON = /^(==|!=|>=|<=|>|<|not\s+in\b|in\b)\s*/

/** The form of an input cell, with its parts as written. Linear in the length of the cell. */
export function cellForm(cell: string): CellForm {
  const inner = cell.trim()
  if (inner === '') return { kind: 'any' }
  const start = cell.indexOf(inner)
  if (inner.startsWith('?')) return { kind: 'condition', text: inner.slice(1), start: start + 1 }
  const interval = intervalIn(inner)
  // A list whose texts contain two points is not an interval.
  if (interval !== undefined && parseText(inner).kind === 'failed') return interval
  const comparison = COMPARISON.exec(inner)
  const operator = (comparison?.[1]?.replace(/\s+/, ' ') ?? '==') as CellOperator
  const skipped = comparison?.[0].length ?? 0
  return { kind: 'comparison', operator, right: inner.slice(skipped), start: start + skipped }
}

/** Everything before the first two points outside of a text. */
const BEFORE_POINTS = /^(?:[^"'.]|\.(?!\.)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*/s

/** `[low..high)`, split at its first two points. */
function intervalIn(text: string): (CellForm & { readonly kind: 'interval' }) | undefined {
  const open = text[0]
  const close = text.at(-1)
  if ((open !== '[' && open !== '(') || (close !== ']' && close !== ')') || !text.includes('..')) return undefined
  const points = BEFORE_POINTS.exec(text)?.[0].length ?? 0
  if (!text.startsWith('..', points)) return undefined
  return { kind: 'interval', open, low: text.slice(1, points), high: text.slice(points + 2, -1), close }
}
