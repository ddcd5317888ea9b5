import type { Flight, Result } from './flight.ts'

const PER_REQUEST = 1000
const IN_FLIGHT = 4
const PATH = '/api/v1/execute/flight-compensation/batch'

/**
 * Decides about every flight, in order. Rejects with an `Error` that explains what to do when the server is not running,
 * lacks the ruleset or refuses.
 */
export async function decideAll(url: string, flights: readonly Flight[]): Promise<readonly Result[]> {
  const target = new URL(PATH, url).href
  const batches: Result[][] = []
  let next = 0
  const sender = async (): Promise<void> => {
    for (let from = next; from < flights.length; from = next) {
      next += PER_REQUEST
      // oxlint-disable-next-line no-await-in-loop -- each sender has one request in flight
      batches[from / PER_REQUEST] = await decide(target, flights.slice(from, from + PER_REQUEST))
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender))
  return batches.flat()
}

async function decide(target: string, inputs: readonly Flight[]): Promise<Result[]> {
  const response = await send(target, JSON.stringify({ inputs }))
  const answer = (await response.json()) as { results?: Result[]; error?: string }
  if (response.ok && answer.results !== undefined) return answer.results
  const hint = response.status === 404 ? '\nstart it with the examples: npm start' : ''
  throw new Error(`the server answered ${response.status}: ${answer.error ?? 'no results'}${hint}`)
}

async function send(target: string, body: string): Promise<Response> {
  try {
    return await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new Error(
      `no server answers at ${new URL(target).origin} (${reason})\nstart one in another terminal: npm start`,
      { cause: error },
    )
  }
}
