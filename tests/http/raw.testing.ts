import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { TestServer } from './server.testing.ts'

/** A connection that sends exact bytes, including those that no client would send. */
export interface RawConnection {
  readonly socket: Socket
  /** All that came so far. */
  received(): string
  write(bytes: string | Uint8Array): void
  /** Waits until the received text matches. Throws when the connection ends first. */
  reads(pattern: RegExp): Promise<string>
  /** Waits until the connection is closed; everything received. */
  ended(): Promise<string>
}

export async function connectRaw(server: Pick<TestServer, 'url'>): Promise<RawConnection> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    received: () => text,
    write: (bytes) => void socket.write(bytes),
    async reads(pattern) {
      const over = closed.then(() => {
        throw new Error(`closed before ${String(pattern)}: ${text}`)
      })
      over.catch(() => {})
      while (!pattern.test(text)) await Promise.race([once(socket, 'data'), over])
      return text
    },
    async ended() {
      await closed
      return text
    },
  }
}

/** One request as bytes; the whole answer. The connection is closed by the server. */
export async function sendRaw(server: TestServer, bytes: string | Uint8Array): Promise<string> {
  const connection = await connectRaw(server)
  connection.write(bytes)
  return connection.ended()
}

/** The head of a POST whose body follows in chunks. */
export const chunkedHead = (path: string, type = 'application/json', more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n${more}\r\n`

export const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

export const LAST_CHUNK = '0\r\n\r\n'

/**
 * Waits until a server in this process has handled the sent bytes. It needs some turns of the event loop; a delay would not do
 * while other processes keep this one from running.
 */
export async function handled(): Promise<void> {
  await delay(50)
  for (let count = 0; count < 8; count++) await turn()
}
