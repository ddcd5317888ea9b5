import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Passes connections on to a server, until it is cut off. */
export interface Relay {
  readonly port: number
  /** Breaks all connections, and refuses new ones. */
  cut(): Promise<void>
  restore(): Promise<void>
  /** Until `resume` no byte passes and connections stay open, like a server that hangs. */
  pause(): void
  resume(): void
  /**
   * Cuts off when a client has sent all these texts in their order, over one connection or over any: a crash of the client.
   * `before`: what holds the last of them does not arrive. `after`: it does, and its answer gets lost.
   */
  cutAt(texts: readonly string[], when: 'before' | 'after', over?: 'one' | 'any'): Promise<void>
}

interface Cutting {
  readonly texts: readonly string[]
  readonly when: 'before' | 'after'
  readonly over: 'one' | 'any'
  /** Texts that any connection has sent. */
  seen: number
  readonly done: () => void
}

export async function relayTo(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  const sockets = new Set<Socket>()
  let cutting: Cutting | undefined
  let isPaused = false
  const server = createServer((near) => {
    const far = connect(target)
    for (const socket of [near, far]) {
      if (isPaused) socket.pause()
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    let seen = 0
    near.on('data', (part: Buffer) => {
      if (cutting?.over === 'any') ({ seen } = cutting)
      const text = cutting?.texts[seen]
      if (cutting === undefined || text === undefined || !part.includes(text)) return void far.write(part)
      cutting.seen = ++seen
      const isLast = seen === cutting.texts.length
      if (isLast && cutting.when === 'before') return void cut().then(cutting.done)
      if (isLast) {
        far.removeAllListeners('data')
        const { done } = cutting
        far.once('data', () => void cut().then(done))
      }
      far.write(part)
    })
    far.on('data', (part: Buffer) => near.write(part))
    near.on('end', () => far.end())
    far.on('end', () => near.end())
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  return {
    port,
    cut,
    restore: () => listen(port),
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    cutAt: (texts, when, over = 'one') => new Promise((done) => (cutting = { texts, when, over, seen: 0, done })),
  }
}
