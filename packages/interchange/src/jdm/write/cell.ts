import { cellForm, type CellForm, constantValue } from '@engine/authoring'
import { isList, parse, type Value } from '@engine/expression'
import { isTestCondition } from '../zen/cell.ts'
import { zenCondition } from './expression.ts'
import type { ZenScope } from './zen-scope.ts'
import { literal, list, NoZen, TRUE } from './zen-text.ts'

/** An input cell as a ZEN test. Throws `NoZen`. Linear in its length. */
export function cellTest(cell: string, scope: ZenScope): string {
  const form = cellForm(cell)
  switch (form.kind) {
    case 'any':
      return ''
    case 'condition':
      return conditionTest(form.text, scope)
    case 'interval':
      return `${form.open}${number(form.low)}..${number(form.high)}${form.close}`
    case 'comparison':
      return comparisonTest(form)
  }
}

/** ZEN tests have neither parentheses nor alternatives, and consist of comparisons. */
function conditionTest(text: string, scope: ZenScope): string {
  const written = zenCondition(text, scope).text
  if (written === TRUE.text) return ''
  if (!isTestCondition(written)) throw new NoZen('a cell cannot contain such a condition')
  return written
}

function comparisonTest({ operator, right }: CellForm & { readonly kind: 'comparison' }): string {
  switch (operator) {
    case '==':
      return scalar(right)
    case '!=':
      return `!= ${scalar(right)}`
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${operator} ${number(right)}`
    case 'in':
      return `in ${list(itemsOf(right).map(literal)).text}`
    case 'not in':
      // `not in` fails for a list in ZEN.
      return itemsOf(right)
        .map((item) => `!= ${literal(item).text}`)
        .join(' and ')
  }
}

function constant(text: string): Value {
  const parsed = parse(text)
  const value = parsed.kind === 'parsed' ? constantValue(parsed.expression) : undefined
  if (value === undefined) throw new NoZen('it is not a literal')
  return value
}

function scalar(text: string): string {
  const value = constant(text)
  if (typeof value === 'object' && value !== null) throw new NoZen('lists and objects are never equal in ZEN')
  return literal(value).text
}

function number(text: string): string {
  const value = constant(text)
  if (typeof value !== 'number') throw new NoZen('only numbers have an order in ZEN')
  return literal(value).text
}

function itemsOf(text: string): readonly Value[] {
  const value = constant(text)
  if (!isList(value) || value.length === 0) throw new NoZen('it is not a list of values')
  if (value.some((item) => typeof item === 'object' && item !== null))
    throw new NoZen('lists and objects are never equal in ZEN')
  return value
}
