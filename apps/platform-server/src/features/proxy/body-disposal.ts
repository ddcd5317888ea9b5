import type { Dispatcher } from 'undici'

/** Leave the rest of an answer unread, and its connection closed. */
export function discard(body: Dispatcher.ResponseData['body']): void {
  // Without a listener the error of the aborted request would end the process.
  body.on('error', () => {})
  body.destroy()
}
