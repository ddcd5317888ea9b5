import type { Place } from '@engine/ruleset'
import { type StepAt, scopeOf, type Writing, written, expressionOf } from './context.ts'
import { type Data, shownIn } from './data.ts'
import type { Exit } from './document-writer.ts'
import type { ZenScope } from './zen-scope.ts'
import { atom, type ZenText } from './zen-text.ts'

interface Entry {
  readonly variable: string
  readonly text: ZenText
}

/**
 * A chain of expression nodes that set the variables of a step: repeated assignments of a variable need separate nodes.
 */
export class ExpressionNodes {
  readonly #writing: Writing
  readonly #at: StepAt<{ readonly id: string; readonly name?: string }>
  #known: Data
  #entries: Entry[] = []
  #first: string | undefined
  #last: Exit | undefined

  /** `behind`: a node of the same step that leads to the first one. */
  constructor(writing: Writing, from: StepAt<{ readonly id: string; readonly name?: string }>, behind?: Exit) {
    this.#writing = writing
    this.#at = from
    this.#known = from.known
    this.#last = behind
  }

  /** Sets a variable to an expression, which reads previously set values. */
  set(variable: string, original: string, place: Place, write: (scope: ZenScope) => ZenText): void {
    if (this.#entries.some((entry) => entry.variable === variable)) this.#flush()
    const scope = scopeOf(this.#writing, { ...this.#at, known: this.#known }, (name) => this.#shown(name))
    this.#entries.push({ variable, text: written(this.#writing, place, original, () => write(scope)) })
  }

  /** The first node and the exit of the last one, with the state after it. */
  end(): { readonly first: string; readonly exit: Exit; readonly known: Data } {
    if (this.#entries.length > 0 || this.#last === undefined) this.#flush()
    const exit = this.#last ?? { node: '' }
    return { first: this.#first ?? exit.node, exit, known: this.#known }
  }

  /** Variables set by the same node are members of `$` in ZEN. */
  #shown(name: string): ZenText {
    const own = this.#entries.find(({ variable }) => variable === name)
    if (own === undefined) return shownIn(this.#known, this.#writing.keys, name)
    return atom(`$.${this.#writing.keys.variable(name)}`, own.text.type)
  }

  #flush(): void {
    const { document, keys } = this.#writing
    const [entries, known] = [this.#entries, this.#known]
    const { step } = this.#at
    const isNew = entries.every(({ variable }) => !known.has(variable))
    const own = entries.map(({ variable, text }) => [keys.variable(variable), text.text] as const)
    const id = document.node(step.id, 'expressionNode', step.name ?? step.id, () => {
      const set = new Set(own.map(([key]) => key))
      const others = [...keys.fields.map(([key]) => key), ...[...known.keys()].map((name) => keys.variable(name))]
      const kept = isNew ? [] : others.filter((key) => !set.has(key)).map((key) => [key, key] as const)
      const expressions = [...kept, ...own].map(([key, text], index) => expressionOf(`${id}_${index + 1}`, key, text))
      return { passThrough: isNew, expressions }
    })
    if (this.#last !== undefined) document.edge(this.#last, () => id)
    this.#first ??= id
    this.#last = { node: id }
    this.#known = new Map([
      ...known,
      ...entries.map(({ variable, text }) => [variable, { type: text.type, isAlways: true }] as const),
    ])
    this.#entries = []
  }
}
