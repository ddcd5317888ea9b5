import type { ActionStep, TableStep } from '@engine/authoring'
import { lostExpression } from '../placeholder.ts'
import { plainName } from './plain-name.ts'
import type { Conversion, NodeContext } from './conversion.ts'
import type { JdmNode } from './document.ts'
import { type Environment, membersOf, valueAt } from './environment.ts'
import type { Names } from './zen/names.ts'
import { atom } from './zen/text.ts'

/** A step without the step that follows it. */
export type OpenStep = Omit<ActionStep, 'nextStepId'> | Omit<TableStep, 'nextStepId'>

/** What a node is here: steps in their order, and the object that it hands on. */
export interface NodeSteps {
  readonly steps: readonly OpenStep[]
  readonly output: Environment
}

/** A node in one way through the switches. */
export interface NodeAt {
  readonly conversion: Conversion
  readonly node: JdmNode
  /** The data that it gets. */
  readonly input: Environment
  /** What `$nodes.name` reads. */
  readonly outputOf: Names['node']
  readonly freshVariable: (wanted: string) => string
}

/** What the expressions of a node are translated with. @param self what `$` reads */
export function contextOf(
  { conversion, node, input, outputOf }: Omit<NodeAt, 'freshVariable'>,
  self: Names['self'],
): NodeContext {
  const names: Names = {
    // A list has no members: what reads one of it fails there.
    root: (path) => (input.list !== undefined && path.length > 0 ? undefined : valueAt(input, path)),
    self,
    node: outputOf,
    parameter: (depth) => conversion.parameter(depth),
  }
  return { conversion, node, names }
}

export const stepIdOf = (conversion: Conversion, { name }: JdmNode) => conversion.freshId(plainName(name, 'node'))

/** A variable takes the place of what the node computes. */
export function lostNode({ conversion, node, freshVariable }: NodeAt, what: string): NodeSteps {
  conversion.lose(node.place, node.id, 'no-counterpart', `there is no counterpart for ${what}`)
  const name = freshVariable(plainName(node.name, 'node'))
  const step: OpenStep = {
    id: stepIdOf(conversion, node),
    name: node.name,
    type: 'action',
    assignments: [{ name, value: lostExpression(what) }],
  }
  return { steps: [step], output: membersOf(atom(`$${name}`)) }
}
