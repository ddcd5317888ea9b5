import { isList, isObject, type Segment, type Value, walk } from '@engine/expression'
import type { DecisionRecord } from './decision-record.ts'
import { actionsOf, type ContractField, expressionsOf, fieldReads, type Ruleset } from '@engine/ruleset'
import { enforcedFields } from './formula/contract-domain.ts'

/** Members of an input that are searched for masks. */
const MAX_MEMBERS = 100_000

/** The parts of an input that rules read: all of it, or members by name. An index or wildcard reads all. */
type Reads = Map<string, Reads | 'all'>

/** Finds decisions whose masked values are read by some version of a ruleset or by its contract: they cannot be repeated. */
export class MaskedReads {
  readonly #mask: string
  readonly #reads: Reads | 'all'
  /** The parts of answers that rules read, by service and method. */
  readonly #answerReads = new Map<string, Reads | 'all'>()

  constructor(rulesets: readonly Ruleset[], mask: string) {
    this.#mask = mask
    let reads: Reads | 'all' = new Map()
    for (const ruleset of rulesets)
      for (const step of fieldReads(ruleset).values())
        for (const { field } of step.values()) reads = withRead(reads, field.path)
    for (const ruleset of rulesets)
      for (const { path } of (enforcedFields(ruleset) ?? []).filter(refusesTexts))
        reads = withRead(
          reads,
          path.map((name) => ({ kind: 'name', name })),
        )
    this.#reads = reads
    for (const ruleset of rulesets) this.#addAnswers(ruleset)
  }

  /** Linear in the members of the input and of the answers. */
  isIn({ input, calls = [] }: Pick<DecisionRecord, 'input' | 'calls'>): boolean {
    const pending: { readonly value: Value; readonly reads: Reads | 'all' }[] = [{ value: input, reads: this.#reads }]
    for (const { service, method, answer } of calls) {
      const reads = this.#answerReads.get(callKey(service, method))
      if (answer !== undefined && reads !== undefined) pending.push({ value: answer, reads })
    }
    let left = MAX_MEMBERS
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, reads } = next
      if (value === this.#mask || --left < 0) return true
      if (isList(value)) for (const item of value) pending.push({ value: item, reads: 'all' })
      else if (isObject(value))
        for (const [name, member] of Object.entries(value)) {
          const below = reads === 'all' ? 'all' : reads.get(name)
          if (below !== undefined) pending.push({ value: member, reads: below })
        }
    }
    return false
  }

  /** The parts of answers that rules read by the variables that hold them. */
  #addAnswers(ruleset: Ruleset): void {
    const steps = [...ruleset.steps.values()]
    const read = new Map<string, Reads | 'all'>()
    for (const step of steps)
      for (const expression of expressionsOf(step))
        walk(expression, (node) => {
          if (node.kind === 'variable') read.set(node.name, withRead(read.get(node.name) ?? new Map(), node.path))
        })
    for (const action of steps.flatMap(actionsOf)) {
      if (action.action !== 'external_call' || action.resultVariable === undefined) continue
      const key = callKey(action.service, action.method)
      const reads = read.get(action.resultVariable)
      if (reads !== undefined) this.#answerReads.set(key, together(this.#answerReads.get(key), reads))
    }
  }
}

/** Whether a contract could refuse the text that stands for a masked value. */
const refusesTexts = ({ type, values }: ContractField): boolean =>
  values !== undefined || (type.kind !== 'string' && type.kind !== 'any')

const callKey = (service: string, method: string): string => `${service}\n${method}`

function together(one: Reads | 'all' | undefined, other: Reads | 'all'): Reads | 'all' {
  if (one === undefined || other === 'all') return other
  if (one === 'all') return one
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, together(one.get(name), other.get(name) ?? new Map())]))
}

function withRead(reads: Reads | 'all', [segment, ...rest]: readonly Segment[]): Reads | 'all' {
  if (reads === 'all' || segment === undefined || segment.kind !== 'name') return 'all'
  const below = reads.get(segment.name) ?? new Map()
  reads.set(segment.name, withRead(below, rest))
  return reads
}
