import type { ActionStep, TableStep } from '@engine/authoring'
import { lostExpression } from '../placeholder.ts'
import { plainName } from './plain-name.ts'
import type { Conversion, NodeContext } from './conversion.ts'
import type { JdmNode } from './document.ts'
import { type Environment, membersOf, valueAt } from './environment.ts'
import type { Names } from './zen/names.ts'
import { atom } from './zen/text.ts'

/** A step whose successor is not yet known. */
export type OpenStep = Omit<ActionStep, 'nextStepId'> | Omit<TableStep, 'nextStepId'>

/** The converted form of a node: its steps in order, and the object that it passes on. */
export interface NodeSteps {
  readonly steps: readonly OpenStep[]
  readonly output: Environment
}

/** A node on one path through the switches. */
export interface NodeAt {
  readonly conversion: Conversion
  readonly node: JdmNode
  /** Its input. */
  readonly input: Environment
  /** The value of `$nodes.name`. */
  readonly outputOf: Names['node']
  readonly freshVariable: (wanted: string) => string
}

/** The context for translating a node's expressions. @param self value of `$` */
export function contextOf(
  { conversion, node, input, outputOf }: Omit<NodeAt, 'freshVariable'>,
  self: Names['self'],
): NodeContext {
  const names: Names = {
    // A list has no members: reading one fails in ZEN.
    root: (path) => (input.list !== undefined && path.length > 0 ? undefined : valueAt(input, path)),
    self,
    node: outputOf,
    parameter: (depth) => conversion.parameter(depth),
  }
  return { conversion, node, names }
}

export const stepIdOf = (conversion: Conversion, { name }: JdmNode) => conversion.freshId(plainName(name, 'node'))

/**
 * Replaces the result of an unsupported node by a variable.
 *
 * @param original text of the placeholder
 */
export function lostNode({ conversion, node, freshVariable }: NodeAt, what: string, original = what): NodeSteps {
  conversion.lose(node.place, 'no-counterpart', `${what} cannot be converted`)
  const name = freshVariable(plainName(node.name, 'node'))
  const step: OpenStep = {
    id: stepIdOf(conversion, node),
    name: node.name,
    type: 'action',
    assignments: [{ name, value: lostExpression(original) }],
  }
  return { steps: [step], output: membersOf(atom(`$${name}`)) }
}
