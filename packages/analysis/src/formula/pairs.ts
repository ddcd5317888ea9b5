import { type Literal, negated, type Solver } from '../search/solver.ts'
import type { Kind, Term } from '../terms/term.ts'

/** Two numbers or two texts that are compared with each other. */
export interface Pair {
  readonly left: Term
  readonly right: Term
  readonly kind: 'number' | 'text'
  readonly less: Literal
  readonly equal: Literal
}

/** The comparisons of values with each other: which is less, and whether they are equal. */
export class Pairs {
  readonly #solver: Solver
  readonly #pairs = new Map<string, Pair>()
  readonly #samenesses = new Map<string, Literal>()
  readonly #ranks = new Map<Term, number>()

  constructor(solver: Solver) {
    this.#solver = solver
  }

  values(): Iterable<Pair> {
    return this.#pairs.values()
  }

  /** The order of two numbers or two texts. */
  of(left: Term, right: Term, kind: Pair['kind']): Pick<Pair, 'less' | 'equal'> {
    const [first, second] = [this.#rank(left), this.#rank(right)]
    if (first > second) {
      const { less, equal } = this.of(right, left, kind)
      return { less: this.#solver.and([negated(less), negated(equal)]), equal }
    }
    const key = `${first} ${second} ${kind}`
    const known = this.#pairs.get(key)
    if (known !== undefined) return known
    const pair = { left, right, kind, less: this.#solver.createVariable(), equal: this.#solver.createVariable() }
    this.#solver.addClause([negated(pair.less), negated(pair.equal)])
    this.#pairs.set(key, pair)
    return pair
  }

  /** Whether two lists or two objects are equal. */
  sameness(left: Term, right: Term, kind: Kind): Literal {
    const [first, second] = [this.#rank(left), this.#rank(right)]
    const key = `${Math.min(first, second)} ${Math.max(first, second)} ${kind}`
    const known = this.#samenesses.get(key) ?? this.#solver.createVariable()
    this.#samenesses.set(key, known)
    return known
  }

  #rank(term: Term): number {
    const known = this.#ranks.get(term) ?? this.#ranks.size
    this.#ranks.set(term, known)
    return known
  }
}
