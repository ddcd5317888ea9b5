import type { Configuration } from '../config/config.ts'

/** What an engine can do beyond the calls of its rules (specification 2.9), as its start configured it. */
const FEATURES: readonly (readonly [name: string, has: (configuration: Configuration) => boolean])[] = [
  // Rulesets always run as generated code: `services/host.ts`.
  ['jit', () => true],
  ['filter', () => true],
  ['grpc', ({ grpc, udsPath }) => grpc !== undefined || udsPath !== undefined],
  ['workers', ({ workers }) => workers > 1],
  ['tenants', ({ multiTenancyEnabled }) => multiTenancyEnabled],
  ['signature', ({ signatureEnabled }) => signatureEnabled],
  ['signature-required', ({ signatureEnabled, signatureRequire }) => signatureEnabled && signatureRequire],
  ['recording', ({ sampleDecisions }) => sampleDecisions > 0],
]

/** Names of the features that an engine of this configuration has. */
export function featuresOf(configuration: Configuration): readonly string[] {
  return FEATURES.filter(([, has]) => has(configuration)).map(([name]) => name)
}
