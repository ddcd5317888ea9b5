import type { Receipt } from '@engine/receipts'
import { describe, expect, test } from 'vitest'
import { AskedReceipt } from './asked-receipt.ts'

const RECEIPT: Receipt = {
  format: 'engine-receipt/1',
  entry: '{}',
  index: 0,
  path: [],
  checkpoint: '{}',
  signature: 's',
  evidence: { input: ['salt', '{"age":21}'] },
}
const TEXT = JSON.stringify(RECEIPT)
const { evidence: _, ...bare } = RECEIPT
const BARE = JSON.stringify(bare)

function asked(receipt: Promise<Receipt> = Promise.resolve(RECEIPT)): AskedReceipt {
  const one = new AskedReceipt()
  one.kept(receipt, 10)
  return one
}

describe('the receipt of one execution', () => {
  test('is absent where nothing was executed', async () => {
    const none = new AskedReceipt()
    expect(none.size).toBe(0)
    expect(await none.text()).toBeUndefined()
    expect(await none.shortText(0)).toBeUndefined()
    expect(await none.appendedTo('{"code":"A"')).toBe('{"code":"A"')
  })

  test('is a further member of an answer', async () => {
    expect(await asked().appendedTo('{"code":"A"')).toBe(`{"code":"A","receipt":${TEXT}`)
    expect(asked().size).toBeGreaterThan(1000)
  })

  test.each([
    [TEXT.length, TEXT],
    [TEXT.length - 1, BARE],
    [0, BARE],
  ])('leaves its evidence out where it is longer than %d characters', async (longest, text) => {
    expect(await asked().shortText(longest)).toBe(text)
  })

  test('that cannot be written fails where it is read, and not the process', async () => {
    const failed = asked(Promise.reject(new Error('the disk is full')))
    await new Promise((resolve) => setImmediate(resolve))
    await expect(failed.text()).rejects.toThrow('the disk is full')
    await expect(failed.shortText(10)).rejects.toThrow('the disk is full')
  })
})
