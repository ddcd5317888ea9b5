import { PGlite } from '@electric-sql/pglite'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableFiles, START_PARAMETERS, syncFolder } from './durable-files.ts'
import type { FromThread, ThreadData, ToThread } from './embedded-messages.ts'

/**
 * The thread that PGlite runs in: on the main thread each query would block the event loop. Messages are processed in
 * their order, one at a time.
 */
const { folder, template, isNew } = workerData as ThreadData
const post = (message: FromThread) => parentPort?.postMessage(message)

const database = await (folder === undefined
  ? PGlite.create(template === undefined ? {} : { loadDataDir: new Blob([Uint8Array.from(template)]) })
  : PGlite.create({ fs: new DurableFiles(folder), startParams: [...START_PARAMETERS] }))
if (folder !== undefined && isNew) {
  post({ kind: 'created' })
  syncFolder(folder)
}

/** Resets the only session after a broken connection: ends its transaction and drops its prepared statements. */
const FRESH_SESSION = ['ROLLBACK', 'DISCARD ALL']

const handle = async (message: ToThread): Promise<void> => {
  switch (message.kind) {
    case 'connect':
      for (const statement of FRESH_SESSION) await database.exec(statement)
      return
    case 'bytes':
      post({ kind: 'bytes', connection: message.connection, bytes: await database.execProtocolRaw(message.bytes) })
      return
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
