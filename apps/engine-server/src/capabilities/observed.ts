import type { CapabilityProvider } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { isSpan } from '../telemetry/tracing.ts'

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
    async call(request) {
      const { capability, operation, context, ruleset, step } = request
      const start = performance.now()
      const span = isSpan(context)
        ? context.child(`${capability} ${operation}`, { 'engine.ruleset': ruleset, 'engine.step': step }, 'client')
        : undefined
      const finish = (outcome: CapabilityCall['outcome'], failure?: string) => {
        called({ capability, operation, seconds: (performance.now() - start) / 1000, outcome })
        span?.end(failure)
      }
      try {
        const response = await provider.call(span === undefined ? request : { ...request, context: span })
        finish('success')
        return response
      } catch (error) {
        finish('error', error instanceof Error ? error.message : String(error))
        throw error
      }
    },
  }
}
