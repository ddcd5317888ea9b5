/** One of the things that are compared: does its work `times` times. */
export interface Side {
  readonly name: string
  readonly run: (times: number) => unknown
  /** Work of one round; sides of very different speed do different amounts. */
  readonly times: number
}

const ROUNDS = 15
const WARM_UP = 4

/**
 * Nanoseconds a unit of work of each side: the median of rounds in which the sides take turns, so that whatever else the
 * machine does meets all of them.
 */
export async function compare(sides: readonly Side[]): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(sides.map(({ name }) => [name, []]))
  for (let turn = 0; turn < ROUNDS + WARM_UP; turn++) {
    for (const side of sides) {
      const begin = performance.now()
      await side.run(side.times)
      const elapsed = ((performance.now() - begin) * 1e6) / side.times
      if (turn >= WARM_UP) times.get(side.name)?.push(elapsed)
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Half of the distance between the quartiles. */
export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return (at(0.75) - at(0.25)) / 2
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log(`| ${head.join(' | ')} |`)
  console.log(`|${'---|'.repeat(head.length)}`)
  for (const row of rows)
    console.log(`| ${row.map((cell) => (typeof cell === 'number' ? round(cell) : cell)).join(' | ')} |`)
}

export function round(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value.toFixed(value >= 10 ? 1 : 2)
}
