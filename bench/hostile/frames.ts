import { decision, type Row, rulesetOf } from './row.ts'

/** HTTP/2 as bytes (RFC 9113), for what no client library would send. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const DATA = 0
const HEADERS = 1
const SETTINGS = 4
const END_HEADERS = 4

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(stream, 5)
  bytes.set(payload, 9)
  return bytes
}

/** The header fields of a call as literals (RFC 7541), each name and value shorter than 127 bytes. */
function callFields(path: string): Buffer {
  const text = (value: string) => [value.length, ...Buffer.from(value)]
  const fields = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'a'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ]
  return Buffer.from(fields.flatMap(([name = '', value = '']) => [0, ...text(name), ...text(value)]))
}

/**
 * A connection with so many open calls, which get the pieces of a message in turn, each in a separate frame.
 *
 * @param pieces the payloads of the frames that each call gets, again and again
 */
function connectionOf(path: string, calls: number, frames: number, pieces: readonly Uint8Array[]): Buffer {
  const streams = Array.from({ length: calls }, (_, index) => 1 + 2 * index)
  const sent = Array.from({ length: frames }, (_, index) => {
    const piece = pieces[Math.floor(index / calls) % pieces.length] ?? new Uint8Array()
    return frame(DATA, 0, streams[index % calls] ?? 1, piece)
  })
  return Buffer.concat([
    PREFACE,
    frame(SETTINGS, 0, 0, new Uint8Array()),
    ...streams.map((stream) => frame(HEADERS, END_HEADERS, stream, callFields(path))),
    ...sent,
  ])
}

const FRAMES = 800_000
const SERVICE = '/engine.EngineService'
/** The prefix of a message of 64 KiB, byte by byte, and bytes of it. */
const DRIPPED = [0, 0, 1, 0, 0, ...Array.from({ length: 65_536 }, () => 0x20)].map((byte) => Uint8Array.of(byte))
const framed = (message: Uint8Array) => Uint8Array.of(0, 0, 0, 0, message.length, ...message)
const EMPTY_MESSAGE = new Uint8Array(5)
const EMPTY_MESSAGE_DRIPPED = Array.from({ length: 5 }, () => new Uint8Array(1))

const connection = (name: string, ...[path, ...rest]: Parameters<typeof connectionOf>): Row => ({
  name: `gRPC: ${name}`,
  request: () => ({
    kind: 'connection',
    bytes: connectionOf(path.startsWith('/') ? path : `${SERVICE}/${path}`, ...rest),
  }),
})

export const FRAMES_OF_GRPC: readonly Row[] = [
  connection('95 calls in frames of one byte', 'Execute', 95, FRAMES, DRIPPED),
  connection('95 streams in frames of one byte', 'ExecuteStream', 95, FRAMES, DRIPPED),
  connection('95 calls that were refused, in frames of one byte', 'Unknown', 95, FRAMES, DRIPPED),
  connection('95 calls of more than one message, in frames of one byte', 'Execute', 95, FRAMES, EMPTY_MESSAGE_DRIPPED),
  connection('95 streams of empty messages in frames of one byte', 'ExecuteStream', 95, FRAMES, EMPTY_MESSAGE_DRIPPED),
  connection('95 streams of empty messages', 'ExecuteStream', 95, FRAMES, [EMPTY_MESSAGE]),
  connection('95 calls that are over, in messages of one byte', 'Execute', 95, FRAMES, [framed(Uint8Array.of(0))]),
  connection('95 streams that are over, in messages of one byte', 'ExecuteStream', 95, FRAMES, [
    framed(Uint8Array.of(0)),
  ]),
  {
    ...connection('95 streams of small decisions', 'ExecuteStream', 95, FRAMES, [
      framed(Buffer.from('\n\u0001s\u0012\u0002{}')),
    ]),
    rulesets: [rulesetOf('s', [decision('a', ['true'])])],
  },
  connection('95 streams of health requests', '/grpc.health.v1.Health/Watch', 95, FRAMES, [
    framed(Uint8Array.of(10, 0)),
  ]),
  connection(
    '95 streams of reflection requests',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    95,
    FRAMES,
    [framed(Uint8Array.of(58, 0))],
  ),
]
