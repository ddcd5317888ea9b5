import type { Answered, ProbedPlace } from './place.ts'

/** A request and the status that it is answered with. */
export interface Request {
  readonly title: string
  readonly status: number
  readonly send: () => Promise<Answered>
}

/** The requests of one part, once their prerequisites exist. */
export type RequestsOf = (place: ProbedPlace, project: string) => readonly Request[] | Promise<readonly Request[]>

/** The requests of all parts, each with a separate project, or of the one that `PART` names. */
export async function requestsOf(
  place: ProbedPlace,
  parts: Readonly<Record<string, RequestsOf>>,
): Promise<readonly Request[]> {
  const wanted = process.env['PART']
  const found: Request[] = []
  for (const [name, part] of Object.entries(parts))
    if (wanted === undefined || wanted === name) found.push(...(await part(place, await projectOf(place, name))))
  if (found.length === 0) throw new Error(`PART must be one of ${Object.keys(parts).join(', ')}`)
  return found
}

async function projectOf({ org, send }: ProbedPlace, name: string): Promise<string> {
  const { text } = await send('POST', `${org}/projects`, JSON.stringify({ name }))
  return `${org}/projects/${JSON.parse(text).id}`
}
