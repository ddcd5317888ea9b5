import {
  constantOf,
  defined,
  type EvaluationPolicy,
  type Expression,
  type Field,
  isNumber,
  NO_SPAN,
  orderOf,
  print,
  type Segment,
} from '@engine/expression'
import type { ExternalCall } from '@engine/ruleset'
import type { Literal } from '../search/solver.ts'
import { sortedText } from '../terms/term.ts'

/** Begins the names of the members that stand for answers of external calls among those of the input. */
const ANSWER = 'answer of '

/** An external call whose answer is awaited, over the input and earlier answers. */
export interface AskedCall {
  readonly service: string
  readonly method: string
  /** By name: an object. */
  readonly parameters: Expression
  /** The parameters of earlier calls of the same method that may be equal to these, and unknown values for calls of which nothing is known. */
  readonly earlier: readonly Expression[]
  readonly policy: EvaluationPolicy
  /** The call fails. */
  readonly fails: Literal
  /** The member that stands for the answer: `payload` and `metadata`. */
  readonly member: string
}

/** The member that stands for an answer; the name distinguishes calls of one method. */
export function answerMember({ service, method }: Pick<ExternalCall, 'service' | 'method'>, name: string): string {
  return `${ANSWER}${service}.${method} ${name}`
}

/** Whether a path is that of an answer, or of a field of the input with a similar name. */
export function leadsToAnswer([first]: readonly Segment[]): boolean {
  return first?.kind === 'name' && first.name.startsWith(ANSWER)
}

/** The value of the result variable of a call. */
export function answerOf({ service, method }: Pick<ExternalCall, 'service' | 'method'>, member: string): Expression {
  const text = (value: string): Expression => ({ kind: 'literal', value, span: NO_SPAN })
  const values = {
    capability: text(service),
    operation: text(method),
    payload: fieldOfAnswer(member, 'payload'),
    metadata: fieldOfAnswer(member, 'metadata'),
  }
  return { kind: 'object', entries: Object.entries(values).map(([key, value]) => ({ key, value })), span: NO_SPAN }
}

/** The field that stands for a part of an answer. */
export function fieldOfAnswer(member: string, part: 'payload' | 'metadata'): Field {
  const names = [member, part].map((name) => ({ kind: 'name', name }) as const)
  return { kind: 'field', path: names, span: NO_SPAN }
}

/** The part of an answer at a path; undefined for other values and paths. */
export function partOfAnswer(value: Expression, [first, ...rest]: readonly Segment[]): Expression | undefined {
  if (value.kind !== 'object' || first?.kind !== 'name') return undefined
  const part = value.entries.find(({ key }) => key === first.name)?.value
  const isOfAnswer = value.entries.some(({ value: one }) => one.kind === 'field' && leadsToAnswer(one.path))
  if (!isOfAnswer || part === undefined) return undefined
  if (part.kind === 'field') return { ...part, path: [...part.path, ...rest] }
  return rest.length === 0 ? part : undefined
}

/** The parameters of a call as one object. */
export function parametersOf({ params }: ExternalCall, values: readonly Expression[]): Expression {
  const members = new Map(params.map(([key], index) => [key, defined(values[index])]))
  return { kind: 'object', entries: Array.from(members, ([key, value]) => ({ key, value })), span: NO_SPAN }
}

/** Whether two objects of parameters may be equal: not if a member of one is missing in the other, or is another constant. */
export function mayBeEqual(one: Expression, other: Expression): boolean {
  if (one.kind !== 'object' || other.kind !== 'object') return true
  if (one.entries.length !== other.entries.length) return false
  return one.entries.every(({ key, value }) => {
    const second = other.entries.find((entry) => entry.key === key)?.value
    return second !== undefined && !areApart(value, second)
  })
}

function areApart(one: Expression, other: Expression): boolean {
  const [left, right] = [constantOf(one), constantOf(other)]
  if (left === undefined || right === undefined) return false
  if (isNumber(left) && isNumber(right)) return orderOf(left, right) !== 0
  // Numbers inside are compared as texts: two of them may be equal though their texts differ.
  const isPlain = [left, right].every((value) => value === null || typeof value !== 'object' || isNumber(value))
  return isPlain && sortedText(left) !== sortedText(right)
}

/** What identifies a call under one policy. */
export type CallText = Pick<AskedCall, 'service' | 'method' | 'parameters' | 'earlier'>

/** Calls with equal texts have the same answer. */
export function textOfCall({ service, method, parameters, earlier }: CallText): string {
  return `${JSON.stringify([service, method])} ${print(parameters)} after ${earlier.map(print).join()}`
}
