import type { Hops } from './hops.ts'
import type { Span } from '@engine/process'

/** The context that an execution passes to the calls of its rules, as `ExecuteOptions.context`. */
export class CallContext {
  /** The parent span of calls, where requests are traced. */
  readonly span: Span | undefined
  readonly hops: Hops

  constructor(span: Span | undefined, hops: Hops) {
    this.span = span
    this.hops = hops
  }

  /** The same for a call that is a separate span. */
  within(span: Span): CallContext {
    return new CallContext(span, this.hops)
  }
}
