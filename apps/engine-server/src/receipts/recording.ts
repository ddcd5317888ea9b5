import type { ObjectValue, Value } from '@engine/expression'
import type { Capabilities, CapabilityProvider, CapabilityRequest, Program } from '@engine/ruleset'
import { CallContext } from '../capabilities/call-context.ts'
import type { Hops } from '../capabilities/hops.ts'
import type { Span } from '@engine/process'

/** An external call in the form that evidence contains. */
export type RecordedCall = {
  readonly step: string
  readonly service: string
  readonly method: string
  readonly parameters: Value
} & ({ readonly answer: ObjectValue } | { readonly error: string })

interface CallInProgress {
  readonly request: CapabilityRequest
  outcome: { readonly answer: ObjectValue } | { readonly error: string } | undefined
}

/** Selects programs whose executions are observed even if no receipt is kept. */
export interface ObservedPrograms {
  /** True if recorded decisions of this program include its external calls. */
  wantsAnswers(program: Program): boolean
}

/** The clock, the place in the log and the external calls of an execution, for its recorded decision. */
export type RecordedExecution = Pick<ExecutionRecording, 'now' | 'place' | 'calls'>

/**
 * Observes one execution, for its receipt or to record its decision: the rulesets it calls and the answers to its
 * external calls.
 */
export class ExecutionRecording extends CallContext {
  /** The value of `now()` in the rules, in epoch milliseconds. */
  readonly now: number
  readonly #place = Promise.withResolvers<string | undefined>()
  readonly #used = new Set<Program>()
  readonly #calls: CallInProgress[] = []

  constructor(span: Span | undefined, hops: Hops, now: number) {
    super(span, hops)
    this.now = now
    // If nothing awaits the place, its rejection must not end the process.
    this.#place.promise.catch(() => {})
  }

  /** Observes an execution without a receipt. */
  static withoutReceipt(span: Span | undefined, hops: Hops, now: number): ExecutionRecording {
    const recording = new ExecutionRecording(span, hops, now)
    recording.placed(Promise.resolve(undefined))
    return recording
  }

  /**
   * The place in the log: `<instance>#<seq>`; undefined if there is no receipt. Rejects if the receipt cannot be
   * written.
   */
  get place(): Promise<string | undefined> {
    return this.#place.promise
  }

  placed(place: Promise<string | undefined>): void {
    this.#place.resolve(place)
  }

  /** Called when `call_ruleset` reaches a program. */
  reached(program: Program): void {
    this.#used.add(program)
  }

  /** Called programs, in the order of first use. */
  get used(): readonly Program[] {
    return [...this.#used]
  }

  /** Records the start of an awaited call, which determines its position. Call the result with its outcome. */
  began(request: CapabilityRequest): (outcome: CallInProgress['outcome']) => void {
    const call: CallInProgress = { request, outcome: undefined }
    this.#calls.push(call)
    return (outcome) => {
      call.outcome ??= outcome
    }
  }

  get calls(): readonly RecordedCall[] {
    return this.#calls.map(({ request: { step, capability, operation, payload }, outcome }) => ({
      step,
      service: capability,
      method: operation,
      parameters: payload,
      ...(outcome ?? { error: 'no answer' }),
    }))
  }
}

/** Capabilities whose answers are recorded in executions that are recorded. */
export function recordedCapabilities(capabilities: Pick<Capabilities, 'get'>): Pick<Capabilities, 'get'> {
  const providers = new WeakMap<CapabilityProvider, CapabilityProvider>()
  return {
    get(name) {
      const provider = capabilities.get(name)
      if (provider === undefined) return undefined
      const known = providers.get(provider) ?? recorded(provider)
      providers.set(provider, known)
      return known
    },
  }
}

function recorded(provider: CapabilityProvider): CapabilityProvider {
  return {
    ...provider,
    // Not `async`: errors thrown by the provider must stay thrown and not turn into rejections.
    call(request) {
      const { context, isAwaited, signal } = request
      if (!(context instanceof ExecutionRecording) || !isAwaited) return provider.call(request)
      const ended = context.began(request)
      // The rule no longer waits and never sees a late answer.
      signal.addEventListener('abort', () => ended({ error: 'no answer in time' }))
      try {
        return provider.call(request).then(
          (response) => {
            ended({ answer: { payload: response.payload, metadata: response.metadata } })
            return response
          },
          (error: unknown) => {
            ended({ error: reasonOf(error) })
            throw error
          },
        )
      } catch (error) {
        ended({ error: reasonOf(error) })
        throw error
      }
    },
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
