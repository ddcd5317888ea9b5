import { ForksPoolWorker, type PoolOptions, type WorkerRequest } from 'vitest/node'

/**
 * Limits of one worker process. Every test file leaves its module, its compiled programs and its results in it: after an
 * hour, a process that had run hundreds of files held 900 MB, took two to six times as long for the same work, and two
 * seconds for a collection of garbage. A new process loads the shared modules again, which takes some seconds.
 */
const MAX_FILES_PER_WORKER = 64
const MAX_HEAP_BYTES = 500 * 1024 * 1024

/** A worker process of the tests that is replaced by a new one before it grows slow. */
class YoungWorker extends ForksPoolWorker {
  override readonly name = 'young-forks'
  readonly reportMemory = true
  #files = 0
  #heapBytes = 0

  override async start(): Promise<void> {
    await super.start()
    this.on('message', ({ usedMemory }: { readonly usedMemory?: number }) => {
      this.#heapBytes = usedMemory ?? this.#heapBytes
    })
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run') this.#files += message.context.files.length
    super.send(message)
  }

  /** Called by the pool after every file. */
  canReuse(): boolean {
    return this.#files < MAX_FILES_PER_WORKER && this.#heapBytes < MAX_HEAP_BYTES
  }
}

/** The `pool` of a vitest project whose files share processes (`isolate: false`). */
export const youngWorkers = {
  name: 'young-forks',
  createPoolWorker: (options: PoolOptions) => new YoungWorker(options),
}
