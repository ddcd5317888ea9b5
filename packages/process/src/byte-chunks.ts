/** The chunks of a stream without an encoding: they are buffers, which Node's types do not guarantee. */
export function byteChunks(stream: AsyncIterable<unknown>): AsyncIterable<Buffer> {
  return stream as AsyncIterable<Buffer>
}
