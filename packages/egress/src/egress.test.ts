import { expect, test } from 'vitest'
import { createEgress, type EgressPolicy } from './egress.ts'

const everything = () => true

test.each<[policy: EgressPolicy, address: string]>(
  (['open', 'public', 'allowlist'] as const).flatMap((policy) =>
    ['169.254.169.254', '169.254.1.1', 'fe80::1', '::ffff:169.254.169.254'].map((address): [EgressPolicy, string] => [
      policy,
      address,
    ]),
  ),
)('no pattern of --network-http-allow opens link-local and metadata addresses: %s, %s', (policy, address) => {
  const egress = createEgress(policy, [everything], '--network-http-allow')
  expect(egress({ host: address, address, port: 80 })).toBe('link-local and cloud metadata addresses are never called')
})
