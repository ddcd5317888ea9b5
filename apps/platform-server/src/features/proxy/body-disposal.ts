import type { Dispatcher } from 'undici'

/** Abandon the rest of an answer and close its connection. */
export function discard(body: Dispatcher.ResponseData['body']): void {
  // The listener keeps the error of the aborted request from ending the process.
  body.on('error', () => {})
  body.destroy()
}
