import { parentPort } from 'node:worker_threads'
import { createDiskJobs } from './jobs.ts'
import { type Job, type JobMessage, type JobResult, STARTED, toPlainError, toPlainOutcome } from './messages.ts'
import { synchronousFileSystem } from './synchronous-file-system.ts'

const jobs = createDiskJobs(synchronousFileSystem)

async function run(job: Job): Promise<JobResult> {
  switch (job.kind) {
    case 'replace':
      return { kind: 'replaced', outcome: toPlainOutcome(await jobs.replace(job.replacement)) }
    case 'append':
      await jobs.append(job.path, job.text, job.isDurable)
      return { kind: 'ended', error: undefined }
    case 'find-directory-fault': {
      const fault = await jobs.findDirectoryFault(job.directory)
      return { kind: 'ended', error: fault === undefined ? undefined : toPlainError(fault) }
    }
  }
}

// The thread of `disk-worker.ts`. Jobs run concurrently while they wait for `fsync(2)`.
parentPort?.on('message', async ({ id, job }: JobMessage) => {
  const result = await run(job).catch((cause: unknown) => ({ kind: 'ended', error: toPlainError(cause) }) as const)
  parentPort?.postMessage({ id, result })
})
parentPort?.postMessage(STARTED)
