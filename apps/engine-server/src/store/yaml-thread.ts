import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { READING as Reading } from './yaml-reader.ts'

/** The cache of compiled code of the process, which its threads do not share by themselves: half of the time of a start. */
const compiled = workerData as string | undefined
if (compiled !== undefined) enableCompileCache(compiled)
const { yamlToJson } = await import('@engine/rule-file')
const READING: typeof Reading = 'reading'

// The thread of `yaml-reader.ts`: bytes of YAML come one after the other, and each is answered before the next is sent.
parentPort?.on('message', (bytes: Uint8Array) => {
  parentPort?.postMessage(READING)
  parentPort?.postMessage(yamlToJson(Buffer.from(bytes).toString('utf8')))
})
