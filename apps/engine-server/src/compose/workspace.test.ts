import { describe, expect, test } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { type Configuration, readConfiguration } from '../config/config.ts'
import { egressPolicyOf } from './egress.ts'
import { settingsOf, signaturePolicyOf } from './workspace.ts'

function configured(...options: readonly string[]): Configuration {
  const read = readConfiguration(options, {})
  if (read.kind === 'end') throw new Error(read.output)
  return read.configuration
}

test.each<[options: readonly string[], settings: Partial<ReturnType<typeof settingsOf>>]>([
  [[], { files: undefined, seedDir: undefined, requestMs: 30_000, debugMode: false, contracts: 'ruleset' }],
  [['--rules-dir', 'r'], { files: { rulesDir: 'r', maxVersions: 10, isWatched: false } }],
  [
    ['--rules-dir', 'r', '--max-versions', '7', '--watch-rules'],
    { files: { rulesDir: 'r', maxVersions: 7, isWatched: true } },
  ],
  [['--seed-dir', 's'], { seedDir: 's' }],
  [['--execution-timeout-ms', '70', '--request-timeout-secs', '9'], { executionTimeoutMs: 70, requestMs: 9000 }],
  [['--contracts', 'warn', '--debug-mode'], { contracts: 'warn', debugMode: true }],
])('an engine started with %j keeps and decides with %j', (options, settings) => {
  expect(settingsOf(configured(...options))).toMatchObject(settings)
})

test.each<[options: readonly string[], policy: string]>([
  [[], 'public'],
  [['--network-http-allow', 'api.example.com'], 'allowlist'],
  [['--network-http-policy', 'public', '--network-http-allow', '10.0.0.1'], 'public'],
  [['--network-http-policy', 'open'], 'open'],
])('with %j, rules may call: %s', (options, policy) => {
  expect(egressPolicyOf(configured(...options))).toBe(policy)
})

describe('signatures', () => {
  const KEY = `${'A'.repeat(43)}=`
  const TRUSTED = ['--signature-trusted-keys', KEY]
  const ENABLED = ['--signature-enabled', ...TRUSTED]

  test.each<[options: readonly string[], policy: object, warnings: number]>([
    [[], { enabled: false, required: false, allowUnsignedLocal: true, bindTenant: false }, 0],
    [ENABLED, { enabled: true, required: false, trusted: new Set([KEY]) }, 0],
    [[...ENABLED, '--signature-require'], { enabled: true, required: true, bindTenant: false }, 0],
    [
      [...ENABLED, '--signature-bind-tenant', '--multi-tenancy-enabled', '--signature-allow-unsigned-local=false'],
      { required: false, bindTenant: true, allowUnsignedLocal: false },
      0,
    ],
    [['--signature-enabled'], { enabled: true, trusted: new Set() }, 1],
    [['--signature-allow-unsigned-local=false'], { enabled: false, allowUnsignedLocal: false }, 1],
    [TRUSTED, { enabled: false, trusted: new Set([KEY]) }, 1],
  ])('by %j: %j, with %i warnings', async (options, policy, warnings) => {
    const { log, lines } = memoryLog()
    expect(await signaturePolicyOf(configured(...options), log)).toMatchObject(policy)
    expect(lines.map(([level]) => level)).toEqual(Array.from({ length: warnings }, () => 'warn'))
  })
})
