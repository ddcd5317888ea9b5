import { isList, isObject, type Value } from '@engine/expression'

type Fields = { readonly [name: string]: Value }

const fieldsOf = (value: Value | undefined): Fields => (isObject(value ?? null) ? (value as Fields) : {})
const listOf = (value: Value | undefined): readonly Fields[] =>
  isList(value ?? null) ? (value as readonly Fields[]) : []

/** The nodes of a document and then its edges as text, a line for each. */
export function documentLines(document: Value | undefined): readonly string[] {
  const { nodes, edges, ...rest } = fieldsOf(document)
  return [
    ...listOf(nodes).map(({ id, type, name, position, content }) => {
      const { x, y } = fieldsOf(position)
      return `${text(id)} ${text(type)} "${text(name)}" at ${text(x)},${text(y)}${contentText(fieldsOf(content))}`
    }),
    ...listOf(edges).map(({ id, type, sourceId, sourceHandle, targetId }) => {
      const handle = sourceHandle === undefined ? '' : ` ${text(sourceHandle)}`
      return `${text(id)} ${text(type)} ${text(sourceId)}${handle} -> ${text(targetId)}`
    }),
    ...Object.entries(rest).map(([name, value]) => `${name} ${text(value)}`),
  ]
}

function contentText({ expressions, statements, inputs, outputs, rules, ...options }: Fields): string {
  const own = Object.entries(options).map(([name, value]) => `${name} ${text(value)}`)
  const parts = [
    ...listOf(expressions).map(({ id, key, value }) => `${text(id)} ${text(key)} = ${text(value)}`),
    ...listOf(statements).map(
      ({ id, condition, isDefault }) => `${text(id)} ${isDefault === true ? 'default' : ''} ${text(condition)}`,
    ),
    ...listOf(inputs).map(({ id, name, field }) => `${text(id)} "${text(name)}" ${text(field)}`),
    ...listOf(outputs).map(({ id, name, field }) => `${text(id)} "${text(name)}" ${text(field)}`),
    ...listOf(rules).map((rule) =>
      Object.entries(rule)
        .map(([name, value]) => `${name} ${text(value)}`)
        .join(', '),
    ),
  ]
  return own.length + parts.length === 0 ? '' : `: ${[own.join(', '), ...parts].join(' | ')}`
}

const text = (value: Value | undefined) => (typeof value === 'string' ? value : JSON.stringify(value))
