import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { casesOf } from './cases.testing.ts'
import { startServer, type TestServer } from './http/server.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-watch-'))

let rules: string
let audit: string

beforeEach(() => {
  const own = mkdtempSync(join(scratch, 'run-'))
  rules = join(own, 'rules')
  audit = join(own, 'audit')
  mkdirSync(rules)
})
const started: TestServer[] = []
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const document = (name: string, code: string) => ({
  config: { name, version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code, message: 'done' } } },
})
const text = (name: string, code: string) => JSON.stringify(document(name, code))
const path = (file: string) => join(rules, file)
/** In place: a look in the middle of it finds half a file. */
const write = (file: string, content: string) => writeFileSync(path(file), content)
/** Immediately. */
const replace = (file: string, content: string) => {
  write(`.${file}.new`, content)
  renameSync(path(`.${file}.new`), path(file))
}

/** In this process: the same watches; the last tests run the program. */
async function serving(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer('--rules-dir', rules, ...options)
  started.push(server)
  return server
}

const watching = (...options: readonly string[]) =>
  serving('--watch-rules', '--audit-dir', audit, '--audit-sample-rate', '0', ...options)

const JSON_TYPE = { 'content-type': 'application/json' }

async function codeOf({ url }: TestServer, name: string, tenant?: string): Promise<unknown> {
  const headers = { ...JSON_TYPE, ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }) }
  const reply = await fetch(`${url}/api/v1/execute/${name}`, { method: 'POST', headers, body: '{"input":{}}' })
  return reply.status === 200 ? ((await reply.json()) as { code: string }).code : reply.status
}

const store = ({ url }: TestServer, name: string, code: string) =>
  fetch(`${url}/api/v1/rulesets`, { method: 'POST', headers: JSON_TYPE, body: text(name, code) })

async function rejected({ url }: TestServer): Promise<readonly { file: string; reason: string }[]> {
  const { storage } = (await (await fetch(`${url}/health`)).json()) as {
    storage: { rejected: { file: string; reason: string }[] }
  }
  return storage.rejected
}

async function reloads({ url }: TestServer): Promise<Readonly<Record<string, number>>> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).matchAll(
    /^engine_hot_reloads_total\{result="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries(Array.from(lines, ([, result, count]) => [result, Number(count)]))
}

/** The changes of rulesets, from the audit. */
function history(directory = audit): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as { event: string; rule_name?: string })
    .filter(({ event }) => event.startsWith('rule_') || event === 'signature_rejected')
    .map(({ event, rule_name: name }) => `${event} ${name}`)
}

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 120_000, interval: 50 })
const serves = (server: TestServer, name: string, code: unknown) =>
  eventually(async () => expect(await codeOf(server, name)).toBe(code))

/** Long enough for a look at everything that was done before. */
async function settled(server: TestServer): Promise<void> {
  replace('settled.json', text('settled', String(performance.now())))
  const { code } = JSON.parse(readFileSync(path('settled.json'), 'utf8')).steps.end.result as { code: string }
  await serves(server, 'settled', code)
}

describe('a file that is saved', () => {
  test.each<[how: string, save: (content: string) => Promise<void> | void]>([
    [
      'by a rename of a temporary file',
      (content) => {
        replace('a.json', content)
      },
    ],
    ['in place', (content) => write('a.json', content)],
    [
      'in place in two steps',
      async (content) => {
        write('a.json', content.slice(0, 20))
        await sleep(400)
        write('a.json', content)
      },
    ],
    [
      'as vim does it: a test file, a swap file, the old file as a backup',
      (content) => {
        write('4913', '')
        unlinkSync(path('4913'))
        write('.a.json.swp', 'b0VIM')
        renameSync(path('a.json'), path('a.json~'))
        write('a.json', content)
        unlinkSync(path('a.json~'))
        unlinkSync(path('.a.json.swp'))
      },
    ],
    [
      'after the old one was removed',
      (content) => {
        unlinkSync(path('a.json'))
        write('a.json', content)
      },
    ],
  ])('%s is served', async (_how, save) => {
    write('a.json', text('a', 'OLD'))
    const server = await watching()
    expect(await codeOf(server, 'a')).toBe('OLD')
    await save(text('a', 'NEW'))
    await serves(server, 'a', 'NEW')
    await eventually(async () => expect(await rejected(server)).toEqual([]))
    expect(readFileSync(path('a.json'), 'utf8'), 'the file is not written again').toBe(text('a', 'NEW'))
    await eventually(() => expect(history()).toEqual(['rule_updated a']))
    const { versions } = (await (await fetch(`${server.url}/api/v1/rulesets/a/versions`)).json()) as {
      versions: unknown[]
    }
    expect(versions).toHaveLength(1)
  })
})

test('files come, change their form, go and are renamed', async () => {
  const server = await watching()
  replace('a.json', text('a', 'JSON'))
  await serves(server, 'a', 'JSON')
  replace(
    'a.yaml',
    `config: {name: a, entry_step: e}\nsteps: {e: {id: e, type: terminal, result: {code: YAML, message: ""}}}`,
  )
  await eventually(async () =>
    expect(await rejected(server)).toEqual([{ file: 'a.yaml', reason: '`a.json` holds the ruleset of this name' }]),
  )
  unlinkSync(path('a.json'))
  await serves(server, 'a', 'YAML')
  expect(await rejected(server)).toEqual([])
  unlinkSync(path('a.yaml'))
  await serves(server, 'a', 404)

  replace('b.json', text('b', 'B'))
  await serves(server, 'b', 'B')
  renameSync(path('b.json'), path('c.json'))
  await serves(server, 'b', 404)
  await eventually(async () =>
    expect(await rejected(server)).toEqual([
      { file: 'c.json', reason: 'the file must be called like the ruleset in it, `b`' },
    ]),
  )
  replace('c.json', text('c', 'C'))
  await serves(server, 'c', 'C')
  expect(await rejected(server)).toEqual([])
  expect(await reloads(server), server.logged.join('\n')).toEqual({ applied: 4, removed: 2, rejected: 2 })
  await eventually(() =>
    expect(history()).toEqual([
      'rule_created a',
      'rule_updated a',
      'rule_deleted a',
      'rule_created b',
      'rule_deleted b',
      'rule_created c',
    ]),
  )
})

test('an invalid file is logged once, and the old ruleset is served until it is repaired', async () => {
  replace('a.json', text('a', 'OLD'))
  const server = await watching()
  replace('a.json', text('a', 'NEW').replace('"entry_step":"end"', '"entry_step":"nowhere"'))
  await eventually(async () => expect(await rejected(server)).toMatchObject([{ file: 'a.json' }]))
  await settled(server)
  await settled(server)
  expect(await codeOf(server, 'a')).toBe('OLD')
  expect(server.logged.filter((line) => line.includes('a rule file is not served'))).toHaveLength(1)
  expect(await reloads(server)).toMatchObject({ rejected: 1 })
  replace('a.json', text('a', 'NEW'))
  await serves(server, 'a', 'NEW')
  expect(await rejected(server)).toEqual([])
})

describe('the server’s own writes', () => {
  test('are nothing new', async () => {
    const server = await watching()
    for (const code of ['ONE', 'TWO']) {
      expect((await store(server, 'a', code)).ok).toBe(true)
      await sleep(300)
    }
    await store(server, 'b', 'B')
    await fetch(`${server.url}/api/v1/rulesets/b`, { method: 'DELETE' })
    await settled(server)
    await eventually(() =>
      expect(history().filter((line) => !line.endsWith(' settled'))).toEqual([
        'rule_created a',
        'rule_updated a',
        'rule_created b',
        'rule_deleted b',
      ]),
    )
    expect(readdirSync(path('.versions/a'))).toHaveLength(1)
    expect(await reloads(server)).toEqual({ applied: 1, removed: 0, rejected: 0 })
  })

  test('do not hide an edit right after them', async () => {
    const server = await watching()
    for (const [index, wait] of [0, 5, 20, 50].entries()) {
      await store(server, 'a', `API${index}`)
      await sleep(wait)
      write('a.json', text('a', `EDIT${index}`))
      await serves(server, 'a', `EDIT${index}`)
    }
  })
})

describe('the directory', () => {
  test.each<[how: string, swap: (fresh: string) => void]>([
    [
      'renamed, with another one in its place',
      (fresh) => {
        renameSync(rules, `${rules}.old`)
        renameSync(fresh, rules)
      },
    ],
    [
      'removed, with another one in its place',
      (fresh) => {
        rmSync(rules, { recursive: true })
        renameSync(fresh, rules)
      },
    ],
    [
      'removed and made again',
      (fresh) => {
        rmSync(rules, { recursive: true })
        mkdirSync(rules)
        for (const file of readdirSync(fresh)) renameSync(join(fresh, file), path(file))
      },
    ],
  ])('%s, is still watched', async (_how, swap) => {
    for (const name of ['a', 'b']) write(`${name}.json`, text(name, 'OLD'))
    const server = await watching()
    const fresh = `${rules}.fresh`
    mkdirSync(fresh)
    for (const name of ['a', 'c']) writeFileSync(join(fresh, `${name}.json`), text(name, 'FRESH'))
    swap(fresh)
    await serves(server, 'a', 'FRESH')
    await serves(server, 'b', 404)
    await serves(server, 'c', 'FRESH')
    write('a.json', text('a', 'LATER'))
    await serves(server, 'a', 'LATER')
  })

  test('that is missing removes no rulesets', async () => {
    write('a.json', text('a', 'OLD'))
    const server = await watching()
    renameSync(rules, `${rules}.away`)
    await eventually(() => expect(server.logged.join('\n')).toContain('the rules directory cannot be read'))
    expect(await codeOf(server, 'a')).toBe('OLD')
    writeFileSync(join(`${rules}.away`, 'a.json'), text('a', 'NEW'))
    renameSync(`${rules}.away`, rules)
    await serves(server, 'a', 'NEW')
  })

  test('behind a link is watched, also when the link goes elsewhere', async () => {
    const [one, two] = [`${rules}.1`, `${rules}.2`]
    renameSync(rules, one)
    mkdirSync(two)
    writeFileSync(join(one, 'a.json'), text('a', 'ONE'))
    writeFileSync(join(two, 'a.json'), text('a', 'TWO'))
    symlinkSync(one, rules)
    const server = await watching()
    write('a.json', text('a', 'MORE'))
    await serves(server, 'a', 'MORE')
    symlinkSync(two, `${rules}.new`)
    renameSync(`${rules}.new`, rules)
    await serves(server, 'a', 'TWO')
    write('a.json', text('a', 'LATER'))
    await serves(server, 'a', 'LATER')
  })
})

const FILES = casesOf(1000, 4)

test(`${FILES} files at once`, async () => {
  const server = await watching()
  const names = Array.from({ length: FILES }, (_, index) => `r${index}`)
  const count = async () => ((await (await fetch(`${server.url}/api/v1/rulesets`)).json()) as unknown[]).length
  for (const name of names) write(`${name}.json`, text(name, 'ONE'))
  await eventually(async () => expect(await count()).toBe(FILES))
  for (const name of names) write(`${name}.json`, text(name, 'TWO'))
  await eventually(async () => expect(await reloads(server)).toMatchObject({ applied: 2 * FILES }))
  for (const name of ['r0', `r${FILES >> 1}`, `r${FILES - 1}`]) expect(await codeOf(server, name)).toBe('TWO')
  for (const name of names) unlinkSync(path(`${name}.json`))
  await eventually(async () => expect(await count()).toBe(0))
})

test('requests and editors at the same time: the served content is finally that of the files', async () => {
  const server = await watching()
  const names = Array.from({ length: 12 }, (_, index) => `r${index}`)
  const acts: readonly ((name: string, code: string) => unknown)[] = [
    (name, code) => store(server, name, code),
    (name, code) => store(server, name, code),
    (name) => fetch(`${server.url}/api/v1/rulesets/${name}`, { method: 'DELETE' }),
    (name, code) => replace(`${name}.json`, text(name, code)),
    (name, code) => write(`${name}.json`, text(name, code)),
    (name, code) => replace(`${name}.yaml`, text(name, code)),
    (name) => rmSync(path(`${name}.json`), { force: true }),
    (name) => rmSync(path(`${name}.yaml`), { force: true }),
  ]
  const work = async (seed: number) => {
    for (let step = 0, draw = seed; step < 150; step++) {
      draw = (Math.imul(draw, 1_103_515_245) + 12_345) >>> 0
      const name = names[(draw >>> 8) % names.length] ?? ''
      await acts[(draw >>> 16) % acts.length]?.(name, `C${seed}x${step}`)
      await sleep((draw >>> 24) % 15)
    }
  }
  await Promise.all([1, 2, 3, 4].map(work))
  const inFiles = (name: string) => {
    const file = ['json', 'yaml'].map((ending) => path(`${name}.${ending}`)).find((one) => existsSync(one))
    if (file === undefined) return 404
    return (JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof document>).steps.end.result.code
  }
  for (const name of names) await serves(server, name, inFiles(name))
})

test('an unsigned file is exempt at start, and refused when it is changed later', async () => {
  write('a.json', text('a', 'OLD'))
  const key = Buffer.alloc(32, 1).toString('base64')
  const server = await watching('--signature-enabled', '--signature-require', '--signature-trusted-keys', key)
  expect(await codeOf(server, 'a')).toBe('OLD')
  write('a.json', text('a', 'NEW'))
  write('b.json', text('b', 'NEW'))
  const refused = ['a.json', 'b.json'].map((file) => ({ file, reason: 'no signature found' }))
  await eventually(async () => expect(await rejected(server)).toEqual(refused))
  expect([await codeOf(server, 'a'), await codeOf(server, 'b')]).toEqual(['OLD', 404])
  await eventually(() => expect(history().toSorted()).toEqual(['signature_rejected a', 'signature_rejected b']))
  write('a.json', text('a', 'OLD'))
  unlinkSync(path('b.json'))
  await eventually(async () => expect(await rejected(server)).toEqual([]))
})

test('the directory of each tenant is watched, also of those that come later', async () => {
  mkdirSync(path('acme'))
  writeFileSync(path('tenants.json'), JSON.stringify({ acme: {} }))
  const server = await watching('--multi-tenancy-enabled')
  writeFileSync(path('acme/a.json'), text('a', 'ACME'))
  writeFileSync(path('default/a.json'), text('a', 'DEFAULT'))
  await eventually(async () => expect(await codeOf(server, 'a', 'acme')).toBe('ACME'))
  await eventually(async () => expect(await codeOf(server, 'a', 'default')).toBe('DEFAULT'))
  const made = await fetch(`${server.url}/api/v1/tenants`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"id":"late"}',
  })
  expect(made.ok).toBe(true)
  writeFileSync(path('late/a.json'), text('a', 'TIMED_OUT'))
  await eventually(async () => expect(await codeOf(server, 'a', 'late')).toBe('TIMED_OUT'))
  writeFileSync(path('late/a.json'), '{')
  await eventually(async () => expect(await rejected(server)).toMatchObject([{ file: 'late/a.json' }]))
  await eventually(() => expect(history(join(audit, 'acme'))).toEqual(['rule_created a']))
})

test('a reader applies files too', async () => {
  const server = await watching('--role', 'reader')
  expect((await store(server, 'a', 'API')).status).toBe(409)
  write('a.json', text('a', 'FILE'))
  await serves(server, 'a', 'FILE')
})

/** In a separate user namespace a process may set its own limits. */
const ownLimits = ['--user', '--map-root-user', 'sh', '-c']
const hasOwnLimits = spawnSync('unshare', [...ownLimits, 'echo 0 > /proc/sys/user/max_inotify_watches']).status === 0

test.skipIf(!hasOwnLimits)('without watches left in the system, one line logs that it polls every 30 s', async () => {
  const command = `echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"`
  const server = spawn(
    'unshare',
    [
      ...ownLimits,
      command,
      'sh',
      'node_modules/.bin/engine-server',
      '--http-addr',
      '127.0.0.1:0',
      '--disable-grpc',
    ].concat(['--rules-dir', rules, '--watch-rules']),
    { env: { ...process.env, PATH: `${process.cwd()}/node_modules/.bin:${process.env['PATH'] ?? ''}` } },
  )
  let said = ''
  server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  try {
    await eventually(() => expect(said).toContain('no file events: the rule files are polled every 30 s'))
    await sleep(1500)
    expect(said.match(/no file events/g)).toHaveLength(1)
  } finally {
    server.kill('SIGKILL')
    await once(server, 'close')
  }
})

test('without the option no change is applied', async () => {
  write('a.json', text('a', 'OLD'))
  const plain = await serving()
  write('a.json', text('a', 'NEW'))
  await sleep(1000)
  expect(await codeOf(plain, 'a')).toBe('OLD')
})
