import { cellForm, type CellForm } from '@engine/authoring'
import { type Expression, parse } from '@engine/expression'
import { inputPath, variablePath } from '../../feel/write.ts'
import { conditionOf, type FeelTarget, feelOf, NoFeel } from './feel-text.ts'

/**
 * The unary tests that pass what a cell of an input column passes (platform contract 9.3). `path` is the column's. Throws
 * `NoFeel`. Costs the length of the cell.
 */
export function unaryText(cell: string, path: string, target: FeelTarget): string {
  const form = cellForm(cell)
  const literal = (part: string) => {
    const parsed = parse(part)
    if (parsed.kind === 'failed' || !isScalar(parsed.expression)) throw new NoFeel('it is no literal')
    return feelOf(part, target)
  }
  switch (form.kind) {
    case 'any':
      return '-'
    case 'condition':
      return wholeCondition(form.text, path, target)
    case 'interval':
      return `${form.open}${literal(form.low)}..${literal(form.high)}${form.close}`
    case 'comparison':
      return comparisonText(form, literal)
  }
}

function comparisonText(
  { operator, right }: CellForm & { readonly kind: 'comparison' },
  literal: (part: string) => string,
): string {
  if (operator === 'in' || operator === 'not in') return listText(right, operator, literal)
  if (operator === '==') return literal(right)
  return operator === '!=' ? `not(${literal(right)})` : `${operator} ${literal(right)}`
}

function isScalar(expression: Expression): boolean {
  if (expression.kind === 'unary') return expression.operator === '-' && isScalar(expression.operand)
  return expression.kind === 'literal'
}

function listText(text: string, name: 'in' | 'not in', literal: (part: string) => string): string {
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
