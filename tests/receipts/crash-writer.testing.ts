import { receiptOf } from '@engine/receipts'
import { parsePrivateKey } from '@engine/signing'
import { setTimeout as sleep } from 'node:timers/promises'
import { decidedAs, openKeeper } from '../../apps/engine-server/src/receipts/keeper.testing.ts'

/** Writes receipts until it is killed, and prints each that a caller would have received. Arguments: directory, key, and `sign` to end after the start. */
const [directory = '', key = '', mode] = process.argv.slice(2)
const keeper = await openKeeper(directory, parsePrivateKey(key), {}, { maxSegmentBytes: 20_000 })
process.stdout.write('ready\n')
if (mode === 'sign') {
  await keeper.close()
  process.exit()
}

async function caller(number: number): Promise<never> {
  for (;;) {
    const seq = keeper.add(decidedAs(number), () => '')
    process.stdout.write(`${JSON.stringify(receiptOf(await keeper.signed(), seq))}\n`)
    await sleep(Math.random() * 3)
  }
}
await Promise.all([0, 1, 2, 3].map(caller))
