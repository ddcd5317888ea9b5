import { quote } from '@engine/expression'
import type { CapabilityProvider } from './capability.ts'

/** The outbound abilities that rules may ask for by name (specification 2.8). Fits `Host.capabilities`. */
export interface Capabilities {
  get(name: string): CapabilityProvider | undefined
  /** Throws a `TypeError` on a name that is taken: two providers of one name are a mistake of the program. */
  register(provider: CapabilityProvider): void
  /** In the order of registration. */
  names(): readonly string[]
}

/** In the place of an operation's name: all of them. */
export const ANY_OPERATION = '*'

/** Whether a provider can be asked for an operation. */
export function offers({ operations }: CapabilityProvider, operation: string): boolean {
  return operations.includes(operation) || operations.includes(ANY_OPERATION)
}

/** A registry with these providers in it. */
export function createCapabilities(...given: readonly CapabilityProvider[]): Capabilities {
  const providers = new Map<string, CapabilityProvider>()
  const register = (provider: CapabilityProvider) => {
    if (providers.has(provider.name)) throw new TypeError(`capability ${quote(provider.name)} is registered twice`)
    providers.set(provider.name, provider)
  }
  given.forEach(register)
  return { get: (name) => providers.get(name), register, names: () => [...providers.keys()] }
}
