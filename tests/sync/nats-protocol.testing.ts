/** One operation of the protocol, as bytes with its payload. `words` are those of its line, with the verb. */
export interface Operation {
  readonly verb: string
  readonly words: readonly string[]
  readonly bytes: Buffer
}

/** The last word of the line is the size of the payload, which ends with another line end. */
export const MESSAGES = new Set(['PUB', 'HPUB', 'MSG', 'HMSG'])
const OTHERS = new Set(['INFO', 'CONNECT', 'SUB', 'UNSUB', 'PING', 'PONG', '+OK', '-ERR'])

/**
 * Gives the operations that each chunk completes. Throws for an unknown operation, which it could corrupt.
 * https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
export function reader(): (chunk: Buffer) => readonly Operation[] {
  let chunks: Buffer[] = []
  let size = 0
  // So that the chunks of a payload of megabytes are joined once, not each time.
  let needed = 0
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return []
    let rest = Buffer.concat(chunks)
    const operations: Operation[] = []
    for (;;) {
      const line = rest.indexOf('\n') + 1
      const words = rest.toString('latin1', 0, line).trimEnd().split(' ')
      const [verb = ''] = words
      const payload = MESSAGES.has(verb) ? Number(words.at(-1)) + '\r\n'.length : OTHERS.has(verb) ? 0 : NaN
      if (line > 0 && Number.isNaN(payload)) throw new Error(`not of the NATS protocol: ${words.join(' ')}`)
      const end = line + payload
      if (line === 0 || end > rest.length) {
        chunks = [rest]
        size = rest.length
        needed = line === 0 ? size + 1 : end
        return operations
      }
      operations.push({ verb, words, bytes: rest.subarray(0, end) })
      rest = rest.subarray(end)
    }
  }
}
