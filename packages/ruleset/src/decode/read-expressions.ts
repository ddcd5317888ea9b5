import type { Expression } from '@engine/expression/core'

/** The expressions with one text, and the number of those that the next document can still reuse. */
interface Known {
  readonly expressions: Expression[]
  taken: number
}

/**
 * A cache of the expressions of the last decoded document, by text: an edited document reuses most of them. Each is
 * used at most once per document, because errors are located by its nodes. The cache holds at most the expressions of
 * one document.
 */
export class ReadExpressions {
  #before = new Map<string, Known>()
  #now = new Map<string, Known>()
  #mode = ''

  /** Begins the next document. @param mode other settings that affect parsing */
  begin(mode: string): void {
    this.#before = mode === this.#mode ? this.#now : new Map()
    this.#now = new Map()
    this.#mode = mode
  }

  /** A cached expression with this text that was parsed without a problem or warning. */
  take(text: string): Expression | undefined {
    const known = this.#before.get(text)
    return known?.expressions[known.taken++]
  }

  /** Caches an expression for the next document. */
  keep(text: string, expression: Expression): void {
    const known = this.#now.get(text)
    if (known === undefined) this.#now.set(text, { expressions: [expression], taken: 0 })
    else known.expressions.push(expression)
  }
}
