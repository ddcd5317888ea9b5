import { jsonValue } from '@engine/expression'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { systemProgram } from '../../../tests/programs.testing.ts'
import { linesOf, testChain, testKey } from '../../../tests/receipts/chains.testing.ts'
import { seeded } from '../../expression/src/random.testing.ts'
import { parseReceiptKeys } from './keys.ts'
import { verifyReceipt } from './verify-receipt.ts'
import { LogVerification } from './verify-log.ts'

const { privateKey, publicText } = testKey('first')
const keys = parseReceiptKeys(publicText)
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text with one bit changed; undefined when the bytes are not UTF-8. */
function withBit(bytes: Buffer, bit: number): string | undefined {
  const other = Buffer.from(bytes)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  try {
    return UTF8.decode(other)
  } catch {
    return undefined
  }
}

/** Receipts of every kind, as texts. */
function receipts(): readonly string[] {
  const chain = testChain(privateKey)
  for (let index = 0; index < 10; index++) chain.add({ input: { index, name: 'Zoë \u{1F600}' }, output: { index } })
  const seqs = [
    chain.add({
      input: { text: 'a\nb"\\', large: 2n ** 70n },
      output: { list: [1, null, true, 'x'] },
      message: 'adult',
    }),
    chain.add({ input: { customer: { id: 'c-1', age: 3 } }, fields: ['customer.id'], output: {} }),
    chain.add({ input: {}, error: 'no-branch' }),
    chain.add({ input: {}, calls: [{ step: 's', answer: 1 }], uses: [{ digest: 'a'.repeat(64), name: 'other' }] }),
  ]
  const signed = chain.sign()
  return seqs.map((seq) => JSON.stringify(chain.receipt(signed, seq)))
}

describe('one changed bit is found', () => {
  test('in a receipt', () => {
    const all = receipts().map((text) => Buffer.from(text))
    for (const bytes of all) expect(verifyReceipt(bytes.toString(), keys).faults).toEqual([])
    const random = seeded(SEED)
    const count = casesOf(100_000)
    printSeed(count)
    const missed: string[] = []
    for (let index = 0; index < count; index++) {
      const bytes = all[index % all.length] as Buffer
      const text = withBit(bytes, random.below(bytes.length * 8))
      if (text !== undefined && verifyReceipt(text, keys).faults.length === 0) missed.push(text)
    }
    expect(missed).toEqual([])
  })

  test('in a receipt, by the verifier in Python as well', () => {
    const all = receipts().map((text) => Buffer.from(text))
    const random = seeded(SEED)
    const count = casesOf(100_000, 50)
    printSeed(count)
    const texts = Array.from({ length: count }, (_, index) => {
      const bytes = all[index % all.length] as Buffer
      return withBit(bytes, random.below(bytes.length * 8))
    }).filter((text) => text !== undefined)
    const found = inPython(texts)
    expect(texts.filter((_, index) => found[index]?.length === 0)).toEqual([])
  }, 600_000)

  test('in a log', () => {
    const chain = testChain(privateKey)
    const lines: string[] = []
    for (const count of [3, 1, 2]) {
      for (let index = 0; index < count; index++) chain.add({ input: { index }, output: { name: 'Zoë' } })
      lines.push(...linesOf(chain.sign()))
    }
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    const faultsOf = (text: string) => {
      const log = new LogVerification(keys)
      const read = text.split('\n')
      const cut = read.pop() === '' ? [] : ['cut']
      return [...cut, ...read.flatMap((line) => log.line(line)), ...log.end()]
    }
    expect(faultsOf(bytes.toString())).toEqual([])
    const random = seeded(SEED)
    const count = casesOf(10_000)
    printSeed(count)
    const missed: number[] = []
    for (let index = 0; index < count; index++) {
      const bit = random.below(bytes.length * 8)
      const text = withBit(bytes, bit)
      if (text !== undefined && faultsOf(text).length === 0) missed.push(bit)
    }
    expect(missed).toEqual([])
  })
})

function inPython(texts: readonly string[]): readonly (readonly string[])[] {
  const answer = execFileSync(
    systemProgram('python3'),
    [join(import.meta.dirname, '../../../tests/receipts/run_vectors.py')],
    { input: JSON.stringify({ keys: publicText, receipts: texts }), encoding: 'utf8', maxBuffer: 1 << 30 },
  )
  return jsonValue(answer) as readonly (readonly string[])[]
}

test('thousands of receipts of one log hold in both implementations', () => {
  const chain = testChain(privateKey)
  const texts: string[] = []
  for (let tree = 0, left = casesOf(100_000); left > 0; tree++) {
    const count = Math.min(left, 1 + ((tree * 37) % 400))
    const seqs = Array.from({ length: count }, (_, index) =>
      chain.add({ input: { tree, index }, output: { rate: index / 7 }, message: `${tree}` }),
    )
    const signed = chain.sign()
    texts.push(...seqs.map((seq) => JSON.stringify(chain.receipt(signed, seq))))
    left -= count
  }
  const faulty = texts.filter((text) => verifyReceipt(text, keys).faults.length > 0)
  expect(faulty).toEqual([])
  expect(inPython(texts).filter((faults) => faults.length > 0)).toEqual([])
}, 600_000)
