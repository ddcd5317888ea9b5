import { once } from 'node:events'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startThread } from './thread.ts'

const TELLS = `import { getCompileCacheDir } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
parentPort.postMessage({ cache: getCompileCacheDir(), environment: Object.keys(process.env), workerData })`

test('a thread has the cache of compiled code of its process, and nothing else of its environment', async () => {
  enableCompileCache(join(tmpdir(), 'compiled'))
  const thread = startThread(new URL(`data:text/javascript,${encodeURIComponent(TELLS)}`), { workerData: 7 })
  const [told] = await once(thread, 'message')
  expect(told).toEqual({ cache: getCompileCacheDir(), environment: ['NODE_COMPILE_CACHE'], workerData: 7 })
})
