import { enableCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

// The cache of compiled code of the process, which its threads do not share by themselves: half of the time of their start.
const compiled = workerData as string | undefined
if (compiled !== undefined) enableCompileCache(compiled)
await import('./yaml-conversion.ts')
