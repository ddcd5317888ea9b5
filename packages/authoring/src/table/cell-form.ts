import { parse } from '@engine/expression'

/** How an input cell is written (platform contract 9.3). */
export type CellForm =
  | { readonly kind: 'any' }
  /** `? condition`; `start` is the character of the cell at which the condition begins. */
  | { readonly kind: 'condition'; readonly text: string; readonly start: number }
  /** `[low..high)` */
  | {
      readonly kind: 'interval'
      readonly open: '[' | '('
      readonly low: string
      readonly high: string
      readonly close: ']' | ')'
    }
  /** `>= literal`, `in [a, b]`, or a literal alone. */
  | { readonly kind: 'comparison'; readonly operator: CellOperator; readonly right: string; readonly start: number }

export type CellOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

const COMPARISON = /^(==|!=|>=|<=|>|<|not\s+in\b|in\b)\s*/
const INTERVAL = /^([[(])([^]*?)\.\.([^]*)([\])])$/

/** The form of an input cell, with its parts as they are written. Costs the length of the cell. */
export function cellForm(cell: string): CellForm {
  const inner = cell.trim()
  if (inner === '') return { kind: 'any' }
  const start = cell.indexOf(inner)
  if (inner.startsWith('?')) return { kind: 'condition', text: inner.slice(1), start: start + 1 }
  const interval = INTERVAL.exec(inner)
  // A list whose texts have two points is none.
  if (interval !== null && parse(inner).kind === 'failed') {
    const [, open, low = '', high = '', close] = interval
    return { kind: 'interval', open: open === '[' ? '[' : '(', low, high, close: close === ']' ? ']' : ')' }
  }
  const comparison = COMPARISON.exec(inner)
  const operator = (comparison?.[1]?.replace(/\s+/, ' ') ?? '==') as CellOperator
  const skipped = comparison?.[0].length ?? 0
  return { kind: 'comparison', operator, right: inner.slice(skipped), start: start + skipped }
}
