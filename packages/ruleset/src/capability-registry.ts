import { quote } from '@engine/expression/core'
import type { CapabilityProvider } from './capability.ts'

/** The outbound capabilities that rules can call by name (specification 2.8). Assignable to `Host.capabilities`. */
export interface Capabilities {
  get(name: string): CapabilityProvider | undefined
  /** Throws a `TypeError` for a name that is already registered: that is a bug in the host program. */
  register(provider: CapabilityProvider): void
  /** In registration order. */
  names(): readonly string[]
}

/** Wildcard for an operation name: all operations. */
export const ANY_OPERATION = '*'

/** Whether a provider has an operation. */
export function offers({ operations }: CapabilityProvider, operation: string): boolean {
  return operations.includes(operation) || operations.includes(ANY_OPERATION)
}

/** A registry of the given providers. */
export function createCapabilities(...given: readonly CapabilityProvider[]): Capabilities {
  const providers = new Map<string, CapabilityProvider>()
  const register = (provider: CapabilityProvider) => {
    if (providers.has(provider.name)) throw new TypeError(`capability ${quote(provider.name)} is registered twice`)
    providers.set(provider.name, provider)
  }
  given.forEach(register)
  return { get: (name) => providers.get(name), register, names: () => [...providers.keys()] }
}
