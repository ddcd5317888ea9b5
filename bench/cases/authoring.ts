import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, table } from '../measure.ts'
import { type Running, startPlatformProbed, takeClientCore } from '../servers.ts'

const ROUNDS = 3
/** Bytes below the limit of a document, and of a sub-rule. */
const [DOCUMENT, SUB_RULE] = [10 * 1024 * 1024 - 4096, 1024 * 1024 - 4096] as const

/**
 * For how long one request of an author keeps the platform from answering others: the largest bodies that each route takes,
 * one request at a time. Beside it the time until the answer.
 */
export async function authoring(): Promise<void> {
  takeClientCore()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const probe = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, probe)
  try {
    const place = await prepared(platform, directory)
    const rows: (readonly (string | number)[])[] = []
    for (const { title, send, status } of [...requests(place), ...(await releaseRequests(place))]) {
      const measured: { readonly processor: number; readonly wall: number; readonly took: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await place.longest()
        const begin = performance.now()
        const answer = await send()
        const took = performance.now() - begin
        if (answer !== status) throw new Error(`${title}: ${answer}`)
        measured.push({ ...(await place.longest()), took })
      }
      const of = (key: 'processor' | 'wall' | 'took') => median(measured.map((one) => one[key]))
      rows.push([title, of('processor'), of('wall'), of('took')])
    }
    table(['request', 'event loop held: processor ms', 'by the clock ms', 'answered after ms'], rows)
  } finally {
    await platform.stop()
    rmSync(directory, { recursive: true })
  }
}

interface Place {
  /** Of the project. */
  readonly path: string
  send(method: string, path: string, body: string, type?: string): Promise<{ readonly status: number; text: string }>
  /** Since the call before. */
  longest(): Promise<{ readonly processor: number; readonly wall: number }>
}

async function prepared(platform: Running, directory: string): Promise<Place> {
  const link = readFileSync(join(directory, 'first-sign-in.url'), 'utf8')
  let cookie = ''
  const send = async (method: string, path: string, body: string, type = 'application/json') => {
    const headers = { 'content-type': type, origin: new URL(link).origin, cookie }
    const sent = method === 'GET' ? { method, headers } : { method, headers, body }
    const response = await fetch(platform.url + path, sent)
    const [own] = response.headers.getSetCookie()
    cookie = own?.split(';')[0] ?? cookie
    return { status: response.status, text: await response.text() }
  }
  const longest = async () => {
    const file = join(directory, 'probe.json')
    rmSync(file, { force: true })
    platform.process.kill('SIGUSR2')
    for (;;) {
      await sleep(20)
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      if (text !== '') return JSON.parse(text)
    }
  }
  const made = async (path: string, body: object) =>
    JSON.parse((await send('POST', path, JSON.stringify(body))).text).id
  await send(
    'POST',
    '/api/v1/auth/token',
    JSON.stringify({ token: link.split('#token=')[1]?.trim(), password: 'a long phrase' }),
  )
  const org = await made('/api/v1/orgs', { name: 'Bench' })
  const path = `/api/v1/orgs/${org}/projects/${await made(`/api/v1/orgs/${org}/projects`, { name: 'Bench' })}`
  return { path, send, longest }
}

interface Request {
  readonly title: string
  readonly status: number
  readonly send: () => Promise<number>
}

function requests({ path, send }: Place): readonly Request[] {
  const wide = JSON.stringify(tableOf(DOCUMENT, 'wide'))
  const broken = wide.replaceAll('">= ', '"> > ')
  const ask = (title: string, method: string, to: string, body: () => string, status = 200): Request => ({
    title,
    status,
    send: async () => (await send(method, path + to, body())).status,
  })
  let seq = 0
  let subSeq = 0
  const cases = Array.from({ length: 5000 }, (_, index) => ({
    name: `case ${index}`,
    input: { text: 'x'.repeat(1900), amount: index },
    expect: { code: 'A' },
  }))
  return [
    ask('validate a table of 10 MiB', 'POST', '/rulesets/wide/validate', () => `{"ruleset":${wide}}`),
    ask('validate one of which each row is wrong', 'POST', '/rulesets/wide/validate', () => `{"ruleset":${broken}}`),
    {
      title: 'save a table of 10 MiB',
      status: 0,
      async send() {
        const { status } = await send('POST', `${path}/rulesets/wide`, `{"ruleset":${wide},"expected_seq":${seq++}}`)
        return status < 300 ? 0 : status
      },
    },
    ask('convert it, which an engine refuses', 'POST', '/rulesets/wide/convert', () => `{"ruleset":${wide}}`, 400),
    ask('execute it, likewise', 'POST', '/rulesets/wide/trace', () => `{"ruleset":${wide},"input":{}}`, 400),
    ask('read a table of 10 MiB', 'GET', '/rulesets/wide', () => ''),
    {
      title: 'save a sub-rule of 1 MiB',
      status: 0,
      async send() {
        const body = JSON.stringify({ ...subRuleOf(SUB_RULE), expected_seq: subSeq++ })
        const { status } = await send('PUT', `${path}/sub-rules/steps`, body)
        return status < 300 ? 0 : status
      },
    },
    {
      title: 'make a suite of 10 MiB',
      status: 201,
      async send() {
        const body = JSON.stringify({ name: `s${Math.random()}`, cases })
        return (await send('POST', `${path}/rulesets/wide/tests`, body)).status
      },
    },
  ]
}

/** A release of one large ruleset, and one of as many rulesets and environments as it may have. The tables are saved before. */
async function releaseRequests({ path, send }: Place): Promise<readonly Request[]> {
  const [rulesets, environments] = [100, 50] as const
  const names = Array.from({ length: rulesets }, (_, index) => `part-${index}`)
  const save = (name: string, bytes: number) =>
    send('POST', `${path}/rulesets/${name}`, JSON.stringify({ ruleset: tableOf(bytes, name), expected_seq: 0 }))
  await save('alone', DOCUMENT)
  for (const name of names) await save(name, PART)
  const places = Array.from({ length: environments }, (_, index) => `place-${index}`)
  for (const name of places) await send('POST', `${path}/environments`, JSON.stringify({ name }))
  const preview = (title: string, of: readonly string[], where: readonly string[]): Request => ({
    title,
    status: 200,
    async send() {
      const body = { title, rulesets: of.map((name) => ({ name, from_seq: 1 })), environments: where }
      return (await send('POST', `${path}/releases/preview`, JSON.stringify(body))).status
    },
  })
  return [
    preview('preview a release of a table of 10 MiB', ['alone'], ['prod']),
    preview(`preview a release of ${rulesets} tables of 64 KiB into ${environments} environments`, names, places),
  ]
}

/** Bytes of each ruleset of a large release. */
const PART = 64 * 1024

/** A draft whose table has as many rows as fit. */
function tableOf(bytes: number, name: string): object {
  const row = (index: number) => ({ id: `r${index}`, cells: { a: `${index}`, b: `>= ${index}`, c: `${index}` } })
  const count = Math.floor((bytes - 1000) / (JSON.stringify(row(100_000)).length + 1))
  return {
    config: { name, version: '1.0.0' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'a', kind: 'input', field: 'a', type: 'number' },
          { id: 'b', kind: 'input', field: 'b', type: 'number' },
          { id: 'c', kind: 'output', field: 'c', type: 'number' },
        ],
        rows: Array.from({ length: count }, (_, index) => row(index)),
        nextStepId: 'end',
      },
      { id: 'end', type: 'terminal', code: 'DONE' },
    ],
  }
}

/** A sub-rule of as many steps as fit, each with an assignment. */
function subRuleOf(bytes: number): object {
  const step = (index: number, next: string) => ({
    id: `s${index}`,
    type: 'action',
    assignments: [{ name: 'fee', value: `amount * ${index} + 1` }],
    nextStepId: next,
  })
  const count = Math.min(15_000, Math.floor((bytes - 1000) / (JSON.stringify(step(10_000, 's10000')).length + 1)))
  return {
    version: '1.0.0',
    graph: {
      startStepId: 's0',
      steps: [
        ...Array.from({ length: count }, (_, index) => step(index, index + 1 === count ? 'end' : `s${index + 1}`)),
        { id: 'end', type: 'terminal', code: 'DONE' },
      ],
    },
    bindings: [{ name: 'amount', type: 'number', required: true }],
    outputs: [{ name: 'fee', type: 'number' }],
  }
}
