import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { constants, type ServerHttp2Stream } from 'node:http2'
import type { UnreadBodies } from '@engine/http-server'

/** Every stream of a client is registered here, before grpc-js has it: the library keeps pieces of messages without such a limit. */
const CHANNEL = 'http2.server.stream.created'

/** Bytes that each piece costs beside its content; a sender chooses how small they are. */
const PIECE = 256

/** Flag and length in front of every message. */
const PREFIX = 5

/**
 * Let messages of gRPC that have begun to arrive share the memory for unread bodies. A stream that gets none is reset with
 * ENHANCE_YOUR_CALM, which clients see as RESOURCE_EXHAUSTED, and one whose message is not complete in time with CANCEL: else
 * its memory would be taken for ever. Holds for all HTTP/2 servers of this process.
 *
 * @param milliseconds in which a message must be complete
 * @returns what ends it
 */
export function limitUnreadMessages(unread: UnreadBodies, milliseconds: number): () => void {
  const created = (message: unknown) => {
    watch((message as { readonly stream: ServerHttp2Stream }).stream, unread, milliseconds)
  }
  subscribe(CHANNEL, created)
  return () => void unsubscribe(CHANNEL, created)
}

function watch(stream: ServerHttp2Stream, unread: UnreadBodies, milliseconds: number): void {
  const message = new ArrivingMessage(unread)
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    message.release()
  }
  stream.on('data', (piece: Buffer) => {
    const began = message.count
    if (!message.append(piece)) {
      end()
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    } else if (message.isArriving) {
      if (timer !== undefined && message.count === began) return
      clearTimeout(timer)
      timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), milliseconds)
    } else {
      clearTimeout(timer)
      timer = undefined
    }
  })
  // Nothing is to flow before grpc-js listens as well; it resumes the stream.
  stream.pause()
  stream.once('close', end)
}

/**
 * The message of a stream that is arriving: what of it takes memory.
 *
 * @internal
 */
export class ArrivingMessage {
  /** Messages that were complete before. */
  count = 0
  readonly #unread: UnreadBodies
  #taken = 0
  /** Bytes of the prefix that are still to come. */
  #prefix = PREFIX
  /** Bytes of the message that are still to come, as far as the prefix has said. */
  #remaining = 0

  constructor(unread: UnreadBodies) {
    this.#unread = unread
  }

  /** Whether something of it is here and something is not. */
  get isArriving(): boolean {
    return this.#prefix < PREFIX
  }

  /** False when there is no memory for it. */
  append(piece: Buffer): boolean {
    let at = 0
    while (at < piece.length) {
      if (this.#prefix > 0) {
        if (this.#prefix < PREFIX) this.#remaining = this.#remaining * 256 + (piece[at] ?? 0)
        this.#prefix--
        at++
      } else {
        const length = Math.min(piece.length - at, this.#remaining)
        at += length
        this.#remaining -= length
        if (this.#remaining > 0 && !this.#take(length + PIECE)) return false
      }
      if (this.#prefix === 0 && this.#remaining === 0) this.#complete()
    }
    return true
  }

  /** Gives back what was taken. Can be called again. */
  release(): void {
    this.#unread.give(this.#taken)
    this.#taken = 0
  }

  #take(bytes: number): boolean {
    if (!this.#unread.take(bytes)) return false
    this.#taken += bytes
    return true
  }

  /** It is read from now on, and the next one begins. */
  #complete(): void {
    this.release()
    this.count++
    this.#prefix = PREFIX
  }
}
