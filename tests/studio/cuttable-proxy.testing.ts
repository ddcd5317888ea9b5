import { createServer, request, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A way to the platform that a test can cut, as a proxy of the browser. */
export interface Cut {
  readonly url: string
  /** Break all connections, and refuse new ones until `mend`. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** Start a forward proxy for plain HTTP; events pass as they come. */
export async function startCut(): Promise<Cut> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server: Server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked
    const passed = request(url, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answer.flushHeaders()
      answered.pipe(answer)
      answered.once('error', () => answer.destroy())
    })
    passed.once('error', () => answer.destroy())
    answer.once('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.once('error', () => socket.destroy())
    if (isCut) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
