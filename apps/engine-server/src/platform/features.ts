import type { Configuration } from '../config/config.ts'

/** Features of an engine besides the capabilities of its rules (specification 2.9), by its configuration at start. */
const FEATURES: readonly (readonly [name: string, has: (configuration: Configuration) => boolean])[] = [
  // Rulesets always run as generated code: `services/host.ts`.
  ['jit', () => true],
  ['filter', () => true],
  ['grpc', ({ grpc, udsPath }) => grpc !== undefined || udsPath !== undefined],
  ['workers', ({ workers }) => workers > 1],
  ['tenants', ({ multiTenancyEnabled }) => multiTenancyEnabled],
  ['signature', ({ signatureEnabled }) => signatureEnabled],
  ['signature-required', ({ signatureRequire }) => signatureRequire],
  ['recording', ({ sampleDecisions }) => sampleDecisions > 0],
]

/** Names of the features of an engine with this configuration. */
export function featuresOf(configuration: Configuration): readonly string[] {
  return FEATURES.filter(([, has]) => has(configuration)).map(([name]) => name)
}
