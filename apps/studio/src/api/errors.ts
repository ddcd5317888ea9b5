import { isObject, type Value } from '@engine/expression/core'

/** A part of an error response. */
export interface Detail {
  /** JSON pointer into the body. */
  readonly path: string
  readonly message: string
  readonly code?: string
}

/** A request that the platform rejected or, with status 0, that did not reach it. */
export class ApiError extends Error {
  readonly status: number
  readonly details: readonly Detail[]
  readonly requestId: string | undefined
  /** The conflicting state of a conflict. */
  readonly current: Value | undefined

  constructor(status: number, body: Value | undefined, requestId: string | null) {
    const fields = body !== undefined && isObject(body) ? body : {}
    super(typeof fields['error'] === 'string' ? fields['error'] : `status ${status}`)
    this.status = status
    this.details = detailsOf(fields['details'])
    this.requestId = requestId ?? undefined
    this.current = fields['current']
    if (status === 401) signedOut.tell()
  }

  /** For example `stale` or `duplicate`. */
  get reason(): string | undefined {
    return this.details[0]?.code
  }
}

function detailsOf(value: Value | undefined): readonly Detail[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: Value) => {
    if (!isObject(one)) return []
    const { path, message, code } = one
    const detail = { path: typeof path === 'string' ? path : '', message: typeof message === 'string' ? message : '' }
    return [typeof code === 'string' ? { ...detail, code } : detail]
  })
}

/** The error of a request that did not reach the platform, or of a response that did not arrive as a whole. */
export function unreachable(error: unknown): unknown {
  return error instanceof DOMException && error.name === 'AbortError' ? error : new ApiError(0, undefined, null)
}

/** A request, or the body of its response. Throws `ApiError` if the platform is not reached, or the connection is lost. */
export const reached = <T>(arriving: Promise<T>): Promise<T> =>
  arriving.catch((error: unknown) => Promise.reject(unreachable(error)))

/** Whether the session has ended: the page then offers to sign in without losing its state. */
class SignedOut {
  #is = false
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly get = () => this.#is

  tell(is = true): void {
    this.#is = is
    for (const listener of this.#listeners) listener()
  }
}

export const signedOut = new SignedOut()

/** The thrown value as an `Error`. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
