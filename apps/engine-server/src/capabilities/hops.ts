import { EngineError, quoted } from '../errors.ts'

/**
 * Counts the requests on the way from the one that began a chain: rules that call an engine, whose rules call an engine. Set
 * by the engine on each `network.http` request; rules cannot.
 */
export const HOPS_HEADER = 'x-engine-hops'

/** Requests with more hops are rejected: rules that call their own engine would loop forever. */
const MAX_HOPS = 8

/** Why a request is refused by its hops; undefined: it is not. Anything but one plain number is refused as well. */
export function refuseHops(header: string | readonly string[] | undefined): EngineError | undefined {
  if (header === undefined) return undefined
  const hops = hopsOf(header)
  if (hops === undefined)
    return new EngineError('invalid-request', `the header \`${HOPS_HEADER}\` must be one whole number from 0 on`)
  if (hops <= MAX_HOPS) return undefined
  return new EngineError(
    'too-many-hops',
    `rules of engines call each other in a circle: \`${HOPS_HEADER}\` is ${quoted(String(hops))}, at most ${MAX_HOPS} are followed`,
  )
}

/**
 * The hops of one request, and of the calls that are made for it. Its first call has one more than the request, the second
 * and third two more, the fourth to seventh three more, and so on: with the number of hops limited, so is the number of
 * requests that can follow from one, at (3^9 + 1) / 2, however many calls each of them makes. Depth alone would not do:
 * eight generations of a hundred calls each are 10^16 requests.
 */
export class Hops {
  readonly #before: number
  #calls = 0

  constructor(before: number) {
    this.#before = before
  }

  /** The hops of an accepted request, from its header. */
  static of(header: string | readonly string[] | undefined): Hops {
    return new Hops(hopsOf(header) ?? 0)
  }

  /**
   * The hops of one of many inputs of a request. Where the request came from outside each input counts its own calls, as if it
   * had come alone; one that rules made shares its count, else a batch would be a way around it.
   */
  ofInput(): Hops {
    return this.#before === 0 ? new Hops(0) : this
  }

  /** The value of the next call. */
  next(): number {
    return this.#before + 1 + Math.floor(Math.log2(++this.#calls))
  }
}

function hopsOf(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,4}$/.test(header) ? Number(header) : undefined
}
