import { NoFeel, type FeelTarget, isFeelName } from './feel-text.ts'
import type { Deviation } from '../../feel/write.ts'

/** A decision of the written model. */
export interface WrittenDecision {
  readonly id: string
  readonly name: string
  readonly requires: ReadonlySet<WrittenDecision>
  readonly inputs: ReadonlySet<string>
  /** XML of its logic. */
  readonly logic: string
}

/** The source of a variable's value: a decision, or a member of its result. */
interface Source {
  readonly decision: WrittenDecision
  readonly text: string
}

/** Builds the decisions of a model while following the ruleset's steps. */
export class ModelWriter {
  readonly decisions: WrittenDecision[] = []
  readonly #sources = new Map<string, Source>()
  readonly #names: Set<string>
  readonly inputTypes = new Map<string, string | undefined>()
  /** Member names that are read: names with blanks must be declared. */
  readonly members = new Set<string>()

  /** `inputs`: names of the input, which decisions must not use. */
  constructor(inputs: ReadonlySet<string>) {
    this.#names = new Set(inputs)
  }

  has(variable: string): boolean {
    return this.#sources.has(variable)
  }

  /** A name for a decision that no input or other decision has. */
  nameFor(wanted: string): string {
    const plain = isFeelName(wanted) ? wanted : `result_${wanted.replace(/\W+/g, '_')}`
    let name = plain
    for (let number = 2; this.#names.has(name); number++) name = `${plain}_${number}`
    this.#names.add(name)
    return name
  }

  /** Adds a decision whose logic may use the names known so far. */
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

  /** Binds the variable to the result of the decision, or to one of its members. */
  bind(variable: string, decision: WrittenDecision, member?: string): void {
    const text = member === undefined ? decision.name : `${decision.name}.${member}`
    this.#sources.set(variable, { decision, text })
  }

  /** The decision whose complete result a variable holds. */
  wholeResult(variable: string): WrittenDecision | undefined {
    const source = this.#sources.get(variable)
    return source?.text === source?.decision.name ? source?.decision : undefined
  }
}

/** The dependencies of a decision, including itself. Linear in the number of decisions and requirements. */
export function neededBy(top: WrittenDecision): ReadonlySet<WrittenDecision> {
  const needed = new Set([top])
  for (const decision of needed) for (const required of decision.requires) needed.add(required)
  return needed
}
