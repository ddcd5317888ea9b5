import { at, type Fields, member, type Place } from '@engine/ruleset'
import { plainName } from './plain-name.ts'
import { type NodeContext, translated } from './conversion.ts'
import { objectsIn, optionalText } from './document.ts'
import { type Environment, membersOf, NOTHING, valueAt, wholeOf, withValue } from './environment.ts'
import { joinOf } from './join.ts'
import { columnsOf, type TableColumn } from './table-steps.ts'
import { contextOf, lostNode, type NodeAt, type NodeSteps, stepIdOf } from './node-at.ts'
import { refuseParentheses, testCondition, wholeCondition } from './zen/cell.ts'
import type { Path } from './zen/names.ts'
import { parseZen, parseZenTest } from './zen/parser.ts'
import { allOf, atom, choice, LEVEL, memberOf, NULL, type Text, within } from './zen/text.ts'
import { valueText } from './zen/value.ts'

/** Maximum length of the expression for a loop. */
const MAX_LENGTH = 20_000

/**
 * A node that is executed for each element of a list: one `map`, with the node's computation as its function. The list
 * is the input, or the part of it at `path`. Each result includes its element if the node passes its input through.
 */
export function loopSteps(from: NodeAt, path: Path, passes: boolean): NodeSteps {
  const { conversion, node, input, freshVariable } = from
  const element = atom(conversion.loopParameter)
  const inner: NodeAt = { ...from, input: membersOf(element) }
  const result = node.type === 'expressionNode' ? ofExpressions(inner, passes) : ofTable(inner, passes)
  if (result === undefined) return lostNode(from, 'such a node in the execution mode `loop`')
  const list = input.list ?? valueAt(input, path)
  const value = `map(${list.text}, ${element.text} => ${within(LEVEL.or, result)})`
  if (value.length > MAX_LENGTH) return lostNode(from, 'such a long computation in the execution mode `loop`')
  const name = freshVariable(plainName(node.name, 'results'))
  const assignments = [{ name, value }]
  return {
    steps: [{ id: stepIdOf(conversion, node), name: node.name, type: 'action', assignments }],
    output: { ...NOTHING, list: atom(`$${name}`, 'list') },
  }
}

/** The object for an element, merged with the element itself. */
function withElement({ conversion, node, input }: NodeAt, output: Environment, passes: boolean): Text {
  if (!passes) return wholeOf(output)
  return wholeOf(joinOf(input, output, (difference) => conversion.note(difference, node.place)))
}

function ofExpressions(from: NodeAt, passes: boolean): Text | undefined {
  const { conversion, node } = from
  const content = at(node.place, 'content')
  let output: Environment = NOTHING
  for (const { fields, place } of objectsIn(node.content, 'expressions', content, conversion.losses)) {
    const key = optionalText(fields, 'key', place, conversion.losses)
    const value = optionalText(fields, 'value', place, conversion.losses)
    if (key === '' || value.trim() === '') continue
    const computed = output
    const context = contextOf(from, (own) => (own.length === 0 ? undefined : valueAt(computed, own)))
    const text = translatedAt(context, at(place, 'value'), value)
    if (text === undefined || text.text.length > MAX_LENGTH) return undefined
    output = withValue(output, key.split('.'), { text }, () => conversion.note('join', place))
  }
  return withElement(from, output, passes)
}

function translatedAt(context: NodeContext, place: Place, value: string): Text | undefined {
  return translated(context, place, (around) => valueText(parseZen(value), around))
}

/** A table as a chain of conditionals: the first matching rule. */
function ofTable(from: NodeAt, passes: boolean): Text | undefined {
  const { conversion, node } = from
  if ((member(node.content, 'hitPolicy') ?? 'first') !== 'first') return undefined
  const content = at(node.place, 'content')
  const inputs = columnsOf(from, 'inputs')
  const outputs = columnsOf(from, 'outputs')
  let chain = withElement(from, NOTHING, passes)
  for (const { fields, place } of objectsIn(node.content, 'rules', content, conversion.losses).toReversed()) {
    const tests = inputs.map((column) => cellCondition(from, column, fields, place))
    let output: Environment = NOTHING
    for (const { id, field } of outputs) {
      const cell = optionalText(fields, id, place, conversion.losses)
      if (field === '' || cell.trim() === '') continue
      const text = translatedAt(
        contextOf(from, () => undefined),
        at(place, id),
        cell,
      )
      if (text === undefined) return undefined
      output = withValue(output, field.split('.'), { text }, () => conversion.note('join', place))
    }
    const known = tests.filter((test) => test !== undefined)
    if (known.length < tests.length) return undefined
    chain = choice(allOf(...known), withElement(from, output, passes), chain)
    if (chain.text.length > MAX_LENGTH) return undefined
  }
  return chain
}

/** The condition of a cell; undefined after a loss. */
function cellCondition(from: NodeAt, column: TableColumn, rule: Fields, place: Place): Text | undefined {
  const { id, field } = column
  const cell = optionalText(rule, id, place, from.conversion.losses)
  if (cell.trim() === '') return allOf()
  const plain = contextOf(from, () => undefined)
  const value = field === '' ? NULL : translatedAt(plain, at(column.place, 'field'), field)
  if (value === undefined) return undefined
  const context = contextOf(from, (path) => (field === '' ? undefined : path.reduce(memberOf, value)))
  return translated(context, at(place, id), (around) => {
    if (field === '') return wholeCondition(parseZenTest(cell, false), around)
    refuseParentheses(cell)
    return testCondition(parseZenTest(cell), around)
  })
}
