import { readPlainPath, type Segment, type Value, walk } from '@engine/expression'
import type { DecisionStep } from '@engine/ruleset'
import { isPlain } from '../terms/path.ts'

type Path = readonly Segment[]

/** The values that a decision read, and the branch that it took; -1: none. */
interface Last {
  /** Undefined: it reads more than single fields and the time. */
  readonly paths: readonly Path[] | undefined
  values: readonly (Value | undefined)[]
  taken: number
}

/**
 * The branch that each decision took last: most inputs that are tried differ from the one before in a few fields, and a decision
 * that reads none of those takes the same branch.
 */
export class LastBranches {
  readonly #last = new Map<DecisionStep, Last>()

  /** The branch that a decision takes: that of the last time, if it reads the same. @param decide evaluates its conditions */
  taken(step: DecisionStep, input: Value, now: number, decide: () => number): number {
    let last = this.#last.get(step)
    if (last === undefined) this.#last.set(step, (last = { paths: pathsOf(step), values: [], taken: -1 }))
    const { paths, values } = last
    if (paths === undefined) return decide()
    const read = [now, ...paths.map((path) => readPlainPath(input, path))]
    if (read.every((value, index) => isSame(value, values[index]))) return last.taken
    last.taken = decide()
    last.values = read
    return last.taken
  }
}

/** Whether two values that were read are the same. Lists and objects are not compared. */
function isSame(value: Value | undefined, last: Value | undefined): boolean {
  return Object.is(value, last) && (typeof value !== 'object' || value === null)
}

function pathsOf({ branches }: DecisionStep): readonly Path[] | undefined {
  const paths = new Map<string, Path>()
  let readsMore = false
  for (const { condition } of branches)
    walk(condition, (node) => {
      if (node.kind === 'field') paths.set(JSON.stringify(node.path), node.path)
      readsMore ||= node.kind === 'variable'
    })
  return readsMore || ![...paths.values()].every(isPlain) ? undefined : [...paths.values()]
}
