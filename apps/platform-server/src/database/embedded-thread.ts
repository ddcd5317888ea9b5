import { PGlite } from '@electric-sql/pglite'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableFiles, START_PARAMETERS, syncFolder } from './durable-files.ts'
import type { FromThread, ThreadData, ToThread } from './embedded-messages.ts'

/**
 * The thread of PGlite: on the main thread each query would block the event loop. Messages are processed in order, one
 * at a time.
 */
const { folder, template, isNew } = workerData as ThreadData
const post = (message: FromThread, transferred: ArrayBuffer[] = []) => parentPort?.postMessage(message, transferred)

const database = await (folder === undefined
  ? PGlite.create(template === undefined ? {} : { loadDataDir: new Blob([Uint8Array.from(template)]) })
  : PGlite.create({ fs: new DurableFiles(folder), startParams: [...START_PARAMETERS] }))
if (folder !== undefined && isNew) {
  post({ kind: 'created' })
  syncFolder(folder)
}

/** Resets the only session after a broken connection: ends its transaction and drops its prepared statements. */
const FRESH_SESSION = ['ROLLBACK', 'DISCARD ALL']

/** Maximum number of bytes of an answer that are posted together. */
const PIECE_BYTES = 256 * 1024

/**
 * Answers a message of a connection. A long answer is posted in pieces while it is computed: one buffer of its size
 * would be copied several times, and freed memory of that size stays with the process. The last piece ends the query
 * for the client, and is posted after the files are synced.
 */
async function answer(connection: number, request: Uint8Array): Promise<void> {
  let chunks: Uint8Array[] = []
  let size = 0
  const postChunks = () => {
    const bytes = concatenated(chunks, size)
    post({ kind: 'bytes', connection, bytes }, [bytes.buffer])
    chunks = []
    size = 0
  }
  await database.execProtocolRawStream(request, {
    onRawData(chunk) {
      if (size >= PIECE_BYTES) postChunks()
      // A view of the memory of the database, which changes after this call.
      chunks.push(chunk.slice())
      size += chunk.length
    },
  })
  postChunks()
}

/** Concatenates chunks in a separate buffer, which can be transferred; `Buffer.concat` may use one that Node shares. */
function concatenated(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let end = 0
  for (const chunk of chunks) {
    bytes.set(chunk, end)
    end += chunk.length
  }
  return bytes
}

const handle = async (message: ToThread): Promise<void> => {
  switch (message.kind) {
    case 'connect':
      for (const statement of FRESH_SESSION) await database.exec(statement)
      return
    case 'bytes':
      return answer(message.connection, message.bytes)
    case 'dump': {
      const dumped = await database.dumpDataDir('none')
      post({ kind: 'dumped', template: new Uint8Array(await dumped.arrayBuffer()) })
      return
    }
    case 'close':
      await database.close()
      post({ kind: 'closed' })
      parentPort?.close()
  }
}

let turn = Promise.resolve()
parentPort?.on('message', (message: ToThread) => {
  turn = turn.then(() => handle(message))
})
post({ kind: 'ready' })
