import { defined } from '@engine/expression'
import autocannon from 'autocannon'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, table } from '../measure.ts'
import { type Place, prepared } from '../platform-place.ts'
import { processorTime, type Running, startEngine, startUnpinnedPlatform, takeClientCore } from '../servers.ts'

/** Rounds, and decisions of each engine in one of them. */
const [ROUNDS, DECISIONS] = [41, 2000] as const
const NAME = 'grade'
const PATH = `/api/v1/execute/${NAME}`
const BODY = JSON.stringify({ input: { points: 730, customer: { country: 'DE', tier: 'gold', items: [1, 2, 3] } } })

/** Engine options; the others are compared with the first. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  'without the option': [],
  '`--sample-decisions 0`': ['--sample-decisions', '0'],
  '`--sample-decisions 1`': ['--sample-decisions', '1'],
  '`--sample-decisions 100`': ['--sample-decisions', '100'],
}

const DRAFT = {
  config: { name: NAME, version: '1.0.0' },
  startStepId: 'start',
  steps: [
    {
      id: 'start',
      type: 'decision',
      branches: [{ id: 'b1', condition: 'points >= 700', nextStepId: 'yes' }],
      defaultNextStepId: 'no',
    },
    { id: 'yes', type: 'terminal', code: 'GRANTED', output: [{ name: 'limit', value: 'points * 10' }] },
    { id: 'no', type: 'terminal', code: 'REFUSED' },
  ],
}

/**
 * Processor time per decision of engines whose environment records all of them, in alternation: the cost of recording a
 * share. The ratio is the median of those of the rounds. The order changes each round: engines deliver recorded
 * decisions while the next one is measured.
 */
export async function recording(): Promise<void> {
  takeClientCore()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const stopping: (() => Promise<unknown>)[] = []
  try {
    const platform = await startUnpinnedPlatform(directory, '--rate-limit', '0')
    stopping.unshift(platform.stop)
    const place = await prepared(platform, directory)
    const engines = await serving(place, stopping)
    await isRecorded(place, defined(engines.at(-1)))
    await compare(engines)
  } finally {
    for (const stop of stopping) await stop()
    rmSync(directory, { recursive: true })
  }
}

/** The engines, each with the ruleset. */
async function serving(
  { platform, org, project, ask }: Place,
  stopping: (() => Promise<unknown>)[],
): Promise<readonly Running[]> {
  const { token } = await ask('POST', `/orgs/${org}/connect-tokens`, {})
  const engines: Running[] = []
  for (const [index, options] of Object.values(SIDES).entries()) {
    const link = ['--platform-url', platform.url, '--platform-connect-token', token]
    const engine = await startEngine(...link, '--platform-server-name', `engine-${index}`, ...options)
    stopping.unshift(engine.stop)
    engines.push(engine)
  }
  await until(async () => (await ask('GET', '/servers')).items.length === engines.length)
  const { items } = await ask('GET', '/servers')
  const server_ids = items.map(({ id }: { readonly id: string }) => id)
  const settings = { rate: 100, retention_days: 1, mask: ['customer.tier'] }
  await ask('PUT', `/projects/${project}/server`, { environment: 'dev', server_ids })
  await ask('PUT', `/projects/${project}/environments/dev/recording`, settings)
  await ask('POST', `/projects/${project}/rulesets/${NAME}`, { ruleset: DRAFT, expected_seq: 0 })
  await ask('POST', `/projects/${project}/rulesets/${NAME}/publish`, { environment: 'dev' })
  for (const engine of engines) await until(async () => (await decision(engine)).ok)
  return engines
}

const decision = ({ url }: Running) =>
  fetch(url + PATH, { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY })

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the engines did not receive their rulesets within a minute')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Resolves when the platform has a decision of the engine that keeps all of them: all have had the rules by then. */
async function isRecorded({ project, ask }: Place, engine: Running): Promise<void> {
  await until(async () => {
    await decision(engine)
    return (await ask('GET', `/projects/${project}/rulesets/${NAME}/decisions?environment=dev`)).items.length > 0
  })
}

async function compare(engines: readonly Running[]): Promise<void> {
  const found = engines.map((): number[] => [])
  for (let round = 0; round < ROUNDS + 1; round++)
    for (const [index, engine] of shuffled([...engines.entries()])) {
      const before = processorTime(engine)
      await decide(engine)
      if (round > 0) found[index]?.push(((processorTime(engine) - before) * 1000) / DECISIONS)
    }
  const [base = []] = found
  const ratioOf = (own: readonly number[]) => median(own.map((time, round) => time / (base[round] ?? Number.NaN)))
  table(
    ['engine', 'processor time of a decision, µs', 'ratio'],
    Object.keys(SIDES).map((name, index) => [name, median(found[index] ?? []), ratioOf(found[index] ?? []).toFixed(2)]),
  )
}

/** All decisions of a round, over 16 connections. */
async function decide({ url }: Running): Promise<void> {
  const result = await autocannon({
    url: url + PATH,
    method: 'POST',
    body: BODY,
    amount: DECISIONS,
    connections: 16,
    headers: { 'content-type': 'application/json' },
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} failures, ${result.errors} errors`)
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const drawn = items.map((item) => ({ item, place: Math.random() }))
  return drawn.toSorted((left, right) => left.place - right.place).map(({ item }) => item)
}
