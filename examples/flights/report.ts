import type { Flight, Result } from './flight.ts'

const WIDTH = 50
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Number of results, time and throughput, and what all passengers together are owed if one sat in each plane. */
export function summary(results: readonly Result[], seconds: number): string {
  const rate = Math.round(results.length / seconds)
  const euros = results.reduce((sum, { output }) => sum + (output?.amount_eur ?? 0), 0)
  return [
    `${whole(results.length)} flights in ${seconds.toFixed(2)} s: ${whole(rate)} decisions a second`,
    `one passenger of each would be owed ${whole(euros)} euros together`,
  ].join('\n')
}

/** Results by code with a bar each, the most frequent first. */
export function chart(results: readonly Result[]): string {
  const counts = Object.entries(Object.groupBy(results, ({ code }) => code)).map(
    ([code, group = []]) => [code, group.length] as const,
  )
  return bars(
    counts
      .sort(([, a], [, b]) => b - a)
      .map(([label, value]) => ({
        label,
        value,
        text: `${whole(value).padStart(9)} ${percent(value, results.length, 2)}`,
      })),
  )
}

/** How many flights of each hour of departure are at least 15 minutes late. */
export function hours(flights: readonly Flight[], results: readonly Result[]): string {
  const rows = Array.from({ length: 24 }, () => ({ total: 0, late: 0 }))
  for (const [index, { time }] of flights.entries()) {
    const row = rows[Math.min(Math.floor(time), 23)]
    if (row === undefined) continue
    row.total++
    if (results[index]?.code !== 'ON_TIME') row.late++
  }
  const lines = rows.map(({ total, late }, hour) => ({
    label: `${String(hour).padStart(2)} h`,
    value: late / Math.max(total, 1),
    text: `${percent(late, total)} of ${whole(total).padStart(6)}`,
  }))
  return `15 minutes late or more, by hour of departure\n${bars(lines)}`
}

interface Bar {
  readonly label: string
  readonly value: number
  readonly text: string
}

/** Horizontal bars, the longest `WIDTH` characters, to an eighth of a character. */
function bars(rows: readonly Bar[]): string {
  const longest = Math.max(...rows.map(({ value }) => value))
  const labels = Math.max(...rows.map(({ label }) => label.length))
  return rows
    .map(({ label, value, text }) => {
      const eighths = longest === 0 ? 0 : Math.ceil((value / longest) * WIDTH * 8)
      const bar = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
      return `${label.padEnd(labels)} ${text}  ${bar}`
    })
    .join('\n')
}

function whole(value: number): string {
  return value.toLocaleString('en')
}

function percent(part: number, total: number, digits = 1): string {
  return `${((100 * part) / Math.max(total, 1)).toFixed(digits).padStart(digits + 4)} %`
}
