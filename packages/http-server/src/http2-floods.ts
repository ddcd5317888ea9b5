import type { Duplex } from 'node:stream'
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { BurstLimit } from './burst-limit.ts'

/** Pings and settings between two requests. */
const CONTROL_FRAMES = { burst: 2000, perSecond: 200 } as const
/**
 * Fragments: small pieces that complete no message with content. Node runs JavaScript for each of them, which costs about a
 * microsecond, and reads up to 2 MiB of a connection in one turn: 200,000 frames of one byte. A client that sends slowly
 * stays far below.
 */
const FRAGMENTS = { burst: 2000, perSecond: 10_000 } as const
/** A piece of this size or more is worth what it costs to receive it. */
const SMALL_PIECE_BYTES = 1024
/** In front of each message: a flag, and the length in four bytes ("Length-Prefixed-Message" of gRPC over HTTP/2). */
const PREFIX_BYTES = 5

/** Ends a connection of HTTP/2 that costs more than it asks for: GOAWAY with ENHANCE_YOUR_CALM, and the reason. */
export class FloodGuard {
  readonly #session: ServerHttp2Session
  readonly #controlFrames = new BurstLimit(CONTROL_FRAMES)
  readonly #fragments = new BurstLimit(FRAGMENTS)

  constructor(session: ServerHttp2Session) {
    this.#session = session
    const takeControlFrame = () => {
      if (!this.#controlFrames.take()) this.#end('too_many_pings')
    }
    session.on('ping', takeControlFrame).on('remoteSettings', takeControlFrame)
  }

  /** A request has begun, whose body is a sequence of length-prefixed messages. Must be told before anything of it is read. */
  opened(stream: ServerHttp2Stream): void {
    this.#controlFrames.reset()
    const messages = new MessageBoundaries()
    const { push }: Duplex = stream
    // Node calls `push` while it reads a frame; `data` comes later, and never for a stream that nobody reads.
    stream.push = (piece: Buffer | null) => {
      if (piece !== null && this.#isFragment(piece, messages, stream) && !this.#fragments.take())
        this.#end('too_many_fragments')
      return push.call(stream, piece)
    }
  }

  /** What is sent to a request that has its answer is never read. */
  #isFragment(piece: Buffer, messages: MessageBoundaries, { writableEnded: isAnswered }: ServerHttp2Stream): boolean {
    const completesMessage = messages.endsIn(piece)
    return piece.length < SMALL_PIECE_BYTES && (isAnswered || !completesMessage)
  }

  #end(reason: string): void {
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, undefined, Buffer.from(reason))
    this.#session.destroy()
  }
}

/** Follows the prefixes of the messages of one request. */
class MessageBoundaries {
  /** Bytes that the current message still lacks; 0 while its prefix is incomplete. */
  #missingBytes = 0
  #prefixBytes = 0
  #length = 0

  /** Whether a message with content ends in the next piece. Costs a few steps for each message. */
  endsIn(piece: Buffer): boolean {
    let ends = false
    for (let at = 0; at < piece.length;) {
      if (this.#missingBytes > 0) {
        const taken = Math.min(this.#missingBytes, piece.length - at)
        at += taken
        this.#missingBytes -= taken
        ends ||= this.#missingBytes === 0
      } else {
        // The flag comes first and is shifted out.
        this.#length = ((this.#length << 8) | (piece[at++] ?? 0)) >>> 0
        if (++this.#prefixBytes < PREFIX_BYTES) continue
        this.#missingBytes = this.#length
        this.#prefixBytes = 0
      }
    }
    return ends
  }
}
