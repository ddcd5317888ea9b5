import type { DraftGraph, DraftRuleset, DraftStep } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { at } from '@engine/ruleset'
import type { Exported } from '../../conversion-result.ts'
import { inputNames } from '../../input-names.ts'
import { Losses } from '../../losses.ts'
import { expressionOf, type StepAt, type Writing, type WrittenStep } from './context.ts'
import { type Data, joined, Keys } from './data.ts'
import { DocumentWriter } from './document-writer.ts'
import { inlinedSteps, type PlainSteps } from './inlining.ts'
import { jdmLosses } from './losses.ts'
import { stepOrder } from './order.ts'
import { writeAction, writeDecision, writeTerminal } from './steps.ts'
import { writeTable } from './table.ts'

/**
 * Exports a draft as a decision of the JSON Decision Model (GoRules). Each step becomes one or more nodes: a decision a
 * switch, an action an expression node, a table a decision table; a terminal is an expression node that builds the
 * result `{code, message, output}`. Sub-rules are inlined. When an execution gives a result here, ZEN gives the same,
 * except for the differences in `lost`. Linear in the size of the draft; a node that rebuilds its object costs its
 * members.
 *
 * @param subRules of project and organization, for names that the draft does not define itself
 */
export function toJdm(draft: DraftRuleset, subRules: ReadonlyMap<string, DraftGraph> = new Map()): Exported<Value> {
  const losses = new Losses()
  const plain = inlinedSteps(draft, subRules, losses)
  const document = plain && documentOf(draft, plain, losses)
  return { document, lost: losses.lost.map((loss) => ({ ...loss, path: placeOfUse(draft, loss.path) })) }
}

/** Parts of a sub-rule have no place in the draft: the place of the use is reported. */
function placeOfUse({ steps }: DraftRuleset, path: string): string {
  const [use, index] = /^\/steps\/(\d+)/.exec(path) ?? []
  return use !== undefined && steps[Number(index)]?.type === 'sub_rule' ? use : path
}

function documentOf(draft: DraftRuleset, plain: PlainSteps, losses: Losses): Value | undefined {
  const { start = '', steps, places } = plain
  if (!steps.has(start)) return losses.error(at(undefined, 'startStepId'), jdmLosses.noStart())
  const order = stepOrder(start, steps)
  if ('loop' in order) return losses.error(places.get(order.loop), jdmLosses.loop())
  const { fieldMissing, defaults = {} } = draft.config
  reportUnreachable(draft, order, losses)
  const isOpen = order.every(({ type }) => type === 'decision' || type === 'terminal')
  const keys = new Keys(inputNames(order), isOpen)
  const writer = new GraphWriter(
    {
      document: new DocumentWriter(),
      keys,
      losses,
      told: new Set(),
      defaults: fieldMissing === 'default' ? defaults : {},
    },
    plain,
  )
  return writer.write(start, order, isOpen)
}

function reportUnreachable({ steps }: DraftRuleset, order: readonly DraftStep[], losses: Losses): void {
  const reached = new Set(order.map(({ id }) => id))
  for (const [index, { id, type }] of steps.entries())
    if (!reached.has(id) && type !== 'sub_rule') losses.warn(at(at(undefined, 'steps'), index), jdmLosses.unreachable())
}

class GraphWriter {
  readonly #writing: Writing
  readonly #plain: PlainSteps
  /** First nodes of steps. */
  readonly #first = new Map<string, string>()
  readonly #known = new Map<string, Data>()

  constructor(writing: Writing, plain: PlainSteps) {
    this.#writing = writing
    this.#plain = plain
  }

  write(start: string, order: readonly DraftStep[], isOpen: boolean): Value {
    const { document, keys } = this.#writing
    const input = document.node('input', 'inputNode', 'Input', () => undefined)
    const fields = isOpen
      ? input
      : document.node('fields', 'expressionNode', 'Fields', () => ({
          passThrough: false,
          expressions: keys.fields.map(([key, field], index) => expressionOf(`fields_${index + 1}`, key, field)),
        }))
    if (!isOpen) document.edge({ node: input }, () => fields)
    document.edge({ node: fields }, () => this.#first.get(start))
    let output = ''
    for (const step of order) {
      // A node without incoming edges is executed in ZEN, too.
      if (step.id !== start && !this.#known.has(step.id)) continue
      const { first, exits } = this.#step(step, () => output)
      this.#first.set(step.id, first)
      for (const { exit, target, place, known } of exits) {
        if (target === undefined || !this.#plain.steps.has(target))
          this.#writing.losses.error(place, jdmLosses.noTarget(target))
        else this.#lead(target, known)
        document.edge(exit, () => this.#first.get(target ?? ''))
      }
    }
    output = document.node('output', 'outputNode', 'Output', () => undefined)
    return document.document()
  }

  #lead(target: string, known: Data): void {
    const before = this.#known.get(target)
    this.#known.set(target, before === undefined ? known : joined(before, known))
  }

  #step(step: DraftStep, end: () => string): WrittenStep {
    const place = this.#plain.places.get(step.id) ?? at(undefined, 'steps')
    const from = <Step extends DraftStep>(own: Step): StepAt<Step> => ({
      step: own,
      place,
      known: this.#known.get(own.id) ?? new Map(),
    })
    switch (step.type) {
      case 'decision':
        return writeDecision(this.#writing, from(step))
      case 'action':
        return writeAction(this.#writing, from(step))
      case 'table':
        return writeTable(this.#writing, from(step))
      case 'terminal':
        return writeTerminal(this.#writing, from(step), end)
      case 'sub_rule':
        throw new Error('sub-rules must be inlined first')
    }
  }
}
