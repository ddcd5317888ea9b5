import type { CapabilityProvider } from '@engine/ruleset'

/** The outbound abilities that rules may ask for by name (specification 2.8). */
export interface Capabilities {
  get(name: string): CapabilityProvider | undefined
  /** Throws a `TypeError` on a name that is taken: two providers of one name are a mistake of the program. */
  register(provider: CapabilityProvider): void
  /** In the order of registration. */
  names(): readonly string[]
}

/** An empty registry. */
export function createCapabilities(): Capabilities {
  const providers = new Map<string, CapabilityProvider>()
  return {
    get: (name) => providers.get(name),
    register: (provider) => {
      if (providers.has(provider.name)) throw new TypeError(`capability \`${provider.name}\` is registered twice`)
      providers.set(provider.name, provider)
    },
    names: () => [...providers.keys()],
  }
}
