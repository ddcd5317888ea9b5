import type { CapabilityProvider } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { CallContext } from './call-context.ts'

/** How a call went. */
export interface CapabilityCall {
  readonly capability: string
  readonly operation: string
  readonly seconds: number
  readonly outcome: 'success' | 'error'
}

/** The provider, with every call counted, and traced where its execution is. */
export function observed(provider: CapabilityProvider, called: (call: CapabilityCall) => void): CapabilityProvider {
  return {
    name: provider.name,
    operations: provider.operations,
    required: provider.required ?? [],
    // Not `async`: errors thrown by the provider must be thrown, not turned into rejections.
    call(request) {
      const { capability, operation, context, ruleset, step } = request
      const start = performance.now()
      const outer = context instanceof CallContext ? context : undefined
      const attributes = { 'engine.ruleset': ruleset, 'engine.step': step }
      const span = outer?.span?.child(`${capability} ${operation}`, attributes, 'client')
      const finish = (outcome: CapabilityCall['outcome'], failure?: string) => {
        called({ capability, operation, seconds: (performance.now() - start) / 1000, outcome })
        span?.end(failure)
      }
      const failed = (error: unknown): never => {
        finish('error', error instanceof Error ? error.message : String(error))
        throw error
      }
      try {
        const inner = span === undefined ? request : { ...request, context: outer?.within(span) }
        return provider.call(inner).then((response) => {
          finish('success')
          return response
        }, failed)
      } catch (error) {
        return failed(error)
      }
    },
  }
}
