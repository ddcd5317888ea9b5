import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../tests/postgres.testing.ts'
import { table } from '../measure.ts'
import { type Place, prepared } from '../platform-place.ts'
import { type Running, startUnpinned, startUnpinnedPlatform } from '../servers.ts'

/** Duration of the platform's outage in minutes. */
const MINUTES = Number(process.env['ABSENCE_MINUTES'] ?? 60)
const ENGINES = ['stays', 'is restarted', 'is killed'] as const
const ASKED_EVERY_MS = 200
/** Only ends what hangs. */
const LIMIT_MS = 120_000

/** An engine bound to the environment, and its answers while the platform was unavailable. */
interface Bound {
  readonly name: (typeof ENGINES)[number]
  readonly start: () => Promise<Running>
  running: Running
  answers: number
  wrong: number
  alikeAfterMs: number
}

/**
 * A platform that is killed and stays unavailable: its engines keep deciding, including restarted ones, and receive
 * publications as soon as it is back.
 */
export async function absence(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const address = ['--http-addr', `127.0.0.1:${await freePort()}`]
  const startPlatform = () => startUnpinnedPlatform(join(directory, 'platform'), ...address)
  let platform = await startPlatform()
  const engines: Bound[] = []
  try {
    const place = await prepared(platform, join(directory, 'platform'))
    for (const name of ENGINES) engines.push(await startBound(place, name, join(directory, name)))
    await bind(place)
    await publish(place, 'BEFORE', 0)
    await allDecide(engines, 'BEFORE', performance.now())

    platform.process.kill('SIGKILL')
    await once(platform.process, 'exit')
    await decideAlone(engines, MINUTES * 60_000)

    platform = await startPlatform()
    const back = performance.now()
    await publish(place, 'AFTER', 1)
    await allDecide(engines, 'AFTER', back)
    table(
      ['engine that', 'decisions while the platform was away', 'wrong or none', 's until it has the published content'],
      engines.map(({ name, answers, wrong, alikeAfterMs }) => [
        name,
        answers.toLocaleString('en'),
        wrong.toLocaleString('en'),
        alikeAfterMs / 1000,
      ]),
    )
  } finally {
    for (const { running } of engines) await running.stop()
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
}

async function startBound({ platform, org, ask }: Place, name: Bound['name'], folder: string): Promise<Bound> {
  const { token } = await ask('POST', `/orgs/${org}/connect-tokens`, {})
  const link = ['--platform-url', platform.url, '--platform-connect-token', token, '--platform-server-name', name]
  const start = () => startUnpinned(...link, '--rules-dir', folder)
  return { name, start, running: await start(), answers: 0, wrong: 0, alikeAfterMs: 0 }
}

async function bind({ project, ask }: Place): Promise<void> {
  const begin = performance.now()
  for (;;) {
    const { items } = await ask('GET', '/servers')
    const ids = items.map(({ id }: { readonly id: string }) => id)
    if (ids.length === ENGINES.length) {
      await ask('PUT', `/projects/${project}/server`, { environment: 'dev', server_ids: ids })
      return
    }
    await overdue(begin, 'the engines have not registered')
  }
}

async function publish({ project, ask }: Place, code: string, expected_seq: number): Promise<void> {
  const at = `/projects/${project}/rulesets/decided`
  const config = { name: 'decided', version: `1.0.${expected_seq}` }
  const ruleset = { config, startStepId: 'end', steps: [{ id: 'end', name: 'End', type: 'terminal', code }] }
  await ask('POST', at, { ruleset, expected_seq })
  await ask('POST', `${at}/publish`, { environment: 'dev' })
}

async function allDecide(engines: readonly Bound[], code: string, begin: number): Promise<void> {
  const reached = async (engine: Bound) => {
    while ((await decided(engine)) !== code)
      await overdue(begin, `the engine that ${engine.name} does not decide ${code}`)
    engine.alikeAfterMs = performance.now() - begin
  }
  await Promise.all(engines.map(reached))
}

async function overdue(begin: number, message: string): Promise<void> {
  if (performance.now() - begin > LIMIT_MS) throw new Error(message)
  await wait(20)
}

/** The code of its answer; undefined where it has none. */
async function decided({ running }: Bound): Promise<string | undefined> {
  try {
    const response = await fetch(`${running.url}/api/v1/execute/decided`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":{}}',
    })
    return ((await response.json()) as { readonly code?: string }).code
  } catch {
    return undefined
  }
}

/** Send requests all the time; one engine is restarted after a third of it, another one is killed after two. */
async function decideAlone(engines: readonly Bound[], duration: number): Promise<void> {
  const end = performance.now() + duration
  const restart: Partial<Record<Bound['name'], { readonly at: number; readonly signal: NodeJS.Signals }>> = {
    'is restarted': { at: end - (duration * 2) / 3, signal: 'SIGTERM' },
    'is killed': { at: end - duration / 3, signal: 'SIGKILL' },
  }
  const asking = async (engine: Bound) => {
    let due = restart[engine.name]
    while (performance.now() < end) {
      if (due !== undefined && performance.now() > due.at) {
        engine.running.process.kill(due.signal)
        await once(engine.running.process, 'exit')
        engine.running = await engine.start()
        due = undefined
      }
      if ((await decided(engine)) === 'BEFORE') engine.answers++
      else engine.wrong++
      await wait(ASKED_EVERY_MS)
    }
  }
  await Promise.all(engines.map(asking))
}
