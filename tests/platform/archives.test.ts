import { packTar } from 'modern-tar'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTar } from '../../apps/platform-server/src/compute/tar-reader.ts'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let P: string
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
  const loans = await made(fromTemplate('loan-approval', 'Loans'))
  P = `${team.O}/projects/${loans.id}`
})
afterAll(() => platform.stop())

interface File {
  path: string
  text: string
}

const fromTemplate = (template_id: string, project_name: string) =>
  team.owner.request('POST', `${team.O}/projects/from-template`, { template_id, project_name })
const exported = async (project: string): Promise<File[]> =>
  (await team.owner.request('GET', `${project}/export`, undefined, { accept: 'application/json' })).body.files
const into = (files: readonly File[], query = '', project = P) =>
  team.owner.request('POST', `${project}/import${query}`, { files })
const anew = (files: readonly File[], query = '') =>
  team.owner.request('POST', `${team.O}/projects/import${query}`, { files })
/** The same files, with one changed. */
const changed = (files: readonly File[], path: string, from: string, to: string) =>
  files.map((file) => (file.path === path ? { path, text: file.text.replace(from, to) } : file))
const named = (files: readonly File[], name: string) => changed(files, 'project.json', '"Loans"', JSON.stringify(name))
const faultsOf = ({ body }: Answered) =>
  (body.details as { path: string; code: string; line?: number }[]).map(
    ({ path, code, line }) => `${path} ${code}${line === undefined ? '' : ` ${line}`}`,
  )

test('an export becomes the same project again, as JSON and as a compressed archive', async () => {
  const files = await exported(P)
  expect(files.map(({ path }) => path)).toContain('tests/loan_approval/affordability.yaml')
  const first = await anew(named(files, 'Loans 2'))
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({ project: { name: 'Loans 2' }, changed: [], removed: [], problems: [] })
  expect(first.headers.get('location')).toBe(`${team.O}/projects/${first.body.project.id}`)
  expect(await exported(`${team.O}/projects/${first.body.project.id}`)).toEqual(named(files, 'Loans 2'))

  const cookie = [...team.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${platform.url}${P}/export`, { headers: { cookie } })
  expect(answer.headers.get('content-type')).toBe('application/gzip')
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(await readTar(bytes)).toEqual(files)
  const sent = await fetch(`${platform.url}${P}/import`, {
    method: 'POST',
    headers: {
      cookie,
      origin: new URL(platform.url).origin.replace('127.0.0.1', 'localhost'),
      'content-type': 'application/gzip',
    },
    body: bytes,
  })
  expect(sent.status).toBe(200)
  expect(await sent.json()).toMatchObject({ created: [], changed: [], removed: [] })
})

test('an import changes the differences, and removes missing resources with prune', async () => {
  const files = await exported(P)
  const [fact, ruleset, suite] = [
    'facts/loan.amount.json',
    'rulesets/loan_approval.json',
    'tests/loan_approval/policy.yaml',
  ]
  let other = changed(files, fact, 'Amount that is', 'The amount that is')
  other = changed(other, ruleset, '"under age"', '"too young"')
  other = [
    ...other.filter(({ path }) => path !== suite),
    { path: 'facts/extra.json', text: '{"name":"extra","type":"string"}' },
  ]
  const dry = await into(other, '?dry_run=true&prune=true')
  const expected = { created: ['facts/extra.json'], changed: [fact, ruleset], removed: [suite], problems: [] }
  expect(dry.body).toMatchObject(expected)
  expect(await exported(P)).toEqual(files)

  expect((await into(other)).body).toMatchObject({ ...expected, removed: [] })
  expect((await exported(P)).map(({ path }) => path)).toContain(suite)
  expect((await into(other, '?prune=true')).body).toMatchObject({ created: [], changed: [], removed: [suite] })
  expect((await team.owner.request('GET', `${P}/rulesets/loan_approval`)).body.seq).toBe(2)
  expect((await into(files, '?prune=true')).body).toMatchObject({ removed: ['facts/extra.json'] })
  expect(await exported(P)).toEqual(files)
  const { body } = await team.owner.request('GET', `${team.O}/audit?action=project.imported`)
  expect(body.items[0].after).toMatchObject({ removed: ['facts/extra.json'] })
})

test('exports show who acknowledged a finding and when; an import acknowledges those that are new', async () => {
  const file = (reason: string, more = {}) => ({
    path: 'rulesets/meant.json',
    text: JSON.stringify({
      config: { name: 'meant', intended: [{ finding: 'gap', place: '/steps/end', reason, ...more }] },
      startStepId: 'end',
      steps: [{ id: 'end', type: 'terminal', code: 'A' }],
    }),
  })
  const ruleset = async () => (await team.owner.request('GET', `${P}/rulesets/meant`)).body
  const before = await exported(P)
  const anyone = { author: 'someone', at: '2000-01-01T00:00:00Z' }
  await into([...before, file('a', anyone)])
  const { updated_by: author, updated_at: time, seq } = await ruleset()
  const files = await exported(P)
  const { config } = JSON.parse(files.find(({ path }) => path === file('').path)?.text ?? '')
  expect(config.intended).toEqual([{ finding: 'gap', place: '/steps/end', reason: 'a', author, at: time }])
  for (const same of [files, [...before, file('a', anyone)]])
    expect((await into(same)).body).toMatchObject({ created: [], changed: [] })
  expect((await ruleset()).seq).toBe(seq)
  expect((await into(before, '?prune=true')).body.removed).toEqual([file('').path])
})

test('an import removes omitted resources only on request', async () => {
  const all = await exported(P)
  const kinds = [...new Set(all.map(({ path }) => path.split('/')[0] ?? ''))].filter((kind) => kind !== 'project.json')
  expect(kinds.toSorted()).toEqual(expect.arrayContaining(['contracts', 'facts', 'rulesets', 'tests']))
  const extra = [
    { path: 'concepts/spare.json', text: '{"name":"spare","fields":[]}' },
    { path: 'facts/spare.json', text: '{"name":"spare","type":"string"}' },
    {
      path: 'contracts/spare.json',
      text: '{"name":"spare","version":"1.0.0","input":{"fields":[]},"outputs":[{"code":"A","fields":[]}]}',
    },
    {
      path: 'sub-rules/spare.json',
      text: '{"name":"spare","version":"1.0.0","graph":{"startStepId":"end","steps":[{"id":"end","type":"terminal","code":"A"}]},"bindings":[],"outputs":[]}',
    },
    {
      path: 'rulesets/spare.json',
      text: '{"config":{"name":"spare","version":"1.0.0"},"startStepId":"end","steps":[{"id":"end","type":"terminal","code":"A"}]}',
    },
  ]
  const added = await into([...all, ...extra])
  expect(added.status, added.text).toBe(200)
  expect(added.body.created.toSorted()).toEqual(extra.map(({ path }) => path).toSorted())
  const whole = await exported(P)
  for (const { path } of extra) {
    const answer = await into(whole.filter((file) => file.path !== path))
    expect([path, answer.status, answer.body.removed]).toEqual([path, 200, []])
    expect(await exported(P)).toEqual(whole)
  }
  expect((await into(all, '?prune=true')).body.removed.toSorted()).toEqual(extra.map(({ path }) => path).toSorted())
  expect(await exported(P)).toEqual(all)
})

test('environments are those of the archive', async () => {
  const files = await exported(P)
  const project = JSON.parse(files.find(({ path }) => path === 'project.json')?.text ?? '')
  const [dev, , prod] = project.environments
  project.current_environment = 'live'
  project.environments = [
    dev,
    { name: 'live', canary: { canary_target: 'dev', canary_percentage: 5 } },
    { ...prod, hold_before: true, allow_local_rulesets: true },
  ]
  const other = files.map((file) => (file.path === 'project.json' ? { ...file, text: JSON.stringify(project) } : file))
  expect((await into(other, '?prune=true')).body).toMatchObject({ changed: ['project.json'], problems: [] })
  const { items } = (await team.owner.request('GET', `${P}/environments?sort=name`)).body
  expect(items).toMatchObject([
    { name: 'dev', is_default: false, hold_before: false, canary: { canary_percentage: 0 } },
    {
      name: 'live',
      is_default: true,
      allow_local_rulesets: false,
      hold_before: false,
      canary: { canary_percentage: 5 },
    },
    {
      name: 'prod',
      is_default: false,
      allow_local_rulesets: true,
      hold_before: true,
      canary: { canary_percentage: 0 },
    },
  ])
  expect((await into(files, '?prune=true')).status).toBe(200)
  expect(await exported(P)).toEqual(files)
})

describe('errors are named at their place, and nothing is stored', () => {
  const contract = 'contracts/loan_approval.json'
  test.each<[string, string, string, string, string]>([
    [
      'a misspelt type',
      'facts/loan.amount.json',
      '"number"',
      '"nummer"',
      'facts/loan.amount.json#/type unknown-type 3',
    ],
    [
      'a breaking change of a contract',
      contract,
      '"code": "DECLINED"',
      '"code": "REFUSED"',
      `${contract}#/version version-too-low`,
    ],
    [
      'a sub-rule with an output that it does not set',
      'sub-rules/instalment.json',
      '"type": "action"',
      '"type": "sub_rule", "refName": "instalment"',
      'sub-rules/instalment.json#/outputs/0/name unset-output',
    ],
    [
      'a stage beyond 100 %',
      'project.json',
      '"name": "dev"',
      '"name": "dev", "recording": { "rate": 101 }',
      'project.json#/environments/0/recording/rate wrong-value',
    ],
    [
      'a name that none may have',
      'project.json',
      '"name": "dev"',
      '"name": "a b"',
      'project.json#/environments/0/name wrong-value',
    ],
    ['no JSON', 'rulesets/loan_approval.json', '{', '', 'rulesets/loan_approval.json# unreadable 2'],
    ['the character NUL', 'facts/loan.amount.json', 'Amount', String.raw`\u0000`, ''],
  ])('%s', async (_, path, from, to, expected) => {
    const files = await exported(P)
    const answer = await into(changed(files, path, from, to))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(410)
    if (expected !== '')
      expect(faultsOf(answer)[0]?.replace(/ (?:wrong|out|not|bad|min|max|pattern)[\w-]*$/, ' wrong-value')).toBe(
        expected,
      )
    expect(await exported(P)).toEqual(files)
  })

  test('a new project with a taken name', async () => {
    const files = await exported(P)
    expect((await anew(files)).body.details[0].code).toBe('duplicate')
    expect((await anew(named(files, 'Dry'), '?dry_run=true')).body).toMatchObject({ project: null, problems: [] })
    const { items } = (await team.owner.request('GET', `${team.O}/projects?q=Dry`)).body
    expect(items).toEqual([])
  })
})

test('a project that no archive could hold is neither exported nor compared with one', async () => {
  const { id } = await made(team.owner.request('POST', `${team.O}/projects`, { name: 'Large' }))
  const project = `${team.O}/projects/${id}`
  const ruleset = { config: { name: 'one', version: '1.0.0' }, startStepId: 'end', steps: [] }
  await made(team.owner.request('POST', `${project}/rulesets/one`, { ruleset, expected_seq: 0 }))
  const cases = [{ name: 'long', input: { text: 'x'.repeat(9 * 1024 * 1024) }, expect: { code: 'A' } }]
  for (let index = 0; index < 6; index++)
    await made(team.owner.request('POST', `${project}/rulesets/one/tests`, { name: `suite ${index}`, cases }))
  const files = await exported(P)
  for (const refused of [await team.owner.request('GET', `${project}/export`), await into(files, '', project)]) {
    expect([refused.status, faultsOf(refused)]).toEqual([400, [' too-large']])
    expect(refused.body.error).toMatch(/^the project has 5\d{7} bytes, and an archive at most 52428800$/)
  }
})

describe('compressed archives', () => {
  const tar = async (...entries: Parameters<typeof packTar>[0]) => gzipSync(await packTar(entries))
  const file = (name: string, body = '{}') => ({ header: { name, size: Buffer.byteLength(body) }, body })

  const folder = (name: string) => ({ header: { name, size: 0, type: 'directory' as const } })
  /** An extended header with these records. */
  const withPax = (records: string) => ({
    header: { name: 'pax', size: Buffer.byteLength(records), type: 'pax-header' as const },
    body: records,
  })
  /** One entry repeated, without the end of the archive. */
  const repeated = async (count: number, entry: Parameters<typeof packTar>[0][number]) =>
    gzipSync(Buffer.alloc(count * 512, (await packTar([entry])).subarray(0, 512)))
  const damaged = (bytes: Uint8Array) => bytes.with(0, 255)

  test('have paths and sizes of extended headers and the long names of GNU tar', async () => {
    const path = `facts/${'ä'.repeat(200)}.json`
    const long = `facts/${'b'.repeat(150)}.json`
    const bytes = await tar(
      withPax('11 path=2b\n'),
      file('a'),
      file(path),
      { header: { name: '././@LongLink', size: long.length, type: 'gnu-long-name' as const }, body: long },
      file('c'),
    )
    expect((await readTar(bytes)).map((one) => one.path)).toEqual(['2b', path, long])
  })

  test('of one folder hold its files', async () => {
    const bytes = await tar(
      { header: { name: 'shop/', size: 0, type: 'directory' } },
      file('shop/project.json'),
      file('shop/facts/ä.json'),
    )
    expect((await readTar(bytes)).map(({ path }) => path)).toEqual(['project.json', 'facts/ä.json'])
  })

  test.each<[string, () => Promise<Buffer>, RegExp]>([
    [
      'a symbolic link',
      () => tar({ header: { name: 'project.json', size: 0, type: 'symlink', linkname: '/etc/passwd' } }),
      /is a symbolic link/,
    ],
    ['a hard link', () => tar({ header: { name: 'project.json', size: 0, type: 'link', linkname: 'a' } }), /is a link/],
    ['a device', () => tar({ header: { name: 'a', size: 0, type: 'character-device' } }), /is a character device/],
    ['a path that leads out', () => tar(file('../project.json')), /leads out/],
    ['an absolute path', () => tar(file('/project.json')), /leads out/],
    ['a path with a part that leads out', () => tar(file('facts/../../a.json')), /leads out/],
    ['bytes that are not an archive', async () => Buffer.from('hello'), /not compressed/],
    ['bytes that are not a tar archive', async () => gzipSync(Buffer.alloc(2048, 'x')), /cannot be read|archive/],
    ['a bomb', () => tar(file('a.json', 'x'.repeat(60 * 1024 * 1024))), /more than 52428800 bytes/],
    ['a bomb next to the project', () => tar(file('a.png', 'x'.repeat(60 * 1024 * 1024))), /more than 52428800 bytes/],
    ['more files than are read', () => repeated(20_001, file('a.json', '')), /more than 20000 files/],
    ['more folders than are read', () => repeated(40_001, folder('a/')), /more than 20000 files/],
    [
      'an extended header of 300,000 records',
      () => tar(withPax('10 k=12345\n'.repeat(300_000)), file('a.json')),
      /an extended header of \d+ bytes: at most 4096/,
    ],
    ['80,001 extended headers before one file', () => repeated(80_001, withPax('')), /more than 80000 headers/],
    ['a damaged extended header', () => tar(withPax('9 path=b\n8'), file('a.json')), /an extended header is damaged/],
    ['a damaged header', async () => gzipSync(damaged(await packTar([file('a.json')]))), /a header is damaged/],
    [
      'an end within a file',
      async () => gzipSync((await packTar([file('a.json', 'x'.repeat(2000))])).subarray(0, 1500)),
      /ends within a file/,
    ],
  ])('with %s are refused', async (_, bytes, expected) => {
    await expect(bytes().then(readTar)).rejects.toThrow(expected)
  })
})
