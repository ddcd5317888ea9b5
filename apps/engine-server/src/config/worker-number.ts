import cluster from 'node:cluster'

/** Set by the owner for the processes that it starts. */
export const WORKER_VARIABLE = 'ENGINE_WORKER_NUMBER'

/** The number of this worker; undefined if this process is not a worker. */
export function workerNumber(): number | undefined {
  const number = process.env[WORKER_VARIABLE]
  // Child processes of a worker are not workers.
  delete process.env[WORKER_VARIABLE]
  return cluster.isWorker && number !== undefined ? Number(number) : undefined
}
