import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { EmbeddedSocket } from './embedded-socket.ts'

const wireTo = () => new EmbeddedSocket({ write: () => {}, closed: () => {} })

test('a long answer arrives in pieces, one per turn of the event loop, all of it before the end', async () => {
  const wire = wireTo()
  const [long, short] = [randomBytes(1_000_000), Buffer.from('the next one')]
  const turns = new Map<number, number>()
  let turn = 0
  const count = () => {
    turn++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  wire.on('data', ({ length }: Buffer) => turns.set(turn, (turns.get(turn) ?? 0) + length))
  const all = buffer(wire)
  wire.receive(long)
  wire.receive(short)
  wire.end()
  expect(await all).toEqual(Buffer.concat([long, short]))
  clearImmediate(counting)
  // Two pieces may meet where a turn begins.
  expect(Math.max(...turns.values())).toBeLessThanOrEqual(2 * 64 * 1024)
})

test('a destroyed connection delivers nothing', async () => {
  const wire = wireTo()
  const seen: number[] = []
  wire.on('data', ({ length }: Buffer) => seen.push(length))
  wire.receive(randomBytes(1_000_000))
  wire.destroy()
  await new Promise((resolve) => wire.once('close', resolve))
  await new Promise(setImmediate)
  expect(seen.reduce((sum, length) => sum + length, 0)).toBeLessThan(1_000_000)
})
