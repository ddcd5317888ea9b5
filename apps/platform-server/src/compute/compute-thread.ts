import { parentPort } from 'node:worker_threads'
import { execute } from './execute.ts'
import { type Transfer, returned, transferablesOf, unpack } from './transfer.ts'

// Runs on a thread of `compute.ts`: each task is answered before the next one is sent.
parentPort?.on('message', async (parcel: Transfer) => {
  parentPort?.postMessage({ kind: 'begun' })
  try {
    const answer = returned(await execute(unpack(parcel)))
    parentPort?.postMessage({ kind: 'done', ...answer }, transferablesOf(answer))
  } catch (error) {
    if (isExhaustion(error)) return parentPort?.postMessage({ kind: 'exhausted', message: error.message })
    return parentPort?.postMessage({
      kind: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
})

/**
 * The errors of V8 for a stack, string or array beyond its limits: the task is too large, but the program has no
 * defect.
 */
const EXHAUSTION =
  /^(?:Maximum call stack size exceeded|Invalid (?:string|array|typed array) length|.*allocation failed)/i

const isExhaustion = (error: unknown): error is RangeError =>
  error instanceof RangeError && EXHAUSTION.test(error.message)
