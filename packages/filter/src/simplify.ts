import { type Budget, defined } from '@engine/expression'
import { ColumnFacts } from './column-facts.ts'
import type { Predicate, Predicates, Test } from './predicate.ts'

/**
 * Removes the conditions of a conjunction that are implied by others; undefined when no row can satisfy all. Keeps the
 * order. Linear in the number of conditions.
 */
export function simplified(
  conditions: readonly Predicate[],
  predicates: Predicates,
  budget: Budget,
): readonly Predicate[] | undefined {
  const facts = factsOf(conditions, predicates, budget)
  if (facts === undefined) return undefined
  const conjunction = new Conjunction(facts, predicates, budget)
  const kept = new Set<Predicate>()
  for (const condition of conditions) {
    const shorter = conjunction.reduced(condition)
    if (shorter.kind === 'never') return undefined
    if (shorter.kind !== 'always') kept.add(shorter)
  }
  return [...kept]
}

interface Facts {
  readonly columns: ReadonlyMap<string, ColumnFacts>
  /** The conditions that are required independently. */
  readonly asked: ReadonlySet<Predicate>
}

/** The facts about each column that follow from the conditions; undefined when no row can satisfy them. */
function factsOf(conditions: readonly Predicate[], predicates: Predicates, budget: Budget): Facts | undefined {
  const columns = new Map<string, ColumnFacts>()
  const of = (path: string): ColumnFacts => {
    const known = columns.get(path)
    if (known !== undefined) return known
    const facts = new ColumnFacts(budget)
    columns.set(path, facts)
    return facts
  }
  const asked = new Set<Predicate>()
  for (const condition of conditions.flatMap((one) => (one.kind === 'and' ? one.parts : [one]))) {
    budget.spend(4)
    if (asked.has(predicates.complement(condition))) return undefined
    asked.add(condition)
    if (condition.kind === 'null') of(condition.path).isNull = true
    else if (condition.kind === 'not_null') of(condition.path).hasNoNull = true
    else if (condition.kind === 'test') {
      const facts = of(condition.path)
      facts.add(condition.test)
      if (!condition.orNull) facts.hasNoNull = true
    }
  }
  for (const facts of columns.values()) {
    if (facts.isNull && facts.hasNoNull) return undefined
    if (facts.isNull || facts.settle()) continue
    // Only null remains.
    if (facts.hasNoNull) return undefined
    facts.isNull = true
  }
  return { columns, asked }
}

/** Shortens the conditions of a path using the facts about its columns. */
class Conjunction {
  readonly #facts: Facts
  readonly #predicates: Predicates
  readonly #budget: Budget
  /** Conditions already written. */
  readonly #told = new Set<Predicate>()

  constructor(facts: Facts, predicates: Predicates, budget: Budget) {
    this.#facts = facts
    this.#predicates = predicates
    this.#budget = budget
  }

  /** A condition of the path. */
  reduced(condition: Predicate): Predicate {
    this.#budget.spend(4)
    switch (condition.kind) {
      case 'and':
        return this.#predicates.and(condition.parts.map((part) => this.reduced(part)))
      case 'or':
        return this.#predicates.or(condition.parts.map((part) => this.#within(part)))
      case 'not_null':
        // A written test excludes null as well.
        return this.#of(condition.path).isTested ? this.#predicates.always : this.#once(condition)
      case 'null':
        return this.#once(condition)
      case 'test':
        return this.#test(condition)
      default:
        return condition
    }
  }

  #of(path: string): ColumnFacts {
    return defined(this.#facts.columns.get(path))
  }

  #once(condition: Predicate): Predicate {
    if (this.#told.has(condition)) return this.#predicates.always
    this.#told.add(condition)
    return condition
  }

  #test(condition: Predicate & { kind: 'test' }): Predicate {
    const { path, test } = condition
    const facts = this.#of(path)
    if (facts.isNull) return this.#once(this.#predicates.isNull(path))
    const orNull = !facts.hasNoNull
    // The common case: this is the column's only test.
    if (facts.isOnly) return this.#once(this.#written(condition, orNull))
    if (facts.values === undefined)
      return facts.implies(test) ? this.#predicates.always : this.#once(this.#written(condition, orNull))
    if (facts.isTold) return this.#predicates.always
    facts.isTold = true
    const values = [...facts.values.values()]
    const [only] = values
    const named: Test =
      only !== undefined && values.length === 1 && facts.isNamed ? { op: 'eq', value: only } : { op: 'in', values }
    return this.#predicates.test(path, named, orNull)
  }

  #written(condition: Predicate & { kind: 'test' }, orNull: boolean): Predicate {
    return condition.orNull === orNull ? condition : this.#predicates.test(condition.path, condition.test, orNull)
  }

  /** A part of a disjunction: false if the path excludes it, true if the path implies it. */
  #within(condition: Predicate): Predicate {
    const { always, never } = this.#predicates
    this.#budget.spend(8)
    if (this.#facts.asked.has(condition)) return always
    if (this.#facts.asked.has(this.#predicates.complement(condition))) return never
    switch (condition.kind) {
      case 'and':
        return this.#predicates.and(condition.parts.map((part) => this.#within(part)))
      case 'or':
        return this.#predicates.or(condition.parts.map((part) => this.#within(part)))
      case 'null': {
        const known = this.#facts.columns.get(condition.path)
        if (known?.hasNoNull === true) return never
        return known?.isNull === true ? always : condition
      }
      case 'not_null': {
        const known = this.#facts.columns.get(condition.path)
        if (known?.isNull === true) return never
        return known?.hasNoNull === true ? always : condition
      }
      case 'test': {
        const known = this.#facts.columns.get(condition.path)
        if (known === undefined) return condition
        if (known.isNull) return condition.orNull ? always : never
        const orNull = condition.orNull && !known.hasNoNull
        const decision = known.decides(condition.test)
        if (decision === false && !orNull) return never
        if (decision === true && (known.hasNoNull || condition.orNull)) return always
        return this.#written(condition, orNull)
      }
      default:
        return condition
    }
  }
}
