import type { DraftRuleset } from '@engine/authoring'
import type { DraftExample } from '../../language/tasks.ts'
import { stepAt } from '../../session/open-graph.ts'

/** A part of the rules that no saved test reaches, with an input that reaches it. */
export interface Uncovered extends DraftExample {
  /** JSON pointer; for “otherwise” the pointer of its step and `/default`. */
  readonly path: string
  /** The same as a pointer into the draft, which names “otherwise” by its member. */
  readonly place: string
}

/** The parts that some input reaches but no saved test, in the order of the rules. Linear in the parts. */
export function uncovered(
  draft: DraftRuleset,
  hits: ReadonlyMap<string, number> | undefined,
  inputs: ReadonlyMap<string, DraftExample>,
): readonly Uncovered[] {
  return Array.from(inputs, ([path, example]) => ({
    path,
    place: path.replace(/\/default$/, '/defaultNextStepId'),
    ...example,
  }))
    .filter(({ path }) => (hits?.get(path) ?? 0) === 0 && stepAt(draft, path) !== undefined)
    .toSorted((left, right) => numbersIn(left.path) - numbersIn(right.path))
}

/** Orders paths by step and then by row or branch; “otherwise” is last. */
function numbersIn(path: string): number {
  const [step = '0', part] = path.match(/\d+/g) ?? []
  return Number(step) * 1e6 + (part === undefined ? 999_999 : Number(part))
}
