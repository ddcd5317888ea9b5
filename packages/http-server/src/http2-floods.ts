import type { Duplex } from 'node:stream'
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { BurstLimit } from './burst-limit.ts'

/** Limits of pings and settings between two requests. */
const CONTROL_FRAMES = { burst: 2000, perSecond: 200 } as const
/**
 * Fragments: small pieces that do not complete a message. Node runs JavaScript for each of them, which costs about a
 * microsecond, and reads up to 2 MiB of a connection per turn: 200,000 frames of one byte. Slow clients stay far below.
 */
const FRAGMENTS = { burst: 2000, perSecond: 10_000 } as const
/** Pieces of this size or more are worth the cost of receiving them. */
const SMALL_PIECE_BYTES = 1024
/** Precedes each message: a flag, and the length in four bytes ("Length-Prefixed-Message" of gRPC over HTTP/2). */
const PREFIX_BYTES = 5

/** Closes HTTP/2 connections that flood the server with frames: GOAWAY with ENHANCE_YOUR_CALM, and the reason. */
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

  /**
   * Called for a new request whose body is a sequence of length-prefixed messages. Must be called before any of it is
   * read.
   */
  opened(stream: ServerHttp2Stream): void {
    this.#controlFrames.reset()
    const messages = new MessageBoundaries()
    const { push }: Duplex = stream
    // Node calls `push` while reading a frame; `data` comes later, and never for an unread stream.
    stream.push = (piece: Buffer | null) => {
      if (piece !== null && this.#isFragment(piece, messages, stream) && !this.#fragments.take())
        this.#end('too_many_fragments')
      return push.call(stream, piece)
    }
  }

  /** Data sent to an already answered request is never read. */
  #isFragment(piece: Buffer, messages: MessageBoundaries, { writableEnded: isAnswered }: ServerHttp2Stream): boolean {
    const completesMessage = messages.endsIn(piece)
    return piece.length < SMALL_PIECE_BYTES && (isAnswered || !completesMessage)
  }

  #end(reason: string): void {
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, undefined, Buffer.from(reason))
    this.#session.destroy()
  }
}

/** Tracks the message prefixes of one request. */
class MessageBoundaries {
  /** Remaining bytes of the current message; 0 while its prefix is incomplete. */
  #missingBytes = 0
  #prefixBytes = 0
  #length = 0

  /** True if a message with content ends in the next piece. Takes a few steps per message. */
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
