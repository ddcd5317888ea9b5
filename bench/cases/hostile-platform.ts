import { setTimeout as sleep } from 'node:timers/promises'
import { ARCHIVES } from '../hostile-platform/archives.ts'
import { CATALOG, DRAFTS, IMPORTED, SUITES } from '../hostile-platform/documents.ts'
import { ASSISTED, LINKED, PROXIED, STREAMED } from '../hostile-platform/links.ts'
import type { PlatformRow } from '../hostile-platform/row.ts'
import { shapesOf } from '../hostile-platform/shapes.ts'
import {
  type DatabaseKind,
  type Prepared,
  prepareTarget,
  startTarget,
  type Target,
  UNANSWERED,
  type Undo,
} from '../hostile-platform/target.ts'
import { type Probe, startProbe } from '../hostile/probe.ts'
import { table } from '../measure.ts'
import { memoryOf, resetPeak } from '../memory.ts'
import { takeClientCore } from '../servers.ts'

/** Milliseconds before and after a row, from the start of a platform to its first row, and for all rows. */
const [SETTLE, REST, RUN_LIMIT] = [150, 1500, 1_800_000] as const
const BAR_HELD = 100
const BAR_MEMORY = 512
/** MiB above its baseline from which on a platform is replaced: what earlier rows have left would be counted again. */
const WORN = 192

/** Answers, milliseconds until the last, milliseconds for which the event loop was held, the longest silence, MiB above the baseline. */
type Measured = readonly [answers: string, elapsed: number, held: number, silence: number, above: number]

/**
 * Requests that cost a platform most for their size, over all its routes, with a health probe beside them. `HOSTILE` chooses rows by
 * parts of their names (`csv|dmn`), `DATABASE=postgres` the database. Exit code 1 where a row exceeds a bar, or was not measured within the
 * limit of the run.
 */
export async function hostilePlatform(): Promise<void> {
  takeClientCore()
  const steps: (() => unknown)[] = []
  const undoAll = async () => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop())
      try {
        await step()
      } catch (error) {
        // The others are undone all the same.
        console.error(error)
      }
  }
  for (const [signal, code] of SIGNALS) process.once(signal, () => void undoAll().finally(() => process.exit(code)))
  const undo = (step: () => unknown) => void steps.push(step)
  try {
    await attackAll(await prepareTarget(databaseOf(process.env['DATABASE']), undo), undo)
  } finally {
    await undoAll()
  }
}

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

function databaseOf(name = 'embedded'): DatabaseKind {
  if (name !== 'embedded' && name !== 'postgres') throw new Error('DATABASE must be embedded or postgres')
  return name
}

async function attackAll(prepared: Prepared, undo: Undo): Promise<void> {
  const deadline = performance.now() + RUN_LIMIT
  const found: (readonly [name: string, ...Measured])[] = []
  let begun = begin(prepared)
  undo(async () => end(await begun))
  let attacked = await begun
  // Still busy with the previous row.
  let isBusy = false
  const own = [PROXIED, ASSISTED, LINKED, STREAMED, ARCHIVES, DRAFTS, CATALOG, SUITES, IMPORTED].flat()
  const all = [...own, ...shapesOf(attacked.target.description)]
  const parts = (process.env['HOSTILE'] ?? '').split('|')
  for (const row of all.filter(({ name }) => parts.some((part) => name.includes(part)))) {
    const isLate = performance.now() > deadline
    if (!isLate && (isBusy || isWorn(attacked))) {
      await end(attacked)
      begun = begin(prepared)
      attacked = await begun
    }
    const one = isLate ? UNMEASURED : await measured(row, attacked)
    isBusy = one[0].includes(UNANSWERED)
    found.push([row.name, ...one])
    console.error([row.name, ...one.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : cell))].join(' | '))
  }
  report(found)
}

const UNMEASURED: Measured = ['not measured: the run took too long', Number.NaN, Number.NaN, Number.NaN, Number.NaN]

interface Attacked {
  readonly target: Target
  readonly health: Probe
  /** MiB of the platform at rest. */
  readonly baseline: number
}

async function begin(prepared: Prepared): Promise<Attacked> {
  const target = await startTarget(prepared)
  await sleep(REST)
  return {
    target,
    health: startProbe(target.platform.url),
    baseline: memoryOf(target.platform.process.pid)?.now ?? Number.NaN,
  }
}

async function end({ target, health }: Attacked): Promise<void> {
  await health.stop()
  await target.kill()
}

function isWorn({ target, baseline }: Attacked): boolean {
  const { exitCode, signalCode, pid } = target.platform.process
  return exitCode !== null || signalCode !== null || (memoryOf(pid)?.now ?? Infinity) > baseline + WORN
}

async function measured(
  { request, times = 1 }: PlatformRow,
  { target, health, baseline }: Attacked,
): Promise<Measured> {
  const { pid } = target.platform.process
  const sent = request()
  await sleep(SETTLE)
  await target.longest()
  health.longest()
  resetPeak(pid)
  const begun = performance.now()
  const answers = await Promise.all(Array.from({ length: times }, () => target.send(sent)))
  const elapsed = performance.now() - begun
  await sleep(SETTLE)
  const silence = health.longest()
  const held = await target.longest()
  const peak = memoryOf(pid)?.peak
  const told = [...new Set(answers)].slice(0, 4).join(', ')
  return [
    held === undefined || peak === undefined ? `${told}; the platform ended` : told,
    elapsed,
    held?.processor ?? Number.NaN,
    silence,
    (peak ?? Number.NaN) - baseline,
  ]
}

function report(found: readonly (readonly [name: string, ...Measured])[]): void {
  table(
    [
      'request',
      'answer',
      'ms until the answer',
      'event loop held, processor ms',
      'longest silence, ms',
      'memory above baseline, MiB',
    ],
    found,
  )
  const beyond = (index: number, bar: number) => found.flatMap((row) => (Number(row[index]) <= bar ? [] : [row[0]]))
  const [held, memory] = [beyond(3, BAR_HELD), beyond(5, BAR_MEMORY)]
  console.log(`\n${found.length} rows`)
  console.log(`event loop held for more than ${BAR_HELD} ms of processor time: ${held.join('; ') || 'none'}`)
  console.log(`more than ${BAR_MEMORY} MiB: ${memory.join('; ') || 'none'}`)
  if (held.length + memory.length > 0) process.exitCode = 1
}
