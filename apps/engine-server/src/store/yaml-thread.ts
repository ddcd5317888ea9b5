import { yamlToJson } from '@engine/rule-file'
import { parentPort } from 'node:worker_threads'

// The thread of `yaml-reader.ts`: bytes of YAML come one after the other, and each is answered before the next is sent.
parentPort?.on('message', (bytes: Uint8Array) => {
  parentPort?.postMessage(yamlToJson(Buffer.from(bytes).toString('utf8')))
})
