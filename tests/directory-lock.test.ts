import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { IS_FULL_RUN } from './cases.testing.ts'
import { killAll, run, type Run, start } from './engine-server.testing.ts'
import { minimal, post } from './minimal-ruleset.testing.ts'

/** One server to a directory: the lock of the rules directory, with real processes. */

const scratch = mkdtempSync(join(tmpdir(), 'engine-lock-'))
let folders = 0
const folder = () => join(scratch, `rules-${folders++}`)

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true }))

const optionsFor = (rules: string, instance: string, ...more: readonly string[]) => [
  '--http-addr',
  '127.0.0.1:0',
  '--disable-grpc',
  '--rules-dir',
  rules,
  '--instance-id',
  instance,
  ...more,
]

const refusal = (rules: string, { pid }: Run['process'], instance: string) =>
  `error: --rules-dir: cannot use \`${rules}\`: another server uses it ` +
  `(process ${pid}, instance \`${instance}\`, on ${hostname()}). One server to a directory\n`

/** A server, or undefined when it ended instead of listening. */
async function begun(server: Run): Promise<string | undefined> {
  return server.says(/listens on (\S+?):? /).then(
    ([, url = '']) => url.replace(/:$/, ''),
    () => undefined,
  )
}

const TRIES = IS_FULL_RUN ? 200 : 6
const AT_ONCE = 2

test(
  `of servers that start on one directory at the same moment one does, and no write is lost (${TRIES} tries)`,
  // Two directories at the same time: a server that finds its directory locked waits a while.
  () => Promise.all(['one', 'two'].map((name) => raced(name, TRIES / 2))),
  30_000 + TRIES * 10_000,
)

async function raced(name: string, tries: number): Promise<void> {
  const rules = folder()
  for (let attempt = 0; attempt < tries; attempt++) {
    const servers = Array.from({ length: AT_ONCE }, (_, index) => run(optionsFor(rules, `${name}-${index}`)))
    const urls = await Promise.all(servers.map(begun))
    expect(urls.filter((url) => url !== undefined)).toHaveLength(1)
    const winner = urls.findIndex((url) => url !== undefined)
    const [server, url = ''] = [servers[winner] as Run, urls[winner]]
    for (const [index, loser] of servers.entries()) {
      if (index === winner) continue
      expect([await loser.ended, loser.stderr()]).toEqual([1, refusal(rules, server.process, `${name}-${winner}`)])
    }
    expect((await post(`${url}/api/v1/rulesets`, minimal(`r${attempt}`))).status).toBe(201)
    const stored = (await (await fetch(`${url}/api/v1/rulesets`)).json()) as readonly unknown[]
    expect(stored, 'what earlier servers have acknowledged').toHaveLength(attempt + 1)
    // What SIGKILL leaves behind keeps no server from starting.
    server.process.kill('SIGKILL')
    await server.ended
  }
}

test('a server with workers holds its directory until it is killed', async () => {
  const rules = folder()
  const first = run(optionsFor(rules, 'crew', '--workers', '2'))
  expect(await begun(first)).toBeDefined()
  const second = run(optionsFor(rules, 'other'))
  expect([await second.ended, second.stderr()]).toEqual([1, refusal(rules, first.process, 'crew')])
  first.process.kill('SIGKILL')
  await first.ended
  await expect(start(['--rules-dir', rules])).resolves.toBeDefined()
})

test('a server that ends frees its directory, and leaves only the locked file', async () => {
  const rules = folder()
  const first = await start(['--rules-dir', rules])
  expect(readdirSync(rules).sort()).toEqual(['.lock', '.owner'])
  expect(await first.stop()).toBe(0)
  expect(readdirSync(rules)).toEqual(['.lock'])
  const second = await start(['--rules-dir', rules])
  expect(await second.stop()).toBe(0)
})

test('a path that is longer than that of a socket may be is locked all the same', async () => {
  const rules = join(scratch, ...Array.from({ length: 4 }, () => 'x'.repeat(100)))
  const first = run(optionsFor(rules, 'long'))
  expect(await begun(first)).toBeDefined()
  const second = run(optionsFor(rules, 'other'))
  expect([await second.ended, second.stderr()]).toEqual([1, refusal(rules, first.process, 'long')])
})

describe('a directory that cannot be locked ends the start', () => {
  test.each<[what: string, prepare: () => string, reason: string]>([
    [
      'because something else has the place of the lock',
      () => {
        const rules = folder()
        mkdirSync(rules)
        symlinkSync('/etc/hostname', join(rules, '.lock'))
        return rules
      },
      'its `.lock` is no regular file',
    ],
    [
      'because the locked file has foreign content',
      () => {
        const rules = folder()
        mkdirSync(rules)
        writeFileSync(join(rules, '.lock'), 'x'.repeat(1000))
        return rules
      },
      'it cannot be locked: file is not a database',
    ],
    [
      'because its path is too long',
      () => join(scratch, ...Array.from({ length: 6 }, () => 'x'.repeat(100))),
      'it cannot be locked: its path is longer than 505 bytes',
    ],
  ])('%s', async (_what, prepare, reason) => {
    const rules = prepare()
    const server = run(optionsFor(rules, 'x'))
    expect(await server.ended).toBe(1)
    expect(server.stderr()).toBe(`error: --rules-dir: cannot use \`${rules}\`: ${reason}\n`)
  })
})

test('a directory that cannot be written is served by several, for nothing in it can be lost', async () => {
  const rules = folder()
  mkdirSync(rules)
  writeFileSync(join(rules, 'a.json'), JSON.stringify(minimal('a')))
  const isRoot = process.getuid?.() === 0
  // Permissions mean nothing to root.
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', rules])
  else chmodSync(rules, 0o555)
  try {
    const servers = await Promise.all([start(['--rules-dir', rules]), start(['--rules-dir', rules])])
    for (const { url } of servers) expect((await post(`${url}/api/v1/rulesets`, minimal('b'))).status).toBe(500)
    for (const server of servers) expect(await server.stop()).toBe(0)
  } finally {
    if (isRoot) execFileSync('umount', [rules])
    else chmodSync(rules, 0o755)
  }
})
