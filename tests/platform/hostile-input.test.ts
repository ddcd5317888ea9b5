import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { grading } from './drafts.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

/**
 * The bodies and parameters that cost most for their size, each with what ends it. Prints the longest time that the event loop
 * was held, as processor time; docs/benchmarks.md has the figures.
 */
const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let P: string
let longest = { title: 'none', milliseconds: 0 }
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  team = await newTeam(platform)
  P = `${team.path}/projects/${(await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))).id}`
  await made(team.owner.request('POST', `${P}/rulesets/rule`, { ruleset: grading('rule'), expected_seq: 0 }))
})
afterAll(async () => {
  console.log(`the event loop was held for ${longest.milliseconds.toFixed(0)} ms at most: ${longest.title}`)
  await platform.stop()
})

interface Row {
  readonly title: string
  readonly method?: string
  /** Below the project, or from the root. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** A part of the answer. */
  readonly says?: string
}

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i))
const members = (count: number, name: (index: number) => string) => Object.fromEntries(many(count, (i) => [name(i), 1]))
const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
/** A list of more values than a body may have. */
const MILLION = `[${'0,'.repeat(1_000_000)}0]`
const login = '/api/v1/auth/login'
const account = { email: 'a@example.com', password: 'x' }
const policy = (freeze_window: object) => ({ name: `p${Math.random()}`, freeze_window })
const tracing = (condition: string, input: object) => {
  const { steps, ...rest } = grading('rule')
  const [first, ...others] = steps
  const step = { ...first, branches: [{ id: 'b', condition, nextStepId: 'yes' }] }
  return { ruleset: { ...rest, steps: [step, ...others] }, input }
}
const contract = (type: string, version = '1.0.0') => ({
  name: `c${Math.random()}`.replace('.', ''),
  version,
  input: { fields: [{ name: 'a', type }] },
  outputs: [],
})

const ROWS: readonly Row[] = [
  {
    title: '70,000 unknown members',
    path: login,
    body: members(70_000, (i) => `m${i}`),
    status: 400,
    says: 'is unknown',
  },
  {
    title: '20,000 members nearly of a known name',
    path: login,
    body: { ...account, ...members(20_000, (i) => `${'password'.repeat(3)}${i}`) },
    status: 400,
    says: 'is unknown',
  },
  { title: 'lists 400,000 deep', path: login, body: nested(400_000), status: 400, says: 'deep' },
  { title: 'a list of 300,000 empty lists', path: login, body: `[${'[],'.repeat(300_000)}[]]`, status: 400 },
  { title: 'an address of a million letters', path: login, body: { ...account, email: 'a'.repeat(1e6) }, status: 400 },
  { title: 'an address of many dots', path: login, body: { ...account, email: `a@${'a.'.repeat(1e5)}b` }, status: 400 },
  {
    title: 'a password of a million letters',
    path: login,
    body: { ...account, password: 'a'.repeat(1e6) },
    status: 400,
  },
  { title: 'more than a body may have', path: login, body: { ...account, email: 'a'.repeat(1 << 20) }, status: 413 },
  {
    title: 'a body that unfolds to a thousand times its size',
    path: login,
    body: gzipSync(Buffer.alloc(50 << 20, ' ')),
    headers: { 'content-encoding': 'gzip' },
    status: 413,
  },
  {
    title: 'engines of an environment',
    method: 'PUT',
    path: '/server',
    body: { environment: 'dev', server_ids: many(25_000, () => crypto.randomUUID()) },
    status: 400,
    says: 'at most',
  },
  {
    title: 'rulesets of a release',
    path: '/releases',
    body: { title: 't', environments: ['dev'], rulesets: many(20_000, (i) => ({ name: `r${i}`, from_seq: 1 })) },
    status: 400,
    says: 'at most',
  },
  {
    title: 'environments of a release',
    path: '/releases/preview',
    body: { title: 't', environments: many(50_000, (i) => `e${i}`), rulesets: [{ name: 'rule', from_seq: 1 }] },
    status: 400,
    says: 'at most',
  },
  {
    title: 'environments of a policy',
    path: '/release-policies',
    body: { name: 'p', match: { environments: many(50_000, (i) => `e${i}`) } },
    status: 400,
    says: 'at most',
  },
  {
    title: 'paths that are masked',
    method: 'PUT',
    path: '/environments/dev/recording',
    body: { mask: many(50_000, (i) => `a.b${i}`) },
    status: 400,
    says: 'at most',
  },
  {
    title: 'events of a webhook',
    path: '/webhooks',
    body: { url: 'https://a.example', events: many(80_000, () => '*') },
    status: 400,
    says: 'at most',
  },
  {
    title: 'a pattern of many lists',
    path: '/release-policies',
    body: policy({ cron: `${many(60, String).join(',')} * * * *`, duration: '1m' }),
    status: 201,
  },
  {
    title: 'a pattern that comes every 28 years',
    path: '/release-policies',
    body: policy({ cron: '59 23 29 2 0#5', duration: '1m' }),
    status: 201,
  },
  {
    title: 'a pattern that never comes',
    path: '/release-policies',
    body: policy({ cron: '0 0 31 2 *', duration: '1m' }),
    status: 400,
    says: 'never',
  },
  {
    title: 'a window of 366 days each minute',
    path: '/release-policies',
    body: policy({ cron: '* * * * *', duration: '366d' }),
    status: 201,
  },
  {
    title: 'a time zone of 100 letters',
    path: '/release-policies',
    body: policy({ cron: '* * * * *', duration: '1m', time_zone: 'A/'.repeat(50) }),
    status: 400,
    says: 'time zone',
  },
  {
    title: 'a type in 70 lists',
    path: '/contracts',
    body: contract(`${'array<'.repeat(70)}string${'>'.repeat(70)}`),
    status: 400,
  },
  {
    title: 'a version of 100 digits',
    path: '/contracts',
    body: contract('string', `1.0.${'9'.repeat(90)}`),
    status: 400,
  },
  {
    title: 'a version of 90 parts',
    path: '/contracts',
    body: contract('string', `1.0.0-${'a.'.repeat(45)}a`),
    status: 201,
  },
  {
    title: 'a pattern with nested repetition',
    path: '/rulesets/rule/trace',
    body: tracing('matches(text, "^(a+)+$")', { text: `${'a'.repeat(100_000)}!` }),
    status: 200,
  },
  {
    title: 'an expression of 100,000 operators',
    path: '/rulesets/rule/validate',
    body: tracing(`${'a + '.repeat(100_000)}a > 1`, {}).ruleset,
    status: 400,
  },
  {
    title: 'an expression in 50,000 brackets',
    path: '/rulesets/rule/validate',
    body: { ruleset: tracing(`${'('.repeat(50_000)}a${')'.repeat(50_000)}`, {}).ruleset },
    status: 200,
    says: 'error',
  },
  {
    title: 'an input of 500,000 lists',
    path: '/rulesets/rule/trace',
    body: `{"ruleset":${JSON.stringify(grading('rule'))},"input":{"a":[${'[],'.repeat(500_000)}[]]}}`,
    status: 200,
  },
  ...[
    ['an input', '/rulesets/rule/trace', { body: `{"ruleset":${JSON.stringify(grading('rule'))},"input":${MILLION}}` }],
    ['a draft', '/rulesets/rule/validate', { body: `{"ruleset":{"steps":${MILLION}}}` }],
    ['cases', '/rulesets/rule/tests', { body: `{"name":"s","cases":${MILLION}}` }],
    ['a file of an archive', '/import', { body: { files: [{ path: 'contracts/a.json', text: MILLION }] } }],
    ['a Decision Model', '/imports?format=jdm', { body: `{"nodes":${MILLION},"edges":[]}` }],
    [
      'a suite in CSV',
      '/rulesets/rule/tests/import',
      { body: `name,input\na,"${MILLION}"\n`, headers: { 'content-type': 'text/csv' } },
    ],
  ].map(([what, path, sent]) => ({
    ...(sent as Pick<Row, 'body' | 'headers'>),
    title: `${what as string} of more than 1,000,000 values`,
    path: path as string,
    status: 413,
    says: '1000000 values',
  })),
  {
    title: 'cases beyond a suite',
    path: '/rulesets/rule/tests',
    body: { name: 's', cases: many(6000, (i) => ({ name: `${i}`, expect: {} })) },
    status: 400,
    says: 'at most',
  },
  {
    title: 'files beyond an archive',
    path: '/import',
    body: { files: many(50_000, (i) => ({ path: `facts/${i}.json`, text: '' })) },
    status: 400,
  },
  {
    title: 'aliases that double',
    path: '/rulesets/rule/tests/import',
    body: `a0: &a0 [1]\n${many(60, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}\n`,
    headers: { 'content-type': 'application/yaml' },
    status: 400,
  },
  {
    title: 'a table of 200,000 columns',
    path: '/imports?format=csv',
    body: 'in:a,'.repeat(200_000),
    headers: { 'content-type': 'text/csv' },
    status: 400,
  },
  { title: 'a search of 8,000 wildcards', method: 'GET', path: `/rulesets?q=${'%25_'.repeat(2000)}`, status: 200 },
  { title: 'a cursor of 8,000 letters', method: 'GET', path: `/rulesets?cursor=${'A'.repeat(8000)}`, status: 400 },
  { title: '3,000 parameters', method: 'GET', path: `/rulesets?${'a&'.repeat(3000)}`, status: 400 },
  {
    title: 'a filter of 8,000 letters',
    method: 'GET',
    path: `/api/v1/orgs/{org}/audit?action=${'a.'.repeat(4000)}`,
    status: 200,
  },
]

test.each(ROWS.map((row) => [row.title, row] as const))('%s', async (title, row) => {
  const stop = watched(title)
  const { status, text } = await ask(row)
  stop()
  expect([status, text.slice(0, 400)]).toEqual([row.status, expect.stringContaining(row.says ?? '')])
  // The message about a large body is short.
  if (status >= 400) expect(text.length).toBeLessThan(20_000)
})

function ask({ method = 'POST', path, body, headers = {} }: Row): Promise<Answered> {
  const at = path.startsWith('/api/') ? path.replace('/api/v1/orgs/{org}', team.path) : P + path
  return team.owner.request(method, at, body, headers)
}

/** Measures the turns of the event loop until it is stopped. */
function watched(title: string): () => void {
  const processor = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let since = processor()
  const look = () => {
    const now = processor()
    if (now - since > longest.milliseconds) longest = { title, milliseconds: now - since }
    since = now
  }
  const timer = setInterval(look, 1)
  return () => {
    look()
    clearInterval(timer)
  }
}
