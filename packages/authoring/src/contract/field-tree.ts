import type { Contract, InputField } from './contract.ts'
import { keysOf } from './use.ts'

/** Input fields by the parts of their paths: `user.age` and `user.name` are members of one node. */
export interface FieldNode {
  /** Undefined: only fields below are declared. */
  own: InputField | undefined
  readonly members: Map<string, FieldNode>
}

/** The fields of an input, as objects within each other. Costs the length of all paths. */
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

/** Whether an input without it is refused: it is required and has no default, or something below it is. */
export function isNeeded({ own, members }: FieldNode): boolean {
  return (own?.required === true && own.default === undefined) || Array.from(members.values()).some(isNeeded)
}

/** Whether null counts as leaving it out. */
export const takesNull = ({ required }: InputField) => required !== true
