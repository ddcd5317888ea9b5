import type { Budget } from '../budget.ts'
import { TextSearch } from '../text-search.ts'

/**
 * A text that charges each character read. The regular expression library reads texts only through `charCodeAt` and
 * `indexOf`, so matching a large pattern against a long text stops when the budget is exhausted.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- the library takes string objects
export class ChargedText extends String {
  readonly #budget: Budget
  readonly #text: string
  readonly #cost: number
  #search: { readonly part: string; readonly found: TextSearch } | undefined

  /** @param cost units per character */
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
