import { yamlToJson } from '@engine/rule-file'
import { parentPort } from 'node:worker_threads'
import type { READING as Reading } from './yaml-reader.ts'

const READING: typeof Reading = 'reading'

// Runs on the thread of `yaml-reader.ts`: each text is answered before the next one is sent.
parentPort?.on('message', (bytes: Uint8Array) => {
  parentPort?.postMessage(READING)
  parentPort?.postMessage(yamlToJson(Buffer.from(bytes).toString('utf8')))
})
