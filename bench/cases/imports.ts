import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codesIn } from '../answer.ts'
import { branchesOf } from '../authoring/documents.ts'
import { type ProbedPlace, probedPlace } from '../loop-delay/place.ts'
import { type Probe, startProbe } from '../hostile/probe.ts'
import { type ImportRow, IMPORTS } from '../imports/documents.ts'
import { table } from '../measure.ts'
import { memoryOf, resetPeak } from '../memory.ts'
import { type Running, startPlatformProbed, takeClientCore } from '../servers.ts'

/** Milliseconds after a row. */
const SETTLE = 500
const BAR_SILENCE = 100
const BAR_MEMORY = 512
const BAR_TIME = 12_000

/** Answer, bytes of the document, milliseconds until it, milliseconds for which the event loop was held, MiB above idle. */
type Measured = readonly [answer: string, size: number, elapsed: number, held: number, silence: number, above: number]

const HEAD = [
  'document',
  'answer',
  'MB',
  'ms until the answer',
  'event loop held, processor ms',
  'longest silence, ms',
  'memory above idle, MiB',
]

/**
 * The most expensive documents for their size, sent to a platform one after the other, with a concurrent health probe.
 * `IMPORTS` chooses rows by a part of their name.
 */
export async function imports(): Promise<void> {
  takeClientCore()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const probe = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, probe)
  const health = startProbe(platform.url)
  const found: (readonly [name: string, ...Measured])[] = []
  try {
    const target = await targetOf(platform, health, await probedPlace(platform, directory, probe))
    for (const row of IMPORTS.filter(({ name }) => name.includes(process.env['IMPORTS'] ?? ''))) {
      const one = await sent(row, target)
      found.push([row.name, ...one])
      console.error([row.name, ...one.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : cell))].join(' | '))
    }
  } finally {
    await health.stop()
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
  report(found)
}

function report(found: readonly (readonly [name: string, ...Measured])[]): void {
  table(HEAD, found)
  const beyond = (index: number, bar: number) =>
    found.flatMap((row) => (Number(row[index]) > bar ? [row[0]] : [])).join('; ') || 'none'
  console.log(`\n${found.length} rows`)
  console.log(`event loop held for more than ${BAR_SILENCE} ms of processor time: ${beyond(4, BAR_SILENCE)}`)
  console.log(`more than ${BAR_MEMORY} MiB: ${beyond(6, BAR_MEMORY)}`)
  console.log(`more than ${BAR_TIME / 1000} s: ${beyond(3, BAR_TIME)}`)
}

/** The target of documents, and the concurrent measurements. */
interface Target {
  readonly platform: Running
  readonly place: ProbedPlace
  readonly health: Probe
  /** Address of the project. */
  readonly project: string
  /** MiB before the first document. */
  readonly idle: number
}

async function targetOf(platform: Running, health: Probe, place: ProbedPlace): Promise<Target> {
  const { org, send } = place
  const made = await send('POST', `${org}/projects`, '{"name":"Imports"}')
  const project = `${org}/projects/${JSON.parse(made.text).id}`
  const few = JSON.stringify({ ruleset: branchesOf(2000, 'few'), expected_seq: 0 })
  await send('POST', `${project}/rulesets/few`, few)
  // The thread that reads documents is started by the first one.
  await send('POST', `${project}/imports?format=csv`, 'in:a,out:b\n1,2\n', 'text/csv')
  await sleep(SETTLE)
  return { platform, place, health, project, idle: memoryOf(platform.process.pid)?.now ?? Number.NaN }
}

async function sent({ path, type, document }: ImportRow, target: Target): Promise<Measured> {
  const { platform, place, health, project, idle } = target
  const bytes = Buffer.from(document())
  await place.longest()
  health.longest()
  const before = memoryOf(platform.process.pid)?.now ?? Number.NaN
  resetPeak(platform.process.pid)
  const begin = performance.now()
  const { status, text } = await place.send('POST', project + path, bytes, type)
  const elapsed = performance.now() - begin
  await sleep(SETTLE)
  const silence = health.longest()
  const { processor } = await place.longest()
  const peak = memoryOf(platform.process.pid)?.peak ?? Number.NaN
  return [
    `${status} ${codesIn(text)}`.trim(),
    bytes.length / 1e6,
    elapsed,
    processor,
    silence,
    peak - Math.min(idle, before),
  ]
}
