import type { Assignment } from '@engine/authoring'
import { at } from '@engine/ruleset'
import { plainName } from './plain-name.ts'
import { lostExpression } from '../placeholder.ts'
import { type NodeContext, translated } from './conversion.ts'
import { objectsIn, optionalText } from './document.ts'
import { type Environment, NOTHING, valueAt, withValue } from './environment.ts'
import { contextOf, type NodeAt, type NodeSteps, stepIdOf } from './node-at.ts'
import { parseZen } from './zen/parser.ts'
import { atom } from './zen/text.ts'
import { valueText } from './zen/value.ts'

/**
 * `$` and the input as a whole have no equivalent: ZEN adds the computed values to both as the member `$`, including
 * those that are computed later.
 */
function ownContext(from: NodeAt, output: Environment): NodeContext {
  // When the node receives a list, the computed values are not members of anything.
  const read = from.input.list === undefined ? output : NOTHING
  const context = contextOf(from, (path) => (path.length === 0 ? undefined : valueAt(read, path)))
  const { names } = context
  return { ...context, names: { ...names, root: (path) => (path.length === 0 ? undefined : names.root(path)) } }
}

/** One action that sets a variable for each key. `$.key` reads previously computed values. */
export function expressionSteps(from: NodeAt): NodeSteps {
  const { conversion, node, freshVariable } = from
  let output: Environment = NOTHING
  const assignments: Assignment[] = []
  const content = at(node.place, 'content')
  for (const { fields, place } of objectsIn(node.content, 'expressions', content, conversion.losses)) {
    const key = optionalText(fields, 'key', place, conversion.losses)
    const value = optionalText(fields, 'value', place, conversion.losses)
    if (key === '' || value.trim() === '') continue
    const text = translated(ownContext(from, output), at(place, 'value'), (around) =>
      valueText(parseZen(value), around),
    )
    const name = freshVariable(plainName(key, 'value'))
    assignments.push({ name, value: text?.text ?? lostExpression(value) })
    const computed = { text: atom(`$${name}`, text?.type ?? 'unknown') }
    output = withValue(output, key.split('.'), computed, () => conversion.note('join', place))
  }
  return {
    steps: [{ id: stepIdOf(conversion, node), name: node.name, type: 'action', assignments }],
    output,
  }
}
