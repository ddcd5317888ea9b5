import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '@engine/expression'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { killAll, type RunningServer, start } from './engine-server.testing.ts'
import { adultCheck } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

/** Runs the steps of docs/maintenance.md. */

let directory: string
let rules: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-maintenance-'))
  rules = join(directory, 'rules')
})

afterEach(async () => {
  await killAll()
  rmSync(directory, { recursive: true, force: true })
})

afterAll(killAll)

const backup = (from: string, to: string) => runTool('engine-check', ['backup', from, to], directory)
const serve = (...options: readonly string[]) => start(['--rules-dir', rules, ...options])

const ruleset = (name: string, version = '1.0.0') => JSON.stringify(adultCheck({ config: { name, version } }))
const HEADERS = { 'content-type': 'application/json' }

async function store({ url }: RunningServer, body: string): Promise<number> {
  return (await fetch(`${url}/api/v1/rulesets`, { method: 'POST', headers: HEADERS, body })).status
}

async function versionOf({ url }: RunningServer, name: string): Promise<string | undefined> {
  const reply = await fetch(`${url}/api/v1/rulesets/${name}`)
  return reply.status === 200 ? ((await reply.json()) as { config: { version: string } }).config.version : undefined
}

async function storage({ url }: RunningServer): Promise<{ rules_count: number; rejected_count: number }> {
  return ((await (await fetch(`${url}/health`)).json()) as { storage: never }).storage
}

describe('a backup', () => {
  test('under writes is whole, again and again, and a server serves it', async () => {
    const server = await serve()
    /** Versions that were acknowledged, by name. */
    const acknowledged = new Map<string, number>()
    const over = new AbortController()
    const writing = (async () => {
      for (let count = 1; !over.signal.aborted; count++) {
        const name = `rule-${count % 7}`
        if (count % 20 === 0) {
          await fetch(`${server.url}/api/v1/rulesets/${name}`, { method: 'DELETE' })
          acknowledged.delete(name)
        } else {
          expect(await store(server, ruleset(name, `1.0.${count}`))).toBeLessThan(300)
          acknowledged.set(name, count)
        }
      }
    })()
    await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBe(7)
    for (let round = 0; round < 3; round++) {
      const target = join(directory, `backup-${round}`)
      const before = new Map(acknowledged)
      expect(await backup(rules, target)).toMatchObject({ code: 0, stderr: '' })
      const names = readdirSync(target)
      expect(names.filter((name) => /^\.(?:lock|owner|outbox)$|\.tmp-/.test(name))).toEqual([])
      for (const [name, count] of before) {
        const file = join(target, `${name}.json`)
        // It may have been deleted meanwhile; a present content is at least as new as the last acknowledged one.
        if (!existsSync(file)) continue
        const read = parseJson(readFileSync(file, 'utf8'), { duplicateKeys: 'refuse' })
        const { config } = (read as { value: unknown }).value as { config: { version: string } }
        expect(Number(config.version.split('.')[2])).toBeGreaterThanOrEqual(count)
      }
    }
    over.abort()
    await writing
    const served = await start(['--rules-dir', join(directory, 'backup-2')])
    expect(await storage(served)).toMatchObject({ rejected_count: 0 })
    expect((await storage(served)).rules_count).toBeGreaterThan(4)
  }, 120_000)

  test('has versions, tenants and their settings, and names what would not be served', async () => {
    const server = await serve('--multi-tenancy-enabled')
    await fetch(`${server.url}/api/v1/tenants`, { method: 'POST', headers: HEADERS, body: '{"id": "acme"}' })
    for (const version of ['1.0.0', '1.1.0'])
      await fetch(`${server.url}/api/v1/rulesets`, {
        method: 'POST',
        headers: { ...HEADERS, 'x-tenant-id': 'acme' },
        body: ruleset('limit', version),
      })
    await server.stop()
    expect(await backup(rules, 'good')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 ruleset verified, /),
    })
    const copy = join(directory, 'good')
    expect(existsSync(join(copy, 'tenants.json'))).toBe(true)
    expect(readdirSync(join(copy, 'acme/.versions/limit'))).toHaveLength(1)
    writeFileSync(join(rules, 'acme/broken.json'), '{')
    const { code, stderr } = await backup(rules, 'broken')
    expect([code, stderr]).toEqual([1, expect.stringContaining('not served: acme/broken.json: ')])
    expect(readFileSync(join(directory, 'broken/acme/broken.json'), 'utf8')).toBe('{')
  })

  test.each([
    ['at the top level', '', 'a.json'],
    ['at the top level, as YAML', '', 'a.yaml'],
    ['of a tenant', 'acme', 'acme/a.json'],
  ])('verifies rule files %s, and fails when it verified none', async (_where, folder, file) => {
    mkdirSync(join(rules, folder), { recursive: true })
    if (folder !== '') writeFileSync(join(rules, 'tenants.json'), '{}')
    writeFileSync(join(rules, file), '{"steps": 1}')
    expect(await backup(rules, 'none')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^0 rulesets verified, \d files? copied: /),
      stderr: expect.stringMatching(`^not served: ${file}: .*\nerror: no ruleset is served\n$`),
    })
    writeFileSync(join(rules, folder, 'b.json'), ruleset('b'))
    mkdirSync(join(rules, folder, '.versions/b'), { recursive: true })
    writeFileSync(join(rules, folder, '.versions/b/1.json'), '{')
    expect(await backup(rules, 'one')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^1 ruleset verified, \d files copied: /),
      stderr: expect.stringMatching(`^not served: ${file}: [^\n]*\n$`),
    })
    writeFileSync(join(rules, file), ruleset('a'))
    expect(await backup(rules, 'all')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 rulesets verified, /),
      stderr: '',
    })
  })

  test('judges copies as an engine that loads them: drafts, names and folders', async () => {
    const end = {
      id: 'end',
      name: 'End',
      type: 'terminal',
      code: 'A',
      message: { type: 'literal', value: '' },
      output: [],
    }
    mkdirSync(join(rules, 'sub'), { recursive: true })
    writeFileSync(join(rules, 'a.json'), JSON.stringify({ config: { name: 'a' }, startStepId: 'end', steps: [end] }))
    expect(await backup(rules, 'draft')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 ruleset verified, 1 file copied: /),
      stderr: '',
    })
    writeFileSync(join(rules, 'other.json'), ruleset('b'))
    writeFileSync(join(rules, 'sub/c.json'), ruleset('c'))
    expect(await backup(rules, 'unserved')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^1 ruleset verified, 3 files copied: /),
      stderr: expect.stringMatching(
        /not served: other\.json: .*called like.*\n.*not served: sub\/c\.json: .*sub-folders/,
      ),
    })
  })

  test.each([
    ['a folder with something in it', ['rules', 'full'], 'full: already exists'],
    ['a place within the directory', ['rules', 'rules/copy'], 'rules/copy: a backup must not be inside'],
    ['a directory that is not there', ['nowhere', 'copy'], 'nowhere: cannot be read: it does not exist'],
  ])('is refused for %s', async (_what, [from = '', to = ''], message) => {
    mkdirSync(rules)
    mkdirSync(join(directory, 'full'))
    writeFileSync(join(directory, 'full/a'), '')
    expect(await backup(from, to)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })

  test('needs both folders', async () => {
    expect(await runTool('engine-check', ['backup', 'rules'], directory)).toMatchObject({ code: 2 })
  })
})

test('a ruleset is rolled back, and one that was deleted is restored from a backup', async () => {
  const server = await serve()
  for (const version of ['1.0.0', '2.0.0']) await store(server, ruleset('limit', version))
  expect((await backup(rules, 'copy')).code).toBe(0)
  const rolledBack = await fetch(`${server.url}/api/v1/rulesets/limit/rollback`, {
    method: 'POST',
    headers: HEADERS,
    body: '{"seq": 1}',
  })
  expect([rolledBack.status, await versionOf(server, 'limit')]).toEqual([200, '1.0.0'])
  await fetch(`${server.url}/api/v1/rulesets/limit`, { method: 'DELETE' })
  expect(await versionOf(server, 'limit')).toBeUndefined()
  expect(await store(server, readFileSync(join(directory, 'copy/limit.json'), 'utf8'))).toBe(201)
  expect(await versionOf(server, 'limit')).toBe('2.0.0')
  expect(existsSync(join(rules, '.versions/limit'))).toBe(true)
})

test('one node is restored with its versions, and upgrading is stopping and starting on the same directory', async () => {
  const before = await serve()
  for (const version of ['1.0.0', '2.0.0']) await store(before, ruleset('limit', version))
  expect((await backup(rules, 'copy')).code).toBe(0)
  // The new program on the backup.
  expect(await runTool('engine-check', ['copy'], directory)).toMatchObject({ code: 0 })
  await store(before, ruleset('later'))
  expect(await before.stop()).toBe(0)

  const upgraded = await serve()
  expect(await storage(upgraded)).toMatchObject({ rules_count: 2, rejected_count: 0 })
  expect(await upgraded.stop()).toBe(0)

  renameSync(rules, join(directory, 'aside'))
  cpSync(join(directory, 'copy'), rules, { recursive: true })
  const restored = await serve()
  expect(await storage(restored)).toMatchObject({ rules_count: 1, rejected_count: 0 })
  const versions = await (await fetch(`${restored.url}/api/v1/rulesets/limit/versions`)).json()
  expect(versions).toMatchObject({ current_version: '2.0.0', versions: [{ seq: 1, version: '1.0.0' }] })
})

test('an older program serves what it knows, and names a ruleset of a newer one', async () => {
  const server = await serve()
  await store(server, ruleset('old'))
  await server.stop()
  const newer = adultCheck({ config: { name: 'newer' } }) as { steps: { check: { type: string } } }
  newer.steps.check.type = 'step_of_the_future'
  writeFileSync(join(rules, 'newer.json'), JSON.stringify(newer))
  const downgraded = await serve()
  expect(await storage(downgraded)).toMatchObject({ rules_count: 1, rejected_count: 1 })
  expect(await versionOf(downgraded, 'old')).toBe('1.0.0')
})
