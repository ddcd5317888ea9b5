import type {
  ActionStep,
  Aggregate,
  Assignment,
  Column,
  DraftRuleset,
  DraftStep,
  TableStep,
  TerminalStep,
} from '@engine/authoring'
import { parse, printPath, walk } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'
import type { Exported } from '../../imported.ts'
import { Losses } from '../../losses.ts'
import { lostExpression } from '../../placeholder.ts'
import { variablePath } from '../../feel/write.ts'
import { dmnLosses } from '../losses.ts'
import { aggregateResult, equalResult } from '../result.ts'
import { type FeelTarget, feelOf, isFeelName, NoFeel } from './feel-text.ts'
import { ModelWriter, neededBy, type WrittenDecision } from './model.ts'
import { writeLosses } from './losses.ts'
import { feelType, tableText, type WrittenOutput, type WrittenPolicy } from './table-text.ts'
import { modelText, textElement } from './xml-text.ts'

/**
 * A draft as a decision model (DMN 1.3): of each table a decision table, of each assignment a literal expression, in the order
 * of the steps, which has to be one: DMN has no branches. The code and the message of a terminal have no form there. Costs the
 * size of the draft.
 */
export function toDmn(draft: DraftRuleset): Exported<string> {
  const losses = new Losses()
  const writer = new DraftWriter(draft, losses)
  const document = writer.document()
  return { document, lost: losses.lost }
}

class DraftWriter {
  readonly #draft: DraftRuleset
  readonly #losses: Losses
  readonly #model: ModelWriter
  readonly #indexes: ReadonlyMap<string, number>

  constructor(draft: DraftRuleset, losses: Losses) {
    this.#draft = draft
    this.#losses = losses
    this.#model = new ModelWriter(inputNames(draft))
    this.#indexes = new Map(draft.steps.map(({ id }, index) => [id, index]))
  }

  document(): string | undefined {
    const terminal = this.#follow()
    if (terminal === undefined) return undefined
    const top = this.#top(terminal)
    const needed = neededBy(top)
    const unused = this.#model.decisions.filter((decision) => !needed.has(decision))
    for (const { name } of unused) this.#losses.warn(at(undefined, 'steps'), writeLosses.unused(name))
    const decisions = this.#model.decisions.filter((decision) => needed.has(decision))
    const used = new Set(decisions.flatMap(({ inputs }) => [...inputs]))
    const inputs = new Map([...this.#model.inputTypes].filter(([name]) => used.has(name)))
    const { name, description } = this.#draft.config
    return modelText({ name, description, members: this.#model.members, inputs, decisions })
  }

  /** The terminal at which the steps end; undefined: they do not follow each other. */
  #follow(): TerminalStep | undefined {
    const seen = new Set<string>()
    let id = this.#draft.startStepId
    for (;;) {
      const step = this.#step(id)
      if (step === undefined || seen.has(step.id))
        return this.#losses.error(at(undefined, 'steps'), writeLosses.noOrder())
      seen.add(step.id)
      switch (step.type) {
        case 'terminal':
          return step
        case 'decision':
        case 'sub_rule':
          return this.#losses.error(this.#place(step), writeLosses.step(step.type))
        case 'action':
          this.#action(step)
          id = step.nextStepId
          break
        case 'table':
          id = this.#table(step)
          if (id === undefined) return undefined
      }
    }
  }

  #step(id: string | undefined): DraftStep | undefined {
    return this.#draft.steps[this.#indexes.get(id ?? '') ?? -1]
  }

  #place(step: DraftStep): Place {
    return at(at(undefined, 'steps'), this.#indexes.get(step.id) ?? 0)
  }

  #action(step: ActionStep): void {
    const place = this.#place(step)
    if ((step.externalCalls ?? []).length > 0) this.#losses.error(at(place, 'externalCalls'), writeLosses.calls())
    if (step.logging !== undefined) this.#losses.warn(at(place, 'logging'), writeLosses.logging())
    for (const [index, { name = '', value = '' }] of step.assignments.entries()) {
      const own = at(at(at(place, 'assignments'), index), 'value')
      const decision = this.#expression(this.#model.nameFor(name), value, own)
      this.#model.bind(name, decision)
    }
  }

  /** A decision of one expression. */
  #expression(name: string, value: string, place: Place): WrittenDecision {
    const write = (target: FeelTarget) => textElement('literalExpression', this.#feel(value, place, target))
    return this.#model.add(name, write, (deviation) => this.#losses.warn(place, dmnLosses[deviation]()))
  }

  #feel(value: string, place: Place, target: FeelTarget): string {
    try {
      return feelOf(value, target)
    } catch (error) {
      if (!(error instanceof NoFeel)) throw error
      this.#losses.error(place, writeLosses.expression(value, error.message))
      return lostExpression(value)
    }
  }

  /** Writes a table with the steps behind it that belong to it; gives the id of the next one, undefined after a loss. */
  #table(step: TableStep): string | undefined {
    const place = this.#place(step)
    const outputs = step.columns.filter(({ kind }) => kind === 'output')
    if (outputs.length === 0) return this.#losses.error(at(place, 'columns'), writeLosses.noOutputs())
    if (step.rows.some(({ nextStepId }) => nextStepId !== undefined && !this.#isSame(nextStepId, step.nextStepId)))
      return this.#losses.error(at(place, 'rows'), writeLosses.routes())
    if (step.rows.some(({ disabled }) => disabled === true))
      this.#losses.warn(at(place, 'rows'), writeLosses.disabled())
    return step.hitPolicy === 'collect' ? this.#collect(step, outputs) : this.#single(step, outputs)
  }

  /** Whether two targets decide the same: one step, or terminals that differ in their codes only, which have no form. */
  #isSame(one: string | undefined, other: string | undefined): boolean {
    if (one === other) return true
    const [left, right] = [this.#step(one), this.#step(other)]
    if (left?.type !== 'terminal' || right?.type !== 'terminal') return false
    if (JSON.stringify([left.output, left.message]) !== JSON.stringify([right.output, right.message])) return false
    this.#losses.error(at(this.#place(right), 'code'), writeLosses.codes())
    return true
  }

  #single(step: TableStep, columns: readonly Column[]): string | undefined {
    const place = this.#place(step)
    for (const { field = '' } of columns)
      if (this.#model.has(variableOf(field))) return this.#losses.error(place, writeLosses.reassigned(field))
    const after = this.#assignment(step.nextStepId)
    const entries = after && contextOf(after.assignment.value ?? '', columns)
    const missed = step.defaultNextStepId ?? step.nextStepId
    const next = entries === undefined ? step.nextStepId : after?.next
    const isPlain = this.#isSame(missed, next) || this.#isSame(missed, step.nextStepId)
    const defaults = isPlain ? undefined : this.#defaults(missed, next, after?.assignment.name, columns, entries)
    if (!isPlain && defaults === undefined)
      return this.#losses.error(at(place, 'defaultNextStepId'), writeLosses.routes())
    const names = entries ?? columns.map(({ field = '' }) => variableOf(field))
    const outputs = columns.map((column, index) => ({
      column,
      name: names[index] ?? '',
      byDefault: defaults?.[index],
    }))
    const [only] = names
    const wanted =
      entries === undefined
        ? columns.length === 1
          ? (only ?? '')
          : (step.name ?? step.id)
        : (after?.assignment.name ?? '')
    const decision = this.#writeTable(step, this.#model.nameFor(wanted), outputs, {
      hitPolicy: step.hitPolicy === 'unique' ? 'UNIQUE' : 'FIRST',
    })
    if (entries !== undefined) this.#model.bind(after?.assignment.name ?? '', decision)
    for (const { column, name } of outputs)
      this.#model.bind(variableOf(column.field ?? ''), decision, columns.length === 1 ? undefined : name)
    return next
  }

  /** The one assignment of a step that does nothing else. */
  #assignment(
    id: string | undefined,
  ): { readonly assignment: Assignment; readonly next: string | undefined } | undefined {
    const step = this.#step(id)
    if (step?.type !== 'action' || step.assignments.length !== 1 || (step.externalCalls ?? []).length > 0)
      return undefined
    const [assignment] = step.assignments
    return assignment && step.logging === undefined ? { assignment, next: step.nextStepId } : undefined
  }

  /** What a step that is reached without a match gives the outputs, before it leads where a match does. */
  #defaults(
    missed: string | undefined,
    next: string | undefined,
    result: string | undefined,
    columns: readonly Column[],
    entries: readonly string[] | undefined,
  ): readonly string[] | undefined {
    const found = this.#assignment(missed)
    if (found === undefined || found.next !== next) return undefined
    const { name, value = '' } = found.assignment
    if (entries === undefined)
      return columns.length === 1 && name === variableOf(columns[0]?.field ?? '') ? [value] : undefined
    return name === result ? valuesOf(value, entries) : undefined
  }

  #collect(step: TableStep, columns: readonly Column[]): string | undefined {
    const place = this.#place(step)
    const [column] = columns
    if (column === undefined || columns.length > 1) return this.#losses.error(at(place, 'columns'), writeLosses.lists())
    if (step.rows.some(({ cells }) => (cells[column.id] ?? '').trim() === ''))
      return this.#losses.error(at(place, 'rows'), writeLosses.emptyOutput())
    const variable = variableOf(column.field ?? '')
    const after = this.#assignment(step.nextStepId)
    const isResult = after?.assignment.name === variable && step.aggregate === undefined
    const own = isResult ? resultPolicy(step, variable, after.assignment.value ?? '') : undefined
    const policy = own?.policy ?? collectPolicy(step.aggregate)
    const byDefault = own?.byDefault ?? (step.aggregate === 'sum' ? '0' : 'null')
    const output = { column, name: variable, byDefault: byDefault === 'null' ? undefined : byDefault }
    const decision = this.#writeTable(step, this.#model.nameFor(variable), [output], policy)
    this.#model.bind(variable, decision)
    return own === undefined ? step.nextStepId : after?.next
  }

  #writeTable(
    step: TableStep,
    name: string,
    outputs: readonly WrittenOutput[],
    policy: WrittenPolicy,
  ): WrittenDecision {
    const place = this.#place(step)
    const lose = (row: number, { id }: Column, reason: string) => {
      const cell = step.rows[row]?.cells[id] ?? ''
      this.#losses.error(at(at(at(at(place, 'rows'), row), 'cells'), id), writeLosses.expression(cell, reason))
      return lostExpression(cell)
    }
    const deviations = new Set<string>()
    const decision = this.#model.add(
      name,
      (target) => {
        try {
          return tableText({ step, policy, outputs, lose }, target)
        } catch (error) {
          if (!(error instanceof NoFeel)) throw error
          this.#losses.error(at(place, 'columns'), writeLosses.expression(step.id, error.message))
          return textElement('literalExpression', lostExpression(step.id))
        }
      },
      (deviation) => {
        if (!deviations.has(deviation)) this.#losses.warn(place, dmnLosses[deviation]())
        deviations.add(deviation)
      },
    )
    for (const { kind, field = '', type } of step.columns)
      if (kind === 'input' && isFeelName(field)) this.#model.inputTypes.set(field, feelType(type))
    return decision
  }

  /** The decision whose result is the output of the terminal. */
  #top(step: TerminalStep): WrittenDecision {
    const place = this.#place(step)
    if (step.code !== 'DECIDED') this.#losses.warn(at(place, 'code'), writeLosses.code(step.code ?? ''))
    if (step.message !== undefined) this.#losses.warn(at(place, 'message'), writeLosses.message())
    const output = step.output ?? []
    const [only] = output
    const variable = only === undefined ? undefined : /^\$(\w+)$/.exec(only.value ?? '')?.[1]
    const whole = variable === undefined ? undefined : this.#model.wholeResult(variable)
    if (output.length === 1 && whole !== undefined && whole.name === only?.name) return whole
    const context = `{${output.map(({ name = '', value = 'null' }) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`
    return this.#expression(this.#model.nameFor('output'), context, at(place, 'output'))
  }
}

const variableOf = (field: string) => field.replace(/^\$/, '')

/** Names of the first level of the input, by all expressions. */
function inputNames(draft: DraftRuleset): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (text: string | undefined) => {
    const parsed = parse(text ?? '')
    if (parsed.kind === 'failed') return
    walk(parsed.expression, (node) => {
      const [first] = node.kind === 'field' ? node.path : []
      if (first?.kind === 'name') names.add(first.name)
    })
  }
  for (const step of draft.steps) {
    if (step.type === 'action') for (const { value } of step.assignments) add(value)
    if (step.type === 'terminal') for (const { value } of step.output ?? []) add(value)
    if (step.type !== 'table') continue
    for (const { kind, field } of step.columns) if (kind === 'input') add(field)
    for (const { cells } of step.rows) for (const cell of Object.values(cells)) add(cell.trim().replace(/^\?/, ''))
  }
  return names
}

/** The keys of an object whose values are the output variables, in their order; undefined: the text is none. */
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

/** The values of an object by its keys; undefined: the text is none with these keys. */
function valuesOf(text: string, keys: readonly string[]): readonly string[] | undefined {
  const parsed = parse(text)
  if (parsed.kind === 'failed' || parsed.expression.kind !== 'object') return undefined
  const { entries } = parsed.expression
  const values = keys.map((key) => entries.find((entry) => entry.key === key)?.value.span)
  if (entries.length !== keys.length || values.includes(undefined)) return undefined
  return values.map((span) => text.slice(span?.start, span?.end))
}

const AGGREGATIONS: { readonly [Name in Aggregate]: string } = { sum: 'SUM', min: 'MIN', max: 'MAX', count: 'COUNT' }

function collectPolicy(aggregate: Aggregate | undefined): WrittenPolicy {
  if (aggregate === undefined) return { hitPolicy: 'RULE ORDER' }
  return { hitPolicy: 'COLLECT', aggregation: AGGREGATIONS[aggregate] }
}

/** The policy of a table whose list the next step makes a result of, as the reader of models writes it; with its default. */
function resultPolicy(step: TableStep, variable: string, value: string): ResultPolicy | undefined {
  const defaultIn = (result: string) => {
    const [before = '', behind = ''] = result.split(NONE)
    const isResult = value.startsWith(before) && value.endsWith(behind) && value.length > before.length + behind.length
    return isResult ? value.slice(before.length, value.length - behind.length) : undefined
  }
  const equal = defaultIn(equalResult(variable, step.name ?? step.id, NONE))
  if (equal !== undefined) return { policy: { hitPolicy: 'ANY' }, byDefault: equal }
  for (const aggregate of ['sum', 'min', 'max', 'count'] as const) {
    const none = defaultIn(aggregateResult(variable, aggregate, NONE))
    if (none !== undefined) return { policy: collectPolicy(aggregate), byDefault: none }
  }
  return undefined
}

/** Stands where the default is in the text of a result. */
const NONE = '\0'

interface ResultPolicy {
  readonly policy: WrittenPolicy
  /** As it is written here; `null` is none. */
  readonly byDefault: string
}
