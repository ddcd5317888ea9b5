import { Readable } from 'node:stream'
import type { EngineAnswer } from './engine-answer.ts'

/** Abandons the rest of an answer; if the body is incomplete, its connection is closed. */
export function discard(body: EngineAnswer['body']): void {
  if (!(body instanceof Readable)) return
  // The listener keeps the error of the aborted request from ending the process.
  body.on('error', () => {})
  body.destroy()
}
