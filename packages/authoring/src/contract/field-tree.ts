import type { Contract, InputField } from './contract.ts'
import { keysOf } from './contract-use.ts'

/** Input fields as a tree of their path segments: `user.age` and `user.name` are members of one node. */
export interface FieldNode {
  /** Undefined when only nested fields are declared. */
  own: InputField | undefined
  readonly members: Map<string, FieldNode>
}

/** The input fields as a tree of nested objects. Linear in the total length of all paths. */
export function fieldTree({ input }: Pick<Contract, 'input'>): FieldNode {
  const root: FieldNode = { own: undefined, members: new Map() }
  for (const field of input.fields) {
    const node = keysOf(field.name).reduce((at, key) => {
      const known = at.members.get(key) ?? { own: undefined, members: new Map() }
      at.members.set(key, known)
      return known
    }, root)
    node.own = field
  }
  return root
}

/** Whether an input without it is rejected: it, or a field below it, is required and has no default. */
export function isNeeded({ own, members }: FieldNode): boolean {
  return (own?.required === true && own.default === undefined) || Array.from(members.values()).some(isNeeded)
}

/** Whether null counts as absent. */
export const takesNull = ({ required }: InputField) => required !== true
