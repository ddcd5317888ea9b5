import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Start a thread with nothing of the options and the environment of its process but the cache of compiled code, which threads
 * do not share by themselves: two thirds of the time of their start.
 *
 * @param file its first module
 */
export function startThread(file: URL, options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {}): Worker {
  // Below the folder that was asked for there is one for each version of Node.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
  return new Worker(file, { ...options, execArgv: [], env })
}
