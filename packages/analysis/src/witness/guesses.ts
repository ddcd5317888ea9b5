import { isList, children, constantOf, type Expression, type Segment, type Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { expressionsOfRuleset } from '../graph/symbolic.ts'
import { EXAMPLES, sortedText } from '../terms/term.ts'
import type { Candidate } from './model.ts'

type Input = Candidate['input']

/** Texts that functions of time and number read. */
const READABLE: readonly Value[] = ['2000-01-01', '2026-07-15T12:00:00Z', '10', 'true', '1.2.3', '10.0.0.1']

/**
 * Inputs near a ruleset's constants, for claims that depend on unmodelled functions: they are executed like every other
 * witness. The same ruleset gives the same guesses.
 */
export class Guesses {
  readonly #paths = new Map<string, readonly Segment[]>()
  readonly #constants: Value[] = []
  /** Names that lambdas read of the elements of lists. */
  readonly #members = new Set<string>()
  #state = 1

  constructor(rulesets: readonly Ruleset[]) {
    const constants = new Map<string, Value>()
    for (const expression of rulesets.flatMap(expressionsOfRuleset)) this.#collect(expression, constants)
    for (const value of constants.values()) {
      this.#constants.push(value)
      if (typeof value === 'number') this.#constants.push(value - 1, value + 1, value + 0.5)
      if (isList(value)) this.#constants.push(...value)
    }
  }

  /** A new input: one of the given with a few fields changed, or one of its own. */
  next(pool: readonly Input[]): Input {
    const paths = [...this.#paths.values()]
    const base = this.#chance(0.85) ? this.#pick(pool) : undefined
    let input: Value = base ?? {}
    const changes = base === undefined ? paths.length : 1 + this.#below(3)
    for (let count = 0; count < changes; count++) {
      const path = this.#pick(paths)
      if (path !== undefined) input = this.#changed(input, path, 0)
    }
    return input as Input
  }

  #collect(expression: Expression, constants: Map<string, Value>): void {
    const pending = [expression]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node.kind === 'field' && node.path.length > 0) this.#paths.set(JSON.stringify(node.path), node.path)
      if (node.kind === 'local' || node.kind === 'member') {
        const [first] = node.path
        if (first?.kind === 'name') this.#members.add(first.name)
      }
      const constant = constantOf(node)
      if (constant !== undefined) constants.set(sortedText(constant), constant)
      pending.push(...children(node))
    }
  }

  #changed(value: Value, path: readonly Segment[], at: number): Value {
    const segment = path[at]
    if (segment === undefined) return this.#value(2)
    if (segment.kind === 'wildcard' || (segment.kind === 'index' && Array.isArray(value))) {
      const items = isList(value) ? [...value] : []
      const index =
        segment.kind === 'index' && segment.index >= 0 && segment.index <= items.length
          ? segment.index
          : this.#below(items.length + 1)
      items[index] = this.#changed(items[index] ?? null, path, at + 1)
      return items
    }
    const key = segment.kind === 'name' ? segment.name : String(segment.index)
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
    const inner = members.find(([name]) => name === key)?.[1] ?? null
    const rest = members.filter(([name]) => name !== key)
    if (at === path.length - 1 && this.#chance(0.08)) return Object.fromEntries(rest)
    return Object.fromEntries([...rest, [key, this.#changed(inner, path, at + 1)] as const])
  }

  #value(depth: number): Value {
    const examples = Object.values(EXAMPLES)
    if (this.#chance(0.65) && this.#constants.length > 0) return this.#pick(this.#constants) ?? null
    if (this.#chance(0.3)) return this.#pick(READABLE) ?? null
    if (depth === 0 || this.#chance(0.6)) return this.#pick(examples) ?? null
    const items = Array.from({ length: this.#below(3) }, () =>
      this.#chance(0.5) ? this.#item(depth - 1) : this.#value(depth - 1),
    )
    return items
  }

  #item(depth: number): Value {
    return Object.fromEntries(
      [...this.#members].filter(() => this.#chance(0.8)).map((name) => [name, this.#value(depth)]),
    )
  }

  #pick<One>(from: readonly One[]): One | undefined {
    return from[this.#below(from.length)]
  }

  #chance(share: number): boolean {
    return this.#below(1000) < share * 1000
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
}
