import type { IncomingHttpHeaders } from 'node:http'
import type { ActiveShadow } from '../shadows/active-shadows.ts'
import type { Comparison } from '../shadows/comparison.ts'
import type { Destinations } from './destinations.ts'
import type { EngineAnswer } from './engine-answer.ts'

/** Maximum size of a request or an answer that is kept for a comparison. */
const MAX_BYTES = 256 * 1024

/** Collects forwarded bytes, up to a limit. */
class Passing {
  readonly #parts: Buffer[] = []
  #size = 0

  add(part: Buffer): void {
    this.#size += part.length
    if (this.#size <= MAX_BYTES) this.#parts.push(part)
    else this.#parts.length = 0
  }

  /** Undefined if the limit was exceeded. */
  bytes(): Buffer | undefined {
    return this.#size <= MAX_BYTES ? Buffer.concat(this.#parts) : undefined
  }
}

/** A decision that is compared with that of a shadow after it is answered. */
export interface Observation {
  /** Called with parts of the request body as they are forwarded. */
  asked(part: Buffer): void
  answered(part: Buffer): void
  /** Called when the caller has received the complete answer. */
  ended(answer: Pick<EngineAnswer, 'statusCode' | 'headers'>): void
}

/** Undefined if there is no shadow, or the request is not in its share. */
export function observationOf(
  comparison: Comparison,
  { shadows }: Pick<Destinations, 'shadows'>,
  decides: string | undefined,
  headers: IncomingHttpHeaders,
): Observation | undefined {
  const shadow = decides === undefined ? undefined : shadows.get(decides)
  if (shadow === undefined || !isDue(shadow)) return undefined
  const [request, answer] = [new Passing(), new Passing()]
  return {
    asked: (part) => request.add(part),
    answered: (part) => answer.add(part),
    ended({ statusCode: status, headers: of }) {
      // The ruleset had no part in this answer, for example because the body was not JSON.
      if (status !== 200 && of['x-ruleset-digest'] === undefined) return
      const [asked, answered] = [request.bytes(), answer.bytes()]
      if (asked === undefined || answered === undefined) return comparison.dropped(shadow)
      comparison.offer(shadow, {
        request: { bytes: asked, coding: textOf(headers['content-encoding']) },
        answer: { bytes: answered, coding: textOf(of['content-encoding']), status },
      })
    },
  }
}

const isDue = ({ percent, endsAt }: ActiveShadow) => Date.now() < endsAt && Math.random() * 100 < percent

const textOf = (value: string | readonly string[] | undefined) => (typeof value === 'string' ? value : undefined)
