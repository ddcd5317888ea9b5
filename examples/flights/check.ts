import type { Flight, Result } from './flight.ts'

/** The rule once more, by hand: code and amount. */
function expected({ delay, distance }: Flight): readonly [code: string, euros: number] {
  if (delay < 15) return ['ON_TIME', 0]
  const km = distance * 1.609344
  if (delay >= 180 && km <= 1500) return ['COMPENSATION_250', 250]
  if (delay >= 180 && km <= 3500) return ['COMPENSATION_400', 400]
  if (delay >= 180) return delay < 240 ? ['COMPENSATION_300', 300] : ['COMPENSATION_600', 600]
  return delay >= 120 && km <= 1500 ? ['CARE', 0] : ['DELAYED', 0]
}

/** What passengers get while they wait. */
function expectedCare({ delay, distance, time }: Flight): string | null {
  const km = distance * 1.609344
  const hoursBeforeCare = km <= 1500 ? 2 : km <= 3500 ? 3 : 4
  if (delay < hoursBeforeCare * 60) return null
  return time + delay / 60 >= 24 ? 'meals_and_hotel' : 'meals'
}

/** The results that differ from the rule, one line each. */
export function differences(flights: readonly Flight[], results: readonly Result[]): readonly string[] {
  const found = flights.flatMap((flight, index) => {
    const [code, euros] = expected(flight)
    const care = expectedCare(flight)
    const result = results[index]
    const { amount_eur, care: given } = result?.output ?? {}
    const isEqual = result?.code === code && amount_eur === euros && given === care
    return isEqual ? [] : [`${JSON.stringify(flight)}: ${code} ${euros} ${care}, not ${JSON.stringify(result)}`]
  })
  const lost = results.length === flights.length ? [] : [`${flights.length} flights, but ${results.length} results`]
  return [...lost, ...found]
}
