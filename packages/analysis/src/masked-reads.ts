import { isList, isObject, type Segment, type Value } from '@engine/expression'
import { fieldReads, type Ruleset } from '@engine/ruleset'

/** Members of an input that are searched for masks. */
const MAX_MEMBERS = 100_000

/** The parts of an input that rules read: all of it, or members by name. An index or wildcard reads all. */
type Reads = Map<string, Reads | 'all'>

/** Finds inputs whose masked values are read by some version of a ruleset: decisions about them cannot be repeated. */
export class MaskedReads {
  readonly #mask: string
  readonly #reads: Reads | 'all'

  constructor(rulesets: readonly Ruleset[], mask: string) {
    this.#mask = mask
    let reads: Reads | 'all' = new Map()
    for (const ruleset of rulesets)
      for (const step of fieldReads(ruleset).values())
        for (const { field } of step.values()) reads = withRead(reads, field.path)
    this.#reads = reads
  }

  /** Linear in the members of the input. */
  isIn(input: Value): boolean {
    const pending: { readonly value: Value; readonly reads: Reads | 'all' }[] = [{ value: input, reads: this.#reads }]
    let left = MAX_MEMBERS
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, reads } = next
      if (value === this.#mask || --left < 0) return true
      if (isList(value)) for (const item of value) pending.push({ value: item, reads: 'all' })
      else if (isObject(value))
        for (const [name, member] of Object.entries(value)) {
          const below = reads === 'all' ? 'all' : reads.get(name)
          if (below !== undefined) pending.push({ value: member, reads: below })
        }
    }
    return false
  }
}

function withRead(reads: Reads | 'all', [segment, ...rest]: readonly Segment[]): Reads | 'all' {
  if (reads === 'all' || segment === undefined || segment.kind !== 'name') return 'all'
  const below = reads.get(segment.name) ?? new Map()
  reads.set(segment.name, withRead(below, rest))
  return reads
}
