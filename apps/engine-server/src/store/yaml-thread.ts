import { yamlToJson } from '@engine/rule-file'
import { parentPort, workerData } from 'node:worker_threads'

// The thread of `read-bytes.ts`: the bytes of one YAML file come with its start, and it ends with its answer.
parentPort?.postMessage(yamlToJson(Buffer.from(workerData as Uint8Array).toString('utf8')))
