/** The chunks of a stream without an encoding: they are buffers, which the types of Node leave open. */
export function byteChunks(stream: AsyncIterable<unknown>): AsyncIterable<Buffer> {
  return stream as AsyncIterable<Buffer>
}
