import { defined } from '../defined.ts'

/**
 * The known name that was probably meant: the one with the smallest edit distance (Damerau-Levenshtein, swapped
 * adjacent letters count once), if it is small enough for the name's length. The same letters in different case are the
 * best match.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let least = 1 + Math.min(3, Math.floor(name.length / 3))
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue
    const distance = slips(wanted, candidate.toLowerCase(), least)
    if (distance < least) {
      best = candidate
      least = distance
      if (distance === 0) return candidate
    }
  }
  return best
}

/** Names longer than this are not compared: the cost grows with the product of the lengths. */
const MAX_LENGTH = 100

function slips(left: string, right: string, enough: number): number {
  if (left.length > MAX_LENGTH || right.length > MAX_LENGTH) return left === right ? 0 : enough
  let older: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      let cost = Math.min(
        defined(previous[column]) + 1,
        defined(current[column - 1]) + 1,
        defined(previous[column - 1]) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1])
        cost = Math.min(cost, defined(older[column - 2]) + 1)
      current.push(cost)
    }
    older = previous
    previous = current
  }
  return defined(previous[right.length])
}
