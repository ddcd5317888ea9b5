import type { Expression } from '@engine/expression/core'

/** The expressions of one text, and how many of them have a place in the next document. */
interface Known {
  readonly expressions: Expression[]
  taken: number
}

/**
 * The expressions of the document that was decoded last, by their texts: an edited document has most of them again. Each has at
 * most one place in a document, because errors are located by its nodes. Holds no more than one document has.
 */
export class ReadExpressions {
  #before = new Map<string, Known>()
  #now = new Map<string, Known>()
  #mode = ''

  /** Begins the next document. @param mode what else their reading depends on */
  begin(mode: string): void {
    this.#before = mode === this.#mode ? this.#now : new Map()
    this.#now = new Map()
    this.#mode = mode
  }

  /** An expression of this text that was read without a problem or warning. */
  take(text: string): Expression | undefined {
    const known = this.#before.get(text)
    return known?.expressions[known.taken++]
  }

  /** Keeps an expression for the next document. */
  keep(text: string, expression: Expression): void {
    const known = this.#now.get(text)
    if (known === undefined) this.#now.set(text, { expressions: [expression], taken: 0 })
    else known.expressions.push(expression)
  }
}
