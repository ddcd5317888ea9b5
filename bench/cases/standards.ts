import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { median, table } from '../measure.ts'
import { processorTime, type Running, startUnpinnedProbed } from '../servers.ts'
import { put, requestsPerSecond } from './against-bare.ts'

const ROUNDS = 7
/** Known entities of one type; the rules permit half of them. */
const ENTITIES = 10_000

const RULESET = {
  config: { name: 'owners', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'subject.id == resource.properties.owner', next_step: 'permit' }],
      default_next: 'deny',
    },
    permit: { id: 'permit', type: 'terminal', result: { code: 'PERMIT', message: 'allowed' } },
    deny: { id: 'deny', type: 'terminal', result: { code: 'DENY', message: 'not allowed' } },
  },
}

const REQUEST = {
  subject: { type: 'user', id: 'ada', properties: {} },
  action: { name: 'read', properties: {} },
  resource: { type: 'record', id: 'new', properties: { owner: 'ada' } },
  context: {},
}

/** AuthZEN and OFREP against `execute` of the same ruleset, and a search over many entities. */
export async function standards(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const entities = Array.from({ length: ENTITIES }, (_, index) =>
    JSON.stringify({ type: 'record', id: `r${index}`, properties: { owner: index % 2 === 0 ? 'ada' : 'bob' } }),
  )
  file('entities.jsonl', entities.join('\n'))
  const rule = { ruleset: 'owners', permit: ['PERMIT'] }
  const mapping = file('mapping.json', JSON.stringify({ rules: [rule], entities: 'entities.jsonl' }))
  const probe = join(folder, 'probe.json')
  const server = await startUnpinnedProbed(probe, '--authzen-config', mapping, '--ofrep', 'all')
  try {
    await put(server, RULESET)
    await measureEvaluations(server)
    await measureSearches(server, probe)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** By processor time of the server: the rate on a busy machine is that of its neighbours. */
async function measureEvaluations(server: Running): Promise<void> {
  const paths = {
    '`execute`': ['/api/v1/execute/owners', { input: REQUEST }],
    // A query, even an empty one, is left to the router.
    '`execute` by the router': ['/api/v1/execute/owners?', { input: REQUEST }],
    'AuthZEN evaluation': ['/access/v1/evaluation', REQUEST],
    'OFREP evaluation': ['/ofrep/v1/evaluate/flags/owners', { context: REQUEST }],
  } as const
  const costs = new Map<string, number[]>(Object.keys(paths).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS + 1; round++)
    for (const [name, [path, body]] of Object.entries(paths)) {
      const before = processorTime(server)
      const rate = await requestsPerSecond(`${server.url}${path}`, JSON.stringify(body))
      if (round > 0) costs.get(name)?.push(((processorTime(server) - before) * 1000) / rate)
    }
  const base = costs.get('`execute`') ?? []
  const ratioOf = (all: readonly number[]) => median(all.map((cost, round) => cost / (base[round] ?? 0)))
  table(
    ['request', 'processor time, us', 'of `execute` (bar 1.3)'],
    [...costs].map(([name, all]) => [name, median(all), ratioOf(all)]),
  )
}

async function measureSearches(server: Running, probe: string): Promise<void> {
  const rows: (readonly [string, number, number, number])[] = []
  for (const limit of [100, ENTITIES]) {
    const body = JSON.stringify({ ...REQUEST, resource: { type: 'record' }, page: { limit } })
    const times: number[] = []
    let results = 0
    await held(server, probe)
    for (let round = 0; round < ROUNDS * 3; round++) {
      const begin = performance.now()
      const reply = await fetch(`${server.url}/access/v1/search/resource`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const answer: { readonly results: readonly unknown[] } = JSON.parse(await reply.text())
      times.push(performance.now() - begin)
      results = answer.results.length
    }
    rows.push([String(results), median(times), Math.max(...times), await held(server, probe)])
  }
  console.log()
  table(['results', 'ms, median', 'ms, longest (bar 100)', 'event loop held, ms of processor (bar 50)'], rows)
}

/** Milliseconds of processor time for which the event loop was held at most since the last call. */
async function held({ process: child }: Running, probe: string): Promise<number> {
  rmSync(probe, { force: true })
  child.kill('SIGUSR2')
  for (;;) {
    await delay(20)
    try {
      const report: { readonly processor: number } = JSON.parse(readFileSync(probe, 'utf8'))
      return report.processor
    } catch {
      // It is not written yet.
    }
  }
}
