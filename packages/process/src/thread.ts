import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread without the options and environment of its process, except for the compile cache, which threads do
 * not share by default: two thirds of their start-up time.
 *
 * @param file its first module
 */
export function startThread(file: URL, options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {}): Worker {
  // Node creates one folder per version below the configured one.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
  return new Worker(file, { ...options, execArgv: [], env })
}
