import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../servers.ts'

/** The longest times for which an event loop was held, in milliseconds. */
export interface Held {
  readonly processor: number
  readonly wall: number
}

/** Results of `loop-probe.ts` in a server since the last call. @param file written by the probe */
export async function longestHeld(server: Running, file: string): Promise<Held> {
  rmSync(file, { force: true })
  server.process.kill('SIGUSR2')
  while (server.process.exitCode === null && server.process.signalCode === null) {
    await sleep(20)
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text !== '') return JSON.parse(text)
  }
  return { processor: Number.NaN, wall: Number.NaN }
}
