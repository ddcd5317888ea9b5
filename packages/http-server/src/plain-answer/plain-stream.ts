import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/**
 * Writes a body as it arrives, no faster than the peer reads it.
 *
 * @param progress called with each part
 * @param done called once; false if the body broke off
 */
export function writeStream(
  socket: Socket,
  body: Readable,
  inChunks: boolean,
  progress: () => void,
  done: (isWhole: boolean) => void,
): void {
  let isWhole = false
  const resume = () => void body.resume()
  const stop = () => void body.destroy()
  body.on('data', (part: Buffer) => {
    progress()
    socket.cork()
    if (inChunks) socket.write(`${part.length.toString(16)}\r\n`, 'latin1')
    socket.write(part)
    if (inChunks) socket.write('\r\n', 'latin1')
    socket.uncork()
    if (socket.writableNeedDrain) body.pause()
  })
  socket.on('drain', resume)
  socket.once('close', stop)
  body.once('end', () => {
    isWhole = true
    if (inChunks) socket.write('0\r\n\r\n', 'latin1')
  })
  // The stream is destroyed by its error, and then closed.
  body.on('error', () => {})
  body.once('close', () => {
    socket.off('drain', resume).off('close', stop)
    done(isWhole)
  })
  // The stream may have been paused earlier.
  body.resume()
}
