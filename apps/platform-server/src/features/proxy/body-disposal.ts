import { Readable } from 'node:stream'
import type { EngineAnswer } from './engine-answer.ts'

/** Abandon the rest of an answer; the connection of a body that has not arrived is closed. */
export function discard(body: EngineAnswer['body']): void {
  if (!(body instanceof Readable)) return
  // The listener keeps the error of the aborted request from ending the process.
  body.on('error', () => {})
  body.destroy()
}
