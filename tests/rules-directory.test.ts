import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startServer, type TestServer } from './http/server.testing.ts'
import { minimal } from './minimal-ruleset.testing.ts'

/** Entries of a rules directory besides rule files when a server starts on it. */

const scratch = mkdtempSync(join(tmpdir(), 'engine-rules-'))
let rules = ''
let outside = ''

/** The reason of a start that fails, printed after `error: `. */
const reasonOf = (...options: readonly string[]) =>
  serving(...options).then(
    () => 'it started',
    ({ message }: Error) => message,
  )

async function serving(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer(...options)
  started.push(server)
  return server
}

beforeEach(() => {
  ;[rules, outside] = [mkdtempSync(join(scratch, 'rules-')), mkdtempSync(join(scratch, 'outside-'))]
})
const started: TestServer[] = []
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
})
afterAll(() => rmSync(scratch, { recursive: true }))

test.each([
  ['the folder of a tenant', 'default', ['--multi-tenancy-enabled']],
  ['the history', '.versions', []],
])('a link in place of %s ends the start, and nothing is written through it', async (_what, place, options) => {
  symlinkSync(outside, join(rules, place))
  expect(await reasonOf('--rules-dir', rules, ...options)).toBe(
    `--rules-dir: \`${join(rules, place)}\` is a symbolic link, and those are not followed`,
  )
  expect(readdirSync(outside)).toEqual([])
})

test('a link in place of the folder of a new tenant is set aside, and nothing is written through it', async () => {
  const server = await serving('--rules-dir', rules, '--multi-tenancy-enabled')
  symlinkSync(outside, join(rules, 'shop'))
  expect((await server.post('/api/v1/tenants', { id: 'shop' })).status).toBe(201)
  expect(lstatSync(join(rules, 'shop')).isSymbolicLink()).toBe(false)
  expect(readdirSync(outside)).toEqual([])
})

test('a rules directory may be a link itself', async () => {
  const link = join(outside, 'link')
  symlinkSync(rules, link)
  const server = await serving('--rules-dir', link)
  expect((await server.post('/api/v1/rulesets', minimal('a'))).status).toBe(201)
  expect(readdirSync(rules)).toContain('a.json')
})

test('leftovers of a crash and a probe are removed', async () => {
  for (const file of ['.tenants.json.tmp-0123456789ab', '.health_probe', '.health_probe.tmp-0123456789ab'])
    writeFileSync(join(rules, file), 'x')
  mkdirSync(join(rules, 'default'))
  writeFileSync(join(rules, 'default', '.a.json.tmp-0123456789ab'), 'x')
  const server = await serving('--rules-dir', rules, '--multi-tenancy-enabled')
  expect((await fetch(`${server.url}/healthz/ready`)).status).toBe(200)
  await server.stop()
  expect([readdirSync(rules), readdirSync(join(rules, 'default'))]).toEqual([['.lock', 'default'], []])
})

test('a place where no directory can be created ends the start immediately', async () => {
  expect(await reasonOf('--rules-dir', '/proc/nowhere/rules')).toContain(
    '--rules-dir: cannot use `/proc/nowhere/rules`: ',
  )
})

test('cases and contracts next to rule files are no errors', async () => {
  const files = { 'a.json': minimal('a'), 'a.cases.json': [], 'a.contract.json': { name: 'a', version: '1.0.0' } }
  for (const [file, content] of Object.entries(files)) writeFileSync(join(rules, file), JSON.stringify(content))
  const server = await serving('--rules-dir', rules)
  const health = (await (await fetch(`${server.url}/health`)).json()) as object
  expect(health).toMatchObject({ storage: { rejected_count: 0 } })
  expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
})
