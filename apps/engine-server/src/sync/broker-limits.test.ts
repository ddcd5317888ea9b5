import { expect, test } from 'vitest'
import { maxAckPending } from './broker-limits.ts'

const MIB = 1024 * 1024

test.each([
  ['that has not told its limit', 0, 512],
  ['with small messages', 64 * 1024, 512],
  ['with messages of half a mebibyte', MIB / 2, 512],
  ['with the usual limit', MIB, 256],
  ['with messages of eight mebibytes', 8 * MIB, 32],
  ['with the largest messages', 64 * MIB, 8],
])('a broker %s sends as many messages ahead as fit into memory', (_title, maxPayload, messages) => {
  expect(maxAckPending(maxPayload)).toBe(messages)
})
