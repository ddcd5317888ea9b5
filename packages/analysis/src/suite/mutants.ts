import { type Binary, type Expression, isBinaryOf, print } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'

/** A ruleset with one changed part of one condition. */
export interface Mutant {
  readonly step: string
  readonly branch: number
  /** The changed part: `age > 18 -> age >= 18`. */
  readonly change: string
  readonly ruleset: Ruleset
}

const OTHER: Readonly<Partial<Record<Binary['operator'], Binary['operator']>>> = {
  '>': '>=',
  '>=': '>',
  '<': '<=',
  '<=': '<',
  '==': '!=',
  '!=': '==',
  '&&': '||',
  '||': '&&',
}

/** Every mutant of every condition, in the order of the steps. */
export function* mutantsOf(ruleset: Ruleset): Generator<Mutant> {
  for (const step of ruleset.steps.values()) {
    if (step.type !== 'decision') continue
    for (const [branch, { condition }] of step.branches.entries())
      for (const { change, mutated } of mutationsOf(condition)) {
        const branches = step.branches.map((one, index) => (index === branch ? { ...one, condition: mutated } : one))
        const steps = new Map(ruleset.steps).set(step.id, { ...step, branches })
        yield { step: step.id, branch, change, ruleset: { ...ruleset, steps } }
      }
  }
}

interface Mutation {
  readonly change: string
  readonly mutated: Expression
}

/** A comparison that includes its limit, or not; its opposite; `&&` for `||`; an omitted `!`. */
function* mutationsOf(node: Expression): Generator<Mutation> {
  if (node.kind === 'unary' && node.operator === '!') {
    yield { change: changeText(node, node.operand), mutated: node.operand }
    for (const { change, mutated } of mutationsOf(node.operand))
      yield { change, mutated: { ...node, operand: mutated } }
    return
  }
  if (node.kind === 'conditional') {
    for (const part of ['condition', 'consequent', 'alternate'] as const)
      for (const { change, mutated } of mutationsOf(node[part])) yield { change, mutated: { ...node, [part]: mutated } }
    return
  }
  if (node.kind !== 'binary') return
  const operator = OTHER[node.operator]
  if (operator === undefined) return
  const mutated: Expression = { ...node, operator }
  yield { change: changeText(node, mutated), mutated }
  if (!isBinaryOf('logic', node)) return
  for (const { change, mutated: left } of mutationsOf(node.left)) yield { change, mutated: { ...node, left } }
  for (const { change, mutated: right } of mutationsOf(node.right)) yield { change, mutated: { ...node, right } }
}

const changeText = (before: Expression, after: Expression): string => `${print(before)} -> ${print(after)}`
