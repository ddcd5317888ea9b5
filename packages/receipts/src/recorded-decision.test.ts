import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testChain } from '../../../tests/receipts/chains.testing.ts'
import { Malformed } from './malformed.ts'
import { recordedDecision } from './recorded-decision.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const CALL = { step: 's', service: 'b', method: 'm', parameters: { id: 1 }, answer: { payload: 1, metadata: {} } }

function receiptOf(
  decided: Parameters<ReturnType<typeof testChain>['add']>[0],
  change?: (evidence: object) => unknown,
) {
  const chain = testChain(privateKey)
  const seq = chain.add(decided)
  const receipt = chain.receipt(chain.sign(), seq)
  return JSON.stringify(change === undefined ? receipt : { ...receipt, evidence: change(receipt.evidence ?? {}) })
}

describe('the decision of a receipt', () => {
  test('has the input, the code, the clock and the calls with their answers', () => {
    const { input, code, now, calls } = recordedDecision(receiptOf({ input: { a: 1n << 70n }, calls: [CALL] }))
    expect([input, calls]).toEqual([{ a: 1n << 70n }, [CALL]])
    expect([typeof code, typeof now]).toEqual(['string', 'number'])
  })

  test.each([
    ['the input', () => ({}), 'no evidence of the input'],
    ['the calls', ({ calls: _, ...rest }: { calls?: unknown }) => rest, 'no evidence of the external calls'],
  ])('needs evidence of %s', (_part, change, message) => {
    const text = receiptOf({ input: {}, calls: [CALL] }, change)
    expect(() => recordedDecision(text)).toThrow(Malformed)
    expect(() => recordedDecision(text)).toThrow(message)
  })

  test('is refused for a text that is no receipt', () => {
    expect(() => recordedDecision('{}')).toThrow(Malformed)
  })
})
