import { isList, print, quote, type Value } from '@engine/expression'
import { type Fields, isFields, member, type Message, type Place, type Step } from '@engine/ruleset'
import { fieldsAt, pairsIn } from './document-members.ts'
import { below } from '../place.ts'
import { messages, type Report } from '../problem.ts'
import { type EditorAction, editorCall } from './call.ts'
import { literalText, textOf, writtenText } from './expression.ts'
import { tableOf } from './table.ts'

/** State of converting one graph to the editor's format. */
export interface Graph {
  readonly report: Report
  /** The decoded steps of the ruleset; empty for a sub-rule, whose messages are not evaluated. */
  readonly decoded: ReadonlyMap<string, Step>
  /** An unused step id. */
  freshId(wanted: string): string
}

type Editor = { readonly [key: string]: Value }
/** The members common to both formats. */
type Head = { readonly id: string; readonly name?: Value; readonly description?: Value }

/** The editor steps of one engine step; the first keeps its id. */
export function editorSteps(graph: Graph, place: Place, id: string, step: Fields): readonly Editor[] {
  const head = { id, ...('name' in step && { name: member(step, 'name') ?? id }), ...described(step) }
  switch (member(step, 'type')) {
    case 'decision':
      return decision(graph, place, head, step)
    case 'action':
      return actionSteps(graph, below(place, 'actions'), head, list(step, 'actions'), writtenText(step, 'next_step'))
    case 'terminal':
      return [terminal(graph, head, fieldsAt(step, 'result'))]
    default:
      return [subRule(head, step)]
  }
}

function described(step: Fields): Pick<Head, 'description'> {
  const description = member(step, 'description')
  return description === undefined ? {} : { description }
}

function list(fields: Fields, key: string): readonly Value[] {
  const value = member(fields, key)
  return isList(value) ? value : []
}

function decision(graph: Graph, place: Place, head: Head, step: Fields): readonly Editor[] {
  const branches = list(step, 'branches').filter(isFields)
  const otherwise = member(step, 'default_next') ?? undefined
  const rest = otherwise === undefined ? {} : { defaultNextStepId: otherwise }
  const table = tableOf(branches)
  if (table !== undefined) return [{ ...head, type: 'table', hitPolicy: 'first', ...table, ...rest }]
  const added: Editor[] = []
  const converted = branches.map((branch, index): Value => {
    const actions = list(branch, 'actions')
    const condition = conditionText(member(branch, 'condition'))
    const target = writtenText(branch, 'next_step')
    if (actions.length === 0) return { id: `b${index + 1}`, condition, nextStepId: target }
    const id = graph.freshId(`${head.id}~b${index + 1}`)
    added.push(...actionSteps(graph, below(place, 'branches', index, 'actions'), { id }, actions, target))
    return { id: `b${index + 1}`, condition, nextStepId: id }
  })
  return [{ ...head, type: 'decision', branches: converted, ...rest }, ...added]
}

/** A null condition counts as true. */
function conditionText(value: Value | undefined): string {
  return value === null ? 'true' : textOf(value)
}

/** Splits actions into steps: one step has assignments, then calls, then one log; any other order starts a new step. */
function actionSteps(
  graph: Graph,
  place: Place,
  head: Head,
  actions: readonly Value[],
  nextStepId: string,
): readonly Editor[] {
  const groups: EditorAction[][] = [[]]
  for (const [index, action] of actions.entries()) {
    const converted = isFields(action) ? editorAction(graph.report, below(place, index), action) : undefined
    if (converted === undefined) continue
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && (converted.order < last.order || last.order === LOG)) groups.push([])
    groups.at(-1)?.push(converted)
  }
  const ids = groups.map((_, index) => (index === 0 ? head.id : graph.freshId(`${head.id}~${index + 1}`)))
  return groups.map((group, index) => ({
    ...(index === 0 ? head : { id: ids[index] ?? head.id }),
    type: 'action',
    assignments: group.filter(({ order }) => order === SET).map(({ value }) => value),
    ...(group.some(({ order }) => order === CALL) && {
      externalCalls: group.filter(({ order }) => order === CALL).map(({ value }) => value),
    }),
    ...Object.fromEntries(group.filter(({ order }) => order === LOG).map(({ value }) => ['logging', value])),
    nextStepId: ids[index + 1] ?? nextStepId,
  }))
}

const SET = 0
const CALL = 1
const LOG = 2

function editorAction(report: Report, place: Place, action: Fields): EditorAction | undefined {
  switch (member(action, 'action')) {
    case 'set_variable':
      return { order: SET, value: { name: writtenText(action, 'name'), value: textOf(member(action, 'value')) } }
    case 'external_call':
      return { order: CALL, value: editorCall(action) }
    case 'log':
      return {
        order: LOG,
        value: { message: literalText(writtenText(action, 'message')), level: member(action, 'level') ?? 'info' },
      }
    default:
      return report.error(place, messages.notConvertible(`${quote(writtenText(action, 'action'))} actions`))
  }
}

function terminal(graph: Graph, head: Head, result: Fields): Editor {
  const { code, message, output, ...fields } = result
  const isEvaluated =
    isList(output) && output.every((item) => isList(item) && item.length === 2 && typeof item[0] === 'string')
  const plain = Object.entries(isEvaluated || output === undefined ? fields : { ...fields, output })
  const pairs = isEvaluated ? pairsIn(output) : []
  const outputs = [
    ...plain.map(([name, value]): Value => ({ name, value: literalText(value) })),
    ...pairs.map(([name, value]): Value => ({ name, value: textOf(value) })),
  ]
  const step = graph.decoded.get(head.id)
  const written = step?.type === 'terminal' ? messageText(step.message) : literalText(message ?? '')
  return {
    ...head,
    type: 'terminal',
    code: code ?? '',
    message: written,
    ...(outputs.length > 0 && { output: outputs }),
  }
}

/** The expression for a message: a string literal, or the concatenated parts of a template. */
function messageText(message: Message): string {
  if (message.kind === 'text') return literalText(message.text)
  return message.parts
    .map((part) => (typeof part === 'string' ? literalText(part) : `to_string(${print(part)})`))
    .join(' + ')
}

function subRule(head: Head, step: Fields): Editor {
  const pairs = (key: string) => pairsIn(member(step, key))
  return {
    ...head,
    type: 'sub_rule',
    refName: writtenText(step, 'ref_name'),
    bindings: pairs('bindings').map(([field, value]) => ({ field, expr: textOf(value) })),
    outputs: pairs('outputs').map(([parentVar, childVar]) => ({ parentVar, childVar })),
    nextStepId: writtenText(step, 'next_step'),
  }
}
