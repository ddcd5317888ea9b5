import type { PlainRequest, WholeAnswer } from '@engine/http-server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Leaving } from './engine-answer.ts'
import { type PassedBody, passedBody } from './forwarder.ts'

/** The caller's side of a request: its body, and its answer. */
export interface Exchange {
  /** Aborted when the caller disconnects. */
  readonly leaving: Leaving
  /**
   * Undefined if the request has no body. Rejects like `passedBody`.
   *
   * @param passes called with each part
   */
  body(passes: (part: Buffer) => void): Promise<PassedBody | undefined> | PassedBody
  /** Sends an answer. False if the answer broke off, which closes the connection of the caller. Never rejects. */
  pass(
    status: number,
    headers: Readonly<Record<string, string>>,
    content: Buffer | Readable,
  ): Promise<boolean> | boolean
  /** Called when the request has been answered or has failed. */
  end(): void
}

/**
 * Maximum number of listeners of one event of a response: some of the server, and six of a pipeline. Node warns of a
 * leak above 10.
 */
const MAX_LISTENERS = 20

/**
 * An exchange over `node:http`.
 *
 * @param maxBytes maximum body size
 * @param progress called with each part of the body and of the answer
 */
export function httpExchange(
  raw: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  progress: () => void,
): Exchange {
  const leaving = new AbortController()
  const left = () => leaving.abort()
  response.once('close', left)
  return {
    leaving: leaving.signal,
    body: (passes) =>
      passedBody(raw, maxBytes, (part) => {
        passes(part)
        progress()
      }),
    async pass(status, headers, content) {
      response.writeHead(status, headers)
      if (!(content instanceof Readable)) {
        response.end(content.toString('latin1'), 'latin1')
        return true
      }
      content.on('data', progress)
      response.setMaxListeners(MAX_LISTENERS)
      try {
        await pipeline(content, response)
        return true
      } catch {
        response.destroy()
        return false
      }
    },
    end: () => void response.off('close', left),
  }
}

/** An exchange in the fast lane, whose connection writes the answer. */
export function plainExchange(request: PlainRequest, answer: (answer: WholeAnswer) => void): Exchange {
  return {
    leaving: request,
    body(passes) {
      const { body } = request
      passes(body)
      return { refusal: undefined, isReplayable: true, bytes: () => body }
    },
    pass(status, headers, content) {
      answer({ status, headers, content })
      if (!(content instanceof Readable)) return true
      return new Promise((resolve) => content.once('close', () => resolve(content.readableEnded)))
    },
    end: () => {},
  }
}
