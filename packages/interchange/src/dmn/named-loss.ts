import { quote } from '@engine/expression'
import type { Loss } from '../conversion-result.ts'
import type { XmlElement } from '../xml/tree.ts'
import { childOf, type Definitions, textOf } from './definitions.ts'

/**
 * A loss whose message begins with its position in the terms of the model: the name of the decision or decision service
 * and, within its table, the rule and the label of the column. Linear in the columns of the table.
 */
export function namedLoss({ decisions, services }: Definitions, loss: Loss): Loss {
  const [, id = '', ...rest] = loss.path.split('/')
  const part = decisions.get(id) ?? services.get(id)
  if (part === undefined) return loss
  const names = [quote(part.name), ...partNames(childOf(part.element, 'decisionTable'), rest)]
  return { ...loss, message: `in ${names.join(', ')}: ${loss.message}` }
}

function partNames(
  table: XmlElement | undefined,
  [list, index, entries, column]: readonly string[],
): readonly string[] {
  if (table === undefined || list === undefined) return []
  if (list !== 'rule') return [columnName(table, list, Number(index))]
  const rule = `rule ${Number(index) + 1}`
  return entries === undefined ? [rule] : [rule, columnName(table, entries.replace('Entry', ''), Number(column))]
}

/** @param kind `input` or `output` */
function columnName(table: XmlElement, kind: string, index: number): string {
  const column = columnAt(table, kind, index)
  const texts = [
    column?.attributes.get('label'),
    column?.attributes.get('name'),
    column && textOf(childOf(column, 'inputExpression')),
  ]
  const name = texts.find((text) => text !== undefined && text.trim() !== '')
  return name === undefined ? `${kind} ${index + 1}` : quote(name.trim())
}

/** The columns precede the rules, which are not scanned. */
function columnAt(table: XmlElement, kind: string, index: number): XmlElement | undefined {
  let number = 0
  for (const child of table.children) if (child.local === kind && number++ === index) return child
  return undefined
}
