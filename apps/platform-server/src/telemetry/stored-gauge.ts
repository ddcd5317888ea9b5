import { within } from '@engine/process'
import { Gauge, type Registry } from 'prom-client'

/** Longest wait of a scrape for the database. */
const READ_TIMEOUT_MS = 2000

/** A gauge whose values are read from the database. */
export interface StoredGauge<Label extends string, Found> {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly Label[]
  readonly read: () => Promise<Found>
  readonly set: (gauge: Gauge<Label>, found: Found) => void
}

/** While the database does not answer, the gauge has no value; other metrics are still scraped. */
export function storedGauge<Found, Label extends string = never>(
  registry: Registry,
  { name, help, labelNames = [], read, set }: StoredGauge<Label, Found>,
): void {
  const gauge: Gauge<Label> = new Gauge<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const found = await within(READ_TIMEOUT_MS, answered(read))
      gauge.reset()
      if (typeof found !== 'symbol' && found.isUp) return set(gauge, found.value)
      // A gauge with no labels would be 0.
      if (labelNames.length === 0) gauge.remove()
    },
  })
}

async function answered<Found>(
  read: () => Promise<Found>,
): Promise<{ readonly isUp: true; readonly value: Found } | { readonly isUp: false }> {
  try {
    return { isUp: true, value: await read() }
  } catch {
    return { isUp: false }
  }
}
