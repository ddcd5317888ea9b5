import type { Budget } from '../budget.ts'
import { TextSearch } from '../text-search.ts'

/**
 * A text that charges each character read of it. The matching of regular expressions reads a text by `charCodeAt` and
 * `indexOf` alone, so that a match of a large pattern in a long text ends where the budget does.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- the library takes string objects
export class ChargedText extends String {
  readonly #budget: Budget
  readonly #text: string
  readonly #cost: number
  #search: { readonly part: string; readonly found: TextSearch } | undefined

  /** @param cost units a character */
  constructor(budget: Budget, text: string, cost: number) {
    super(text)
    this.#budget = budget
    this.#text = text
    this.#cost = cost
  }

  override charCodeAt(index: number): number {
    this.#budget.spend(this.#cost)
    return this.#text.charCodeAt(index)
  }

  override indexOf(part: string, from = 0): number {
    if (this.#search?.part !== part) this.#search = { part, found: new TextSearch(this.#budget, this.#text, part) }
    return this.#search.found.next(from)
  }
}
