import { NoFeel, type FeelTarget, isFeelName } from './feel-text.ts'
import type { Deviation } from '../../feel/write.ts'

/** A decision of the model that is written. */
export interface WrittenDecision {
  readonly id: string
  readonly name: string
  readonly requires: ReadonlySet<WrittenDecision>
  readonly inputs: ReadonlySet<string>
  /** XML of its logic. */
  readonly logic: string
}

/** Where a variable's value is found: in a decision, or in a member of its result. */
interface Source {
  readonly decision: WrittenDecision
  readonly text: string
}

/** The decisions of a model while its ruleset is followed from step to step. */
export class ModelWriter {
  readonly decisions: WrittenDecision[] = []
  readonly #sources = new Map<string, Source>()
  readonly #names: Set<string>
  readonly inputTypes = new Map<string, string | undefined>()
  /** Members of values that are read: a name with blanks is known as one by its declaration only. */
  readonly members = new Set<string>()

  /** `inputs`: names of the input, which decisions may not have. */
  constructor(inputs: ReadonlySet<string>) {
    this.#names = new Set(inputs)
  }

  has(variable: string): boolean {
    return this.#sources.has(variable)
  }

  /** A name for a decision: none of an input or of another one. */
  nameFor(wanted: string): string {
    const plain = isFeelName(wanted) ? wanted : `result_${wanted.replace(/\W+/g, '_')}`
    let name = plain
    for (let number = 2; this.#names.has(name); number++) name = `${plain}_${number}`
    this.#names.add(name)
    return name
  }

  /** Adds a decision whose logic is written with the names that are known before it. */
  add(name: string, write: (target: FeelTarget) => string, deviates: (deviation: Deviation) => void): WrittenDecision {
    const requires = new Set<WrittenDecision>()
    const inputs = new Set<string>()
    const logic = write({
      deviates,
      reference: (kind, own, members) => {
        for (const member of members) this.members.add(member)
        if (kind === 'field') {
          if (!isFeelName(own)) throw new NoFeel('a name of the input has no form there')
          inputs.add(own)
          if (!this.inputTypes.has(own)) this.inputTypes.set(own, undefined)
          return [own, ...members].join('.')
        }
        const source = this.#sources.get(own)
        if (source === undefined) return 'null'
        requires.add(source.decision)
        return [source.text, ...members].join('.')
      },
    })
    const decision = { id: `decision_${this.decisions.length + 1}`, name, requires, inputs, logic }
    this.decisions.push(decision)
    return decision
  }

  /** From here on the variable is the result of the decision, or a member of it. */
  bind(variable: string, decision: WrittenDecision, member?: string): void {
    const text = member === undefined ? decision.name : `${decision.name}.${member}`
    this.#sources.set(variable, { decision, text })
  }

  /** The decision whose whole result a variable is. */
  wholeResult(variable: string): WrittenDecision | undefined {
    const source = this.#sources.get(variable)
    return source?.text === source?.decision.name ? source?.decision : undefined
  }
}

/** What a decision needs, itself included. Costs the number of decisions and requirements. */
export function neededBy(top: WrittenDecision): ReadonlySet<WrittenDecision> {
  const needed = new Set([top])
  for (const decision of needed) for (const required of decision.requires) needed.add(required)
  return needed
}
