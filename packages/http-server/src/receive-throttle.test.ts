import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { countReceived } from './receive-throttle.ts'

const MEGABYTE = 1024 * 1024

/** A request that records its pauses and resumptions. */
class Sender {
  isPaused = false
  resumed = 0
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
    this.resumed++
  }
  send(bytes: number): void {
    countReceived(this as unknown as IncomingMessage, bytes)
  }
}

test('bodies of less than a megabyte in one turn are received without a pause', async () => {
  const senders = Array.from({ length: 15 }, () => new Sender())
  for (let turns = 0; turns < 3; turns++) {
    for (const sender of senders) sender.send(MEGABYTE / 16)
    expect(senders.some(({ isPaused }) => isPaused)).toBe(false)
    await turn()
  }
})

test('of those beyond a megabyte one continues in each turn, in their order', async () => {
  const senders = Array.from({ length: 5 }, () => new Sender())
  for (const sender of senders) sender.send(MEGABYTE / 2)
  expect(senders.map(({ isPaused }) => isPaused)).toEqual([false, true, true, true, true])
  for (let continued = 1; continued <= 4; continued++) {
    await turn()
    expect(senders.map(({ resumed }) => resumed)).toEqual(senders.map((_, at) => (at >= 1 && at <= continued ? 1 : 0)))
  }
  await turn()
  senders[0]?.send(MEGABYTE / 2)
  expect(senders[0]?.isPaused).toBe(false)
  await turn()
})
