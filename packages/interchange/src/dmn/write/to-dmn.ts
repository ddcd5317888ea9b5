import type { ActionStep, Column, DraftRuleset, DraftStep, TableStep, TerminalStep } from '@engine/authoring'
import { at, type Place } from '@engine/ruleset'
import type { Exported } from '../../conversion-result.ts'
import { Losses } from '../../losses.ts'
import { lostExpression } from '../../placeholder.ts'
import { dmnLosses } from '../losses.ts'
import { type FeelTarget, feelOf, isFeelName, NoFeel } from './feel-text.ts'
import { inputNames } from '../../input-names.ts'
import { writeLosses } from './losses.ts'
import { ModelWriter, neededBy, type WrittenDecision } from './model.ts'
import { collectPolicy, onlyAssignment, resultPolicy, singleResult, variableOf } from './result-step.ts'
import { feelType, tableText, type WrittenOutput, type WrittenPolicy } from './table-text.ts'
import { modelText, textElement } from './xml-text.ts'

/**
 * Exports a draft as a decision model (DMN 1.3): each table as a decision table, each assignment as a literal
 * expression. The steps must form one sequence, because DMN has no branches. The code and message of a terminal cannot
 * be expressed. Linear in the size of the draft.
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
  #hasToldCodes = false

  constructor(draft: DraftRuleset, losses: Losses) {
    this.#draft = draft
    this.#losses = losses
    this.#model = new ModelWriter(inputNames(draft.steps))
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

  /** The terminal at the end of the sequence; undefined when the steps do not form one. */
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
      const variable = variableOf(name)
      const decision = this.#expression(this.#model.nameFor(variable), value, own)
      this.#model.bind(variable, decision)
    }
  }

  /** A decision with a single expression. */
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

  /**
   * Writes a table with the following steps that belong to it; returns the id of the next one, undefined after a loss.
   */
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

  /**
   * Whether two targets are equivalent: the same step, or terminals that differ only in their codes, which cannot be
   * expressed.
   */
  #isSame(one: string | undefined, other: string | undefined): boolean {
    if (one === other) return true
    const [left, right] = [this.#step(one), this.#step(other)]
    if (left?.type !== 'terminal' || right?.type !== 'terminal') return false
    if (JSON.stringify([left.output, left.message]) !== JSON.stringify([right.output, right.message])) return false
    if (!this.#hasToldCodes) this.#losses.error(at(this.#place(right), 'code'), writeLosses.codes())
    this.#hasToldCodes = true
    return true
  }

  #single(step: TableStep, columns: readonly Column[]): string | undefined {
    const place = this.#place(step)
    for (const { field = '' } of columns)
      if (this.#model.has(variableOf(field))) return this.#losses.error(place, writeLosses.reassigned(field))
    const result = singleResult(
      step,
      columns,
      (id) => this.#step(id),
      (one, other) => this.#isSame(one, other),
    )
    if (result === undefined) return this.#losses.error(at(place, 'defaultNextStepId'), writeLosses.routes())
    const { context, names, defaults, next } = result
    const outputs = columns.map((column, index) => ({ column, name: names[index] ?? '', byDefault: defaults?.[index] }))
    const isOne = columns.length === 1
    const name = this.#model.nameFor(context ?? (isOne ? (names[0] ?? '') : (step.name ?? step.id)))
    const hitPolicy = step.hitPolicy === 'unique' ? 'UNIQUE' : 'FIRST'
    const decision = this.#writeTable(step, name, outputs, { hitPolicy })
    if (context !== undefined) this.#model.bind(context, decision)
    for (const { column, name: own } of outputs)
      this.#model.bind(variableOf(column.field ?? ''), decision, isOne ? undefined : own)
    return next
  }

  #collect(step: TableStep, columns: readonly Column[]): string | undefined {
    const place = this.#place(step)
    const [column] = columns
    if (column === undefined || columns.length > 1) return this.#losses.error(at(place, 'columns'), writeLosses.lists())
    if (step.rows.some(({ cells }) => (cells[column.id] ?? '').trim() === ''))
      return this.#losses.error(at(place, 'rows'), writeLosses.emptyOutput())
    const variable = variableOf(column.field ?? '')
    const after = onlyAssignment(this.#step(step.nextStepId))
    const isResult = after?.assignment.name === variable && step.aggregate === undefined
    const own = isResult ? resultPolicy(step, variable, after.assignment.value ?? '') : undefined
    const policy = own?.policy ?? collectPolicy(step.aggregate)
    const byDefault = step.aggregate === 'sum' ? '0' : own?.byDefault
    const output = { column, name: variable, byDefault }
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
      (deviation) => this.#losses.warn(place, dmnLosses[deviation]()),
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
