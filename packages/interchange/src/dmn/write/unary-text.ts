import { cellForm, type CellForm } from '@engine/authoring'
import { parse } from '@engine/expression'
import { inputPath, variablePath } from '../../feel/write.ts'
import { conditionOf, type FeelTarget, feelOf, NoFeel, parsedFor } from './feel-text.ts'

/**
 * The unary tests equivalent to an input cell (platform contract 9.3). `path` is the column's path. Throws `NoFeel`.
 * Linear in the length of the cell.
 */
export function unaryText(cell: string, path: string, target: FeelTarget): string {
  const form = cellForm(cell)
  const literal = (part: string) => {
    const parsed = parse(part)
    if (parsed.kind === 'failed' || parsed.expression.kind !== 'literal') throw new NoFeel('it is not a literal')
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

function listText(text: string, name: 'in' | 'not in', literal: (part: string) => string): string {
  const parsed = parse(text)
  const list = parsed.kind === 'parsed' ? parsed.expression : undefined
  if (list?.kind !== 'array' || list.items.length === 0) throw new NoFeel('it is not a list of values')
  const items = list.items.map(({ span }) => literal(text.slice(span.start, span.end)))
  return name === 'in' ? items.join(', ') : `not(${items.join(', ')})`
}

/** A condition with the column's path written as `?`; one that does not read it does not belong to the column. */
function wholeCondition(text: string, path: string, target: FeelTarget): string {
  const expression = parsedFor(text, 'it is not a condition')
  let isTested = false
  const found = conditionOf(expression, {
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
