import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** A request and its response that, according to schemathesis, do not fit the description. */
export interface Finding {
  /** The kind of finding, in the words of its report. */
  readonly type: string
  /** Method and path of the description. */
  readonly operation: string
  /** The check's own message. */
  readonly message: string
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
  /** The bodies as JSON; undefined when they are none. */
  readonly sent: unknown
  readonly answer: unknown
  readonly status: number
}

/** The parts of an event of the report that are read. */
interface Event {
  readonly ScenarioFinished?: {
    readonly recorder: {
      readonly checks?: Readonly<Record<string, readonly Checked[]>>
      readonly interactions: Readonly<Record<string, Interaction>>
    }
  }
}

interface Checked {
  readonly failure_info?: {
    readonly failure: { readonly type: string; readonly operation: string; readonly message: string }
  }
}

interface Interaction {
  readonly request: {
    readonly uri: string
    readonly headers: Readonly<Record<string, unknown>>
    readonly body?: Encoded | null
  }
  readonly response: { readonly status_code: number; readonly content?: Encoded | null } | null
}

interface Encoded {
  readonly $base64: string
}

/** The findings in a report of events, one JSON document a line. */
export async function findingsIn(report: string): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for await (const line of createInterface(createReadStream(report))) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as Event
    const { checks = {}, interactions = {} } = scenario?.recorder ?? {}
    for (const [id, results] of Object.entries(checks))
      for (const { failure_info: failed } of results)
        if (failed !== undefined) found.push(findingOf(failed.failure, interactions[id]))
  }
  return found
}

function findingOf(
  { type, operation, message }: NonNullable<Checked['failure_info']>['failure'],
  interaction: Interaction | undefined,
): Finding {
  assert(interaction !== undefined, `${type} of ${operation} has no request in the report`)
  const { request, response } = interaction
  return {
    type,
    operation,
    message,
    url: request.uri,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
    sent: jsonOf(request.body),
    answer: jsonOf(response?.content),
    status: response?.status_code ?? 0,
  }
}

function jsonOf(encoded: Encoded | null | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(encoded?.$base64 ?? '', 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}
