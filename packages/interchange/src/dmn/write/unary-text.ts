import { type Expression, parse } from '@engine/expression'
import { inputPath, variablePath } from '../../feel/write.ts'
import { conditionOf, type FeelTarget, feelOf, NoFeel } from './feel-text.ts'

const COMPARISON = /^(==|!=|>=|<=|>|<|not\s+in\b|in\b)\s*/
const INTERVAL = /^([[(])([^]*?)\.\.([^]*)([\])])$/

/**
 * The unary tests that pass what a cell of an input column passes (platform contract 9.3). `path` is the column's. Throws
 * `NoFeel`. Costs the length of the cell.
 */
export function unaryText(cell: string, path: string, target: FeelTarget): string {
  const text = cell.trim()
  if (text === '') return '-'
  if (text.startsWith('?')) return wholeCondition(text.slice(1), path, target)
  const literal = (part: string) => {
    const parsed = parse(part)
    if (parsed.kind === 'failed' || !isScalar(parsed.expression)) throw new NoFeel('it is no literal')
    return feelOf(part, target)
  }
  const interval = INTERVAL.exec(text)
  if (interval !== null && parse(text).kind === 'failed') {
    const [, open, low = '', high = '', close] = interval
    return `${open}${literal(low)}..${literal(high)}${close}`
  }
  const operator = COMPARISON.exec(text)
  const right = text.slice(operator?.[0].length ?? 0)
  const name = operator?.[1]?.replace(/\s+/, ' ') ?? '=='
  if (name === 'in' || name === 'not in') return listText(right, name, literal)
  if (name === '==') return literal(right)
  return name === '!=' ? `not(${literal(right)})` : `${name} ${literal(right)}`
}

function isScalar(expression: Expression): boolean {
  if (expression.kind === 'unary') return expression.operator === '-' && isScalar(expression.operand)
  return expression.kind === 'literal'
}

function listText(text: string, name: string, literal: (part: string) => string): string {
  const parsed = parse(text)
  const list = parsed.kind === 'parsed' ? parsed.expression : undefined
  if (list?.kind !== 'array' || list.items.length === 0) throw new NoFeel('it is no list of values')
  const items = list.items.map(({ span }) => literal(text.slice(span.start, span.end)))
  return name === 'in' ? items.join(', ') : `not(${items.join(', ')})`
}

/** A condition in which the column's path is written `?`; one that does not read it is none of the column. */
function wholeCondition(text: string, path: string, target: FeelTarget): string {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new NoFeel('it is no condition')
  let isTested = false
  const found = conditionOf(parsed.expression, {
    deviates() {},
    reference(kind, name, members) {
      const own = kind === 'field' ? inputPath([name, ...members]) : variablePath(name, members)
      if (own !== path) return target.reference(kind, name, members)
      isTested = true
      return '?'
    },
  })
  if (!isTested) throw new NoFeel('the condition does not read the column')
  return found
}
