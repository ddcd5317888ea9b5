import { spawn } from 'node:child_process'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseLocation } from '../../apps/platform-server/src/database/connection.ts'

/** The changes of its own that a writer finds when it starts. */
export interface Report {
  readonly count: number
  /** The highest number. */
  readonly last: number
  /** Changes without their audit, and audit entries without their change. */
  readonly halves: number
}

/** What became of the changes of all rounds. */
export interface Losses {
  acknowledged: number
  /** Acknowledged and gone. */
  lost: number
  /** Numbers that are missing in the middle, and halves of changes. */
  broken: number
}

const WRITERS = 4
const WRITER = join(import.meta.dirname, 'crash-writer.testing.ts')

/**
 * Acknowledged changes after which a round ends at the latest; the kill follows within these milliseconds, at any moment of the
 * next change.
 */
const MAX_COUNT = 40
const WITHIN_MS = 30

/** Kill a writing process repeatedly at random moments, and check the stored rows each time. */
export async function killRounds(location: DatabaseLocation, rounds: number): Promise<Losses> {
  const orgs = Array.from({ length: WRITERS }, () => randomUUIDv7())
  const acknowledged = orgs.map(() => 0)
  const losses: Losses = { acknowledged: 0, lost: 0, broken: 0 }
  for (let round = 0; round <= rounds; round++) {
    const isLast = round === rounds
    for (const [writer, report] of (await oneRound(location, orgs, acknowledged, isLast)).entries()) {
      losses.lost += Math.max(0, (report.before ?? 0) - report.last)
      losses.broken += Math.abs(report.last - report.count) + report.halves
      if (isLast) losses.acknowledged += acknowledged[writer] ?? 0
    }
  }
  return losses
}

/** The reports of the writers, each with its acknowledged changes so far. */
async function oneRound(
  location: DatabaseLocation,
  orgs: readonly string[],
  acknowledged: number[],
  isLast: boolean,
): Promise<readonly (Report & { readonly before: number | undefined })[]> {
  const child = spawn(process.execPath, [WRITER, JSON.stringify(location), ...orgs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let reports: readonly (Report & { readonly before: number | undefined })[] = []
  let left = isLast ? 0 : Math.floor(Math.random() * MAX_COUNT)
  const kill = () => void delay(Math.random() * WITHIN_MS).then(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    if (reports.length === 0) {
      const before = [...acknowledged]
      reports = (JSON.parse(line) as Report[]).map((report, writer) => ({ ...report, before: before[writer] }))
      if (left === 0) kill()
      continue
    }
    const [writer = 0, number = 0] = line.split(' ').map(Number)
    acknowledged[writer] = number
    if (--left === 0) kill()
  }
  await ended
  if (reports.length === 0) throw new Error('the writer did not start')
  return reports
}
