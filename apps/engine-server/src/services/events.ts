/** What services report while they work; the audit, metrics and traces listen. All members return at once. */
export interface Events {
  created(rule: { readonly name: string; readonly version: string }): void
  updated(rule: { readonly name: string; readonly from: string; readonly to: string }): void
  deleted(rule: { readonly name: string; readonly version: string }): void
  rolledBack(rule: { readonly name: string; readonly from: string; readonly to: string; readonly seq: number }): void
  /** A ruleset was not taken because of its signature. */
  signatureRejected(rejection: { readonly name: string; readonly origin: string; readonly reason: string }): void
  /** An execution of a stored ruleset ended: with a code, or with an error. */
  executed(execution: Executed): void
  evaluated(seconds: number, outcome: 'success' | 'error'): void
}

interface Executed {
  readonly name: string
  readonly version: string
  readonly seconds: number
  readonly code: string | undefined
  readonly error: string | undefined
  /** Of the request, where requests are traced. */
  readonly traceId: string | undefined
  readonly input: unknown
  readonly output: unknown
}
