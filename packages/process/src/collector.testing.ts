import { createServer, type Server } from 'node:http'
import { once } from 'node:events'

/** A span decoded from a protobuf message. */
export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly kind: number
  readonly status: number
  readonly statusMessage: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
}

/** A collector on loopback that stores everything received. */
export interface Collector {
  readonly endpoint: string
  readonly requests: readonly { readonly path: string; readonly contentType: string | undefined }[]
  readonly spans: readonly ReceivedSpan[]
  close(): Promise<void>
}

/** Start a collector on a free port. */
export async function startCollector(answer: 'accept' | 'hang' | 'refuse' = 'accept'): Promise<Collector> {
  const requests: { path: string; contentType: string | undefined }[] = []
  const spans: ReceivedSpan[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', contentType: request.headers['content-type'] })
      spans.push(...decodeSpans(Buffer.concat(chunks)))
      if (answer === 'accept') response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      if (answer === 'refuse') response.writeHead(400).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector has no port')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    spans,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** ExportTraceServiceRequest > ResourceSpans > ScopeSpans > Span, by the field numbers of the OTLP schema. */
function decodeSpans(message: Buffer): ReceivedSpan[] {
  return messages(message, 1).flatMap((resourceSpans) => {
    const resource = attributes(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1)
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({ ...decodeSpan(span), resource }))
  })
}

function decodeSpan(span: Buffer): Omit<ReceivedSpan, 'resource'> {
  const status = messages(span, 15)[0] ?? Buffer.alloc(0)
  return {
    name: String(messages(span, 5)[0] ?? ''),
    traceId: (messages(span, 1)[0] ?? Buffer.alloc(0)).toString('hex'),
    spanId: (messages(span, 2)[0] ?? Buffer.alloc(0)).toString('hex'),
    parentSpanId: (messages(span, 4)[0] ?? Buffer.alloc(0)).toString('hex'),
    kind: Number(fields(span).find(({ number }) => number === 6)?.value ?? 0),
    attributes: attributes(span, 9),
    status: Number(fields(status).find(({ number }) => number === 3)?.value ?? 0),
    statusMessage: String(messages(status, 2)[0] ?? ''),
  }
}

/** Repeated KeyValue { key = 1, value = 2 { string 1, bool 2, int 3 } }. */
function attributes(message: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(message, number).map((pair) => {
      const value = fields(messages(pair, 2)[0] ?? Buffer.alloc(0))[0]?.value
      return [String(messages(pair, 1)[0]), value instanceof Buffer ? String(value) : Number(value)]
    }),
  )
}

const messages = (message: Buffer, number: number): Buffer[] =>
  fields(message).flatMap((field) => (field.number === number && field.value instanceof Buffer ? [field.value] : []))

interface Field {
  readonly number: number
  readonly value: Buffer | bigint
}

/** The fields of one protobuf message. Throws on a wire type that the format does not have. */
function fields(message: Buffer): Field[] {
  const found: Field[] = []
  let at = 0
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = message[at++]
      if (byte === undefined) throw new Error('the message ends inside a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new Error('the message ends inside a field')
    return message.subarray(at, (at += length))
  }
  while (at < message.length) {
    const key = Number(varint())
    const read = [varint, () => bytes(8), () => bytes(Number(varint())), undefined, undefined, () => bytes(4)][key & 7]
    if (read === undefined) throw new Error(`wire type ${key & 7} in field ${key >> 3}`)
    found.push({ number: key >> 3, value: read() })
  }
  return found
}
