import { isList, keysOfPointer, quote, type Value } from '@engine/expression'
import { type Fields, isFields, member } from '@engine/ruleset'
import type { Loss } from '../conversion-result.ts'

/**
 * A loss whose message begins with its position in the terms of the editor: the name of the node and, within it, the
 * row and column of a cell, the key of an expression or the branch of a switch. Linear in the columns of the node.
 */
export function namedLoss(document: Value, loss: Loss): Loss {
  const [list, index, ...rest] = keysOfPointer(loss.path)
  const node = list === 'nodes' ? itemAt(document, list, index) : undefined
  if (node === undefined) return loss
  const names = [textAt(node, 'name') ?? textAt(node, 'id'), ...partNames(member(node, 'content'), rest.slice(1))]
  const known = names.filter((name) => name !== undefined)
  return known.length === 0 ? loss : { ...loss, message: `in ${known.join(', ')}: ${loss.message}` }
}

function partNames(content: Value | undefined, [list, index, key]: readonly string[]): readonly (string | undefined)[] {
  if (list === undefined || index === undefined) return []
  const number = Number(index) + 1
  const part = itemAt(content, list, index)
  switch (list) {
    case 'rules':
      return [`row ${number}`, columnWith(content, key)]
    case 'inputs':
    case 'outputs':
      return [titleOf(part) ?? `column ${number} of the ${list}`]
    case 'expressions':
      return [textAt(part, 'key') ?? `expression ${number}`]
    case 'statements':
      return [`branch ${number}`]
    default:
      return []
  }
}

const titleOf = (column: Fields | undefined) => textAt(column, 'name') ?? textAt(column, 'field')

function columnWith(content: Value | undefined, id: string | undefined): string | undefined {
  const columns = ['inputs', 'outputs'].flatMap((list) => listAt(content, list)).filter(isFields)
  return titleOf(columns.find((column) => member(column, 'id') === id))
}

function listAt(value: Value | undefined, key: string): readonly Value[] {
  const list = isFields(value) ? member(value, key) : undefined
  return list !== undefined && isList(list) ? list : []
}

function itemAt(value: Value | undefined, list: string, index: string | undefined): Fields | undefined {
  const item = listAt(value, list)[Number(index)]
  return isFields(item) ? item : undefined
}

/** A quoted text; undefined if it is empty or not a text. */
function textAt(fields: Fields | undefined, key: string): string | undefined {
  const value = fields && member(fields, key)
  return typeof value === 'string' && value.trim() !== '' ? quote(value) : undefined
}
