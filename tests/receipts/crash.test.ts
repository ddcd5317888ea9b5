import { LogVerification, parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { generateKeys } from '@engine/signing'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chainsOf, segmentsOf } from '../../apps/engine-server/src/receipts/segments.ts'
import { casesOf } from '../cases.testing.ts'

const ROUNDS = casesOf(200, 40)
const WRITER = join(import.meta.dirname, 'crash-writer.testing.ts')

test(
  `${ROUNDS} times SIGKILL while receipts are written loses none that was given out, and the chain holds`,
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-receipts-crash-'))
    const { privateKey, publicKey } = generateKeys()
    const keys = parseReceiptKeys(publicKey)
    const given = new Map<number, string>()
    for (let round = 0; round < ROUNDS; round++)
      for (const receipt of await receiptsUntilKilled(directory, privateKey)) {
        const { faults, entry } = verifyReceipt(receipt, keys)
        expect(faults).toEqual([])
        const seq = entry?.seq ?? -1
        expect(given.has(seq), 'no number is given twice').toBe(false)
        given.set(seq, JSON.parse(receipt).entry)
      }
    // The next start signs entries without a checkpoint.
    await once(spawn(process.execPath, [WRITER, directory, privateKey, 'sign'], { stdio: 'inherit' }), 'close')
    const chains = await chainsOf(directory)
    expect(chains, 'one chain').toHaveLength(1)
    const verification = new LogVerification(keys)
    const entries: string[] = []
    for (const { path } of await segmentsOf(chains[0]?.path ?? ''))
      for (const line of readFileSync(path, 'utf8')
        .split('\n')
        .filter((one) => one !== '')) {
        expect(verification.line(line)).toEqual([])
        if (!line.startsWith('{"checkpoint":')) entries.push(line)
      }
    expect(verification.end()).toEqual([])
    expect(given.size).toBeGreaterThan(ROUNDS)
    for (const [seq, entry] of given) expect(entries[seq]).toBe(entry)
  },
  20_000 * ROUNDS + 60_000,
)

/** Runs the writer, kills it at some moment, and gives the receipts that it printed. */
async function receiptsUntilKilled(directory: string, key: string) {
  const child = spawn(process.execPath, [WRITER, directory, key], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let text = ''
  let enough = 2 + Math.floor(Math.random() * 20)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    for (const character of chunk) if (character === '\n') enough--
    if (enough <= 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 8)
  })
  await closed
  const lines = text.split('\n')
  // The reader of a line that was cut off never had it in full.
  lines.pop()
  return lines.filter((line) => line.startsWith('{"format"'))
}
