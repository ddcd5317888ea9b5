import {
  children,
  type Expression,
  fold,
  type EvaluationPolicy,
  NO_SPAN,
  print,
  rewrite,
  type Segment,
  walk,
} from '@engine/expression'
import { leadsToAnswer, partOfAnswer } from '../formula/answers.ts'
import { settled } from '../formula/operand.ts'
import { FREE } from '../formula/shape.ts'

/** The variables that are set, each as an expression over the input. */
export type Variables = ReadonlyMap<string, Expression>

export const NO_VARIABLES_SET: Variables = new Map()

/** Parts of an expression that is carried along in a variable; a larger one is looked at as an unknown value. */
const MAX_PARTS = 500

/** The same expression over the input alone. A variable that is not set stays, and reads as missing. */
export function substitute(expression: Expression, variables: Variables, policy: EvaluationPolicy): Expression {
  if (variablesOf(expression).size === 0) return expression
  const guarded = rewrite(expression, (node) => {
    const [first] = node.kind === 'call' && node.name === 'exists' ? node.args : []
    const isSet = first?.kind === 'variable' && first.path.length === 0 && variables.has(first.name)
    return isSet ? { kind: 'literal', value: true, span: node.span } : node
  })
  const replaced = rewrite(guarded, (node) => {
    if (node.kind !== 'variable' || node.name.startsWith(FREE)) return node
    const value = variables.get(node.name)
    return value === undefined ? node : settled(memberOf(value, node.path, policy), policy)
  })
  return fold(replaced, policy)
}

/** The value of a variable that was set to an expression over the input, or an unknown value of a short name. */
export function held(value: Expression, nameOf: (text: string) => string): Expression {
  // The same expression over the same input has the same value.
  return partsOf(value) > MAX_PARTS ? freeValue(nameOf(print(value))) : value
}

/** A value of which nothing is known; the same name stands for the same value. */
export function freeValue(name: string): Expression {
  return { kind: 'variable', name: `${FREE}${name}`, path: [], span: NO_SPAN }
}

/** One text for the same values of all variables. */
export function textOf(variables: Variables): string {
  return [...variables]
    .map(([name, value]) => `${name}=${print(value)}`)
    .sort()
    .join('\n')
}

function memberOf(value: Expression, path: readonly Segment[], policy: EvaluationPolicy): Expression {
  if (path.length === 0) return value
  const part = partOfAnswer(value, path)
  if (part !== undefined) return part
  // A default stands for the whole field, and a path into it is not a path into the input. Nothing replaces a missing part of
  // an answer.
  const isPath = value.kind === 'field' && (policy.mode !== 'default' || leadsToAnswer(value.path))
  if (isPath || value.kind === 'variable') return { ...value, path: [...value.path, ...path] }
  if (value.kind === 'field') return freeValue(`${print(value)} ${JSON.stringify(path)}`)
  return { kind: 'member', object: value, path, span: value.span }
}

const READ = new WeakMap<Expression, ReadonlySet<string>>()

/** The names of the variables that an expression reads. */
export function variablesOf(expression: Expression): ReadonlySet<string> {
  const known = READ.get(expression)
  if (known !== undefined) return known
  const names = new Set<string>()
  walk(expression, (node) => {
    if (node.kind === 'variable') names.add(node.name)
  })
  READ.set(expression, names)
  return names
}

function partsOf(expression: Expression): number {
  let count = 0
  const pending = [expression]
  for (let node = pending.pop(); node !== undefined && count <= MAX_PARTS; node = pending.pop()) {
    count++
    pending.push(...children(node))
  }
  return count
}
