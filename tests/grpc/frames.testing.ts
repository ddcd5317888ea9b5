import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** HTTP/2 as bytes (RFC 9113), for what no library would send. */
export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, window: 8, continuation: 9 } as const
export const END_STREAM = 1
export const END_HEADERS = 4

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Header fields as literals (RFC 7541), none of which enters the table. */
export function fields(...pairs: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(pairs.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length: number[] = [127]
  let rest = bytes.length - 127
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([...length, rest]), bytes])
}

/** The header fields of a call. */
export const callFields = (method: string, ...more: readonly (readonly [string, string])[]) =>
  fields(
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', `/engine.EngineService/${method}`],
    [':authority', 'a'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...more,
  )

/** A message with the five bytes in front of it. */
export function framed(message: Uint8Array, length = message.length, compressed = 0): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(compressed, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

/** A connection that has sent its preface and empty settings. */
export interface RawConnection {
  readonly socket: Socket
  /** Bytes of everything that came. */
  received(): Buffer
  /** Writes; false when the other end is gone. Waits while the other end does not read. */
  send(bytes: Uint8Array): Promise<boolean>
  readonly closed: Promise<void>
}

export async function openRaw(address: string): Promise<RawConnection> {
  const [host, port] = address.split(':')
  const socket = connect(Number(port), host)
  onTestFinished(() => void socket.destroy())
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await once(socket, 'connect')
  const send = async (bytes: Uint8Array): Promise<boolean> => {
    if (socket.destroyed || !socket.writable) return false
    if (!socket.write(bytes)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))])
    return !socket.destroyed
  }
  await send(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FRAME.settings, 0, 0)]))
  return { socket, received: () => Buffer.concat(pieces), send, closed }
}
