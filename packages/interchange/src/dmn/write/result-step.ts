import type { Aggregate, Assignment, Column, DraftStep, TableStep } from '@engine/authoring'
import { parse, printPath } from '@engine/expression'
import { variablePath } from '../../feel/write.ts'
import { aggregateResult, equalResult, listResult } from '../result.ts'
import { isFeelName } from './feel-text.ts'
import type { WrittenPolicy } from './table-text.ts'

/** The steps after a single-result table that belong to it, as the reader of models generates them. */
export interface SingleResult {
  /** The variable with a context of all outputs; undefined: each output is only in its own variable. */
  readonly context: string | undefined
  /** Names of the outputs. */
  readonly names: readonly string[]
  /** Output values when no row matches; undefined: null. */
  readonly defaults: readonly string[] | undefined
  /** The following step. */
  readonly next: string | undefined
}

type StepOf = (id: string | undefined) => DraftStep | undefined
type IsSame = (one: string | undefined, other: string | undefined) => boolean

/** The name of the variable set by a column. */
export const variableOf = (field: string) => field.replace(/^\$/, '')

/** The result of a table with the hit policy `first` or `unique`; undefined when the no-match case leads elsewhere. */
export function singleResult(
  step: TableStep,
  columns: readonly Column[],
  stepOf: StepOf,
  isSame: IsSame,
): SingleResult | undefined {
  const after = onlyAssignment(stepOf(step.nextStepId))
  const entries = after && contextOf(after.assignment.value ?? '', columns)
  const missed = step.defaultNextStepId ?? step.nextStepId
  const plain = { context: undefined, names: columns.map(({ field = '' }) => variableOf(field)), next: step.nextStepId }
  const found = entries === undefined ? plain : { context: after?.assignment.name, names: entries, next: after?.next }
  if (isSame(missed, found.next)) return { ...found, defaults: undefined }
  // The context of outputs that no row has set.
  if (missed === step.nextStepId) return { ...found, defaults: columns.map(() => 'null') }
  const defaults = defaultsIn(onlyAssignment(stepOf(missed)), found, columns)
  return defaults && { ...found, defaults }
}

type Only = { readonly assignment: Assignment; readonly next: string | undefined }

/** The only assignment of a step without other effects. */
export function onlyAssignment(step: DraftStep | undefined): Only | undefined {
  if (step?.type !== 'action' || step.assignments.length !== 1 || (step.externalCalls ?? []).length > 0)
    return undefined
  const [assignment] = step.assignments
  if (assignment === undefined || step.logging !== undefined) return undefined
  return { assignment: { ...assignment, name: variableOf(assignment.name ?? '') }, next: step.nextStepId }
}

/** The output values set by the no-match step, if it leads to the same step as a match. */
function defaultsIn(
  found: Only | undefined,
  { context, names, next }: Omit<SingleResult, 'defaults'>,
  columns: readonly Column[],
): readonly string[] | undefined {
  if (found === undefined || found.next !== next) return undefined
  const { name, value = '' } = found.assignment
  if (context !== undefined) return name === context ? valuesOf(value, names) : undefined
  return columns.length === 1 && name === names[0] ? [value] : undefined
}

/** The keys of an object whose values are exactly the output variables in order; undefined for any other text. */
function contextOf(text: string, columns: readonly Column[]): readonly string[] | undefined {
  const parsed = parse(text)
  if (parsed.kind === 'failed' || parsed.expression.kind !== 'object') return undefined
  const { entries } = parsed.expression
  const isWhole =
    columns.length === entries.length &&
    entries.every(({ value }, index) => {
      const variable = variablePath(variableOf(columns[index]?.field ?? ''), [])
      return value.kind === 'variable' && printPath(value) === variable
    })
  const keys = entries.map(({ key }) => key)
  return isWhole && columns.length > 1 && keys.every(isFeelName) ? keys : undefined
}

/** The values of an object by its keys; undefined unless the text is an object with these keys. */
function valuesOf(text: string, keys: readonly string[]): readonly string[] | undefined {
  const parsed = parse(text)
  if (parsed.kind === 'failed' || parsed.expression.kind !== 'object') return undefined
  const { entries } = parsed.expression
  const values = keys.map((key) => entries.find((entry) => entry.key === key)?.value.span)
  if (entries.length !== keys.length || values.includes(undefined)) return undefined
  return values.map((span) => text.slice(span?.start, span?.end))
}

const AGGREGATIONS: { readonly [Name in Aggregate]: string } = { sum: 'SUM', min: 'MIN', max: 'MAX', count: 'COUNT' }

export function collectPolicy(aggregate: Aggregate | undefined): WrittenPolicy {
  if (aggregate === undefined) return { hitPolicy: 'RULE ORDER' }
  return { hitPolicy: 'COLLECT', aggregation: AGGREGATIONS[aggregate] }
}

/** The policy and default of a table whose list is reduced by the next step, as generated by the reader of models. */
export function resultPolicy(step: TableStep, variable: string, value: string): ResultPolicy | undefined {
  const defaultIn = (result: string) => {
    const [before = '', behind = ''] = result.split(NONE)
    const isResult = value.startsWith(before) && value.endsWith(behind) && value.length > before.length + behind.length
    return isResult ? value.slice(before.length, value.length - behind.length) : undefined
  }
  const equal = defaultIn(equalResult(variable, step.name ?? step.id, NONE))
  if (equal !== undefined) return { policy: { hitPolicy: 'ANY' }, byDefault: notNull(equal) }
  for (const aggregate of ['sum', 'min', 'max', 'count'] as const) {
    const none = defaultIn(aggregateResult(variable, aggregate, NONE))
    if (none !== undefined) return { policy: collectPolicy(aggregate), byDefault: notNull(none) }
  }
  const ofList = defaultIn(listResult(variable, NONE))
  return ofList === undefined ? undefined : { policy: collectPolicy(undefined), byDefault: ofList }
}

/** Placeholder for the default in the text of a result. */
const NONE = '\0'

/** The default, or undefined when it is null anyway. */
const notNull = (byDefault: string) => (byDefault === 'null' ? undefined : byDefault)

interface ResultPolicy {
  readonly policy: WrittenPolicy
  /** In our syntax. */
  readonly byDefault: string | undefined
}
