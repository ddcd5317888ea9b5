import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { StartError, starting } from './start-error.ts'

/** Maximum size of a file with keys, tokens or certificates. */
const MAX_BYTES = 16 * 1024 * 1024
/** Timeout for the first bytes from the writer of a pipe. */
const PIPE_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 20
const CHUNK_BYTES = 64 * 1024

interface StartFileLimits {
  readonly bytes: number
  readonly pipeMs: number
}

/**
 * Reads a file that an option names. A pipe with no writer and a device that never ends abort the start with the reason
 * instead of delaying it. Throws `StartError`.
 *
 * @param limits for tests
 */
export function readStartFile(
  option: string,
  path: string,
  limits: StartFileLimits = { bytes: MAX_BYTES, pipeMs: PIPE_TIMEOUT_MS },
): Promise<Buffer> {
  const refuse = (reason: string) => new StartError(`${option}: cannot use \`${path}\`: ${reason}`)
  return starting(option, path, async () => {
    // Otherwise opening a pipe would wait for its writer, on a thread that nothing can end.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const isPipe = (await file.stat()).isFIFO()
      const deadline = performance.now() + limits.pipeMs
      const chunks: Buffer[] = []
      let size = 0
      for (;;) {
        const chunk = await nextChunk(file)
        const isWaiting = chunk === undefined || (chunk.length === 0 && isPipe && size === 0)
        if (chunk?.length === 0 && !isWaiting) return Buffer.concat(chunks)
        if (isWaiting) {
          if (performance.now() > deadline) throw refuse(`nothing was written to it within ${limits.pipeMs / 1000} s`)
          await delay(POLL_INTERVAL_MS)
          continue
        }
        chunks.push(chunk)
        size += chunk.length
        if (size > limits.bytes) throw refuse(`it has more than ${limits.bytes} bytes`)
      }
    } finally {
      await file.close()
    }
  })
}

/** The next bytes; empty at the end; undefined if the writer has not written them yet. */
async function nextChunk(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, null)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
