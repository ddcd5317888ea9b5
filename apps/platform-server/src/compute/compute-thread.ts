import { parentPort } from 'node:worker_threads'
import { execute } from './execute.ts'
import { type Parcel, returned, unpacked } from './parcel.ts'

// On a thread of `compute.ts`: one task after the other, each answered before the next is sent.
parentPort?.on('message', async (parcel: Parcel) => {
  parentPort?.postMessage({ kind: 'begun' })
  try {
    parentPort?.postMessage({ kind: 'done', ...returned(await execute(unpacked(parcel))) })
  } catch (error) {
    parentPort?.postMessage({
      kind: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
})
