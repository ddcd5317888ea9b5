import type { Expression } from '@engine/expression'
import type { Cover } from './certificate.ts'
import { type Cell, type Checker, type Open, Refused, resultOrRefusal } from './checker.ts'
import type { Claim } from './claim.ts'

/** Parts of one cover. */
const MAX_PARTS = 3000

interface Split {
  readonly by: string
  readonly groups: readonly (readonly number[])[]
}

/**
 * A cover that proves a claim, found by splitting where the checker sees a way that contradicts it; a text: why there is none.
 *
 * @param near places whose conditions decide the claim, for example of the branches that shadow another
 */
export function findCover(checker: Checker, claim: Claim, near: readonly string[]): Cover | string {
  const places = new Set([...('place' in claim ? [claim.place] : []), ...near])
  let parts = 0
  const cover = (cell: Cell): Cover => {
    if (++parts > MAX_PARTS) throw new Refused(`the proof needs more than ${MAX_PARTS} parts`)
    const breach = checker.breach(claim, cell)
    if (breach === undefined) return 0
    const split = splitOf(checker, breach.open, cell, places)
    if (split === undefined) throw new Refused('classes of values and single conditions do not decide it')
    const { by, groups } = split
    return [by, ...groups.map((kept): [number[], Cover] => [rangesOf(kept), cover(new Map([...cell, [by, kept]]))])]
  }
  return resultOrRefusal(() => cover(new Map()))
}

/** The split that decides a condition on the way to a breach: of the claim's own first, then of fields that are split already. */
function splitOf(checker: Checker, open: Open | undefined, cell: Cell, places: ReadonlySet<string>): Split | undefined {
  const met: Open[] = []
  for (let one = open; one !== undefined; one = one.before) met.push(one)
  const rankOf = ({ node, place, isShared }: Open): number => {
    if (places.has(place)) return 0
    if (!isShared && checker.isAboutTwo) return 1
    const { path } = checker.factsOf(node)
    return path !== undefined && cell.has(path) ? 2 : 3
  }
  const [first] = met.toSorted((one, other) => rankOf(one) - rankOf(other))
  return first && splitBy(checker, first.node, cell)
}

function splitBy(checker: Checker, node: Expression, cell: Cell): Split {
  const { path, isOpaque, text, mayFail } = checker.factsOf(node)
  if (path !== undefined && !isOpaque) {
    const groups = new Map<string | undefined, number[]>()
    for (const index of cell.get(path) ?? checker.partsOf(path)) {
      const outcome = checker.outcomeIn(node, index)
      groups.set(outcome, [...(groups.get(outcome) ?? []), index])
    }
    if (groups.size > 1) return { by: path, groups: [...groups.values()] }
  }
  return { by: `?${text}`, groups: mayFail ? [[0], [1], [2]] : [[0], [1, 2]] }
}

/** First and last of each run of consecutive numbers. */
function rangesOf(numbers: readonly number[]): number[] {
  const ranges: number[] = []
  for (const one of numbers) {
    if (ranges.at(-1) === one - 1) ranges[ranges.length - 1] = one
    else ranges.push(one, one)
  }
  return ranges
}
