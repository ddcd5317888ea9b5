import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A row of `flights-200k.json`: US domestic flights (Bureau of Transportation Statistics). */
export interface Flight {
  /** Minutes late; negative when early. */
  readonly delay: number
  /** Miles. */
  readonly distance: number
  /** Hour of departure, with fractions. */
  readonly time: number
}

/** An entry of a batch answer (specification 4.1). */
export interface Result {
  readonly code: string
  readonly output: { readonly amount_eur?: number; readonly care?: string | null } | null
  readonly error?: string
}

/** Where the flights of the vega-datasets package are. */
export const FLIGHTS_FILE = fileURLToPath(import.meta.resolve('vega-datasets/data/flights-200k.json'))

export function readFlights(): readonly Flight[] {
  return JSON.parse(readFileSync(FLIGHTS_FILE, 'utf8'))
}
