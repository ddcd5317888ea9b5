import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { IS_FULL_RUN } from './cases.testing.ts'
import { killAll, run, type Run, runHost, start } from './engine-server.testing.ts'
import { minimal, post } from './minimal-ruleset.testing.ts'

/** One server to a directory: the lock of the rules directory, with real processes. */

const CONTENDER = join(import.meta.dirname, 'lock-contender.testing.ts')

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

/** Sequential. Processes that do nothing else try the operations on the directory more often. */
const TRIES = IS_FULL_RUN ? { servers: 3, contenders: 30 } : { servers: 1, contenders: 2 }
const indices = [0, 1]

test(
  `of servers that start on one directory at the same moment one succeeds, and no write is lost (2 × ${TRIES.servers + TRIES.contenders} tries)`,
  // Two directories at the same time: a server that finds its directory locked waits a while.
  () => Promise.all(['one', 'two'].map(raced)),
  30_000 + (TRIES.servers + TRIES.contenders) * 20_000,
)

async function raced(name: string): Promise<void> {
  const rules = folder()
  let contenders: readonly Contender[] = []
  for (let stored = 1; stored <= TRIES.contenders; stored++)
    contenders = await contended(await complete(contenders, rules, name), rules, stored)
  for (const { run: one } of contenders) {
    one.process.kill('SIGKILL')
    await one.ended
  }
  for (let stored = 1; stored <= TRIES.servers; stored++) await served(rules, name, TRIES.contenders + stored)
}

/** A process that tries to lock the directory on each signal. */
interface Contender {
  readonly run: Run
  readonly instance: string
  readonly tries: number
}

/** Two contenders that have loaded their code: as many new ones as were killed. */
function complete(left: readonly Contender[], rules: string, name: string): Promise<readonly Contender[]> {
  const instances = indices.map((index) => `${name}-${index}`)
  return Promise.all(
    instances.map(async (instance) => {
      const known = left.find((one) => one.instance === instance)
      if (known !== undefined) return known
      const fresh = { run: runHost(CONTENDER, [rules, instance]), instance, tries: 0 }
      await fresh.run.says(/ready\n/)
      return fresh
    }),
  )
}

/**
 * @param stored the number of rulesets that there are after this try: all that earlier ones have acknowledged, and its own
 * @returns those that were refused; what SIGKILL leaves of the other keeps none of them from the next try
 */
async function contended(both: readonly Contender[], rules: string, stored: number): Promise<readonly Contender[]> {
  for (const { run: one } of both) one.process.kill('SIGUSR2')
  const said = await Promise.all(
    both.map(async ({ run: one, tries }) => {
      const [, words = ''] = await one.says(new RegExp(`^try ${tries + 1}: (.*)\n`, 'm'))
      return words
    }),
  )
  const winner = both.find((_one, index) => said[index]?.startsWith('stored'))
  expect.assert(winner !== undefined, said.join())
  const refused = refusal(rules, winner.run.process, winner.instance)
  expect(said.toSorted()).toEqual([refused.trimEnd(), `stored ${stored}`].toSorted())
  winner.run.process.kill('SIGKILL')
  await winner.run.ended
  return both.filter((one) => one !== winner).map((one) => ({ ...one, tries: one.tries + 1 }))
}

async function served(rules: string, name: string, expected: number): Promise<void> {
  const servers = indices.map((index) => run(optionsFor(rules, `${name}-${index}`)))
  const urls = await Promise.all(servers.map(begun))
  expect(urls.filter((url) => url !== undefined)).toHaveLength(1)
  const winner = urls.findIndex((url) => url !== undefined)
  const url = urls[winner] ?? ''
  expect((await post(`${url}/api/v1/rulesets`, minimal(`r${expected}`))).status).toBe(201)
  const stored = (await (await fetch(`${url}/api/v1/rulesets`)).json()) as readonly unknown[]
  expect(stored, 'what earlier servers have acknowledged').toHaveLength(expected)
  await expectRefused(servers, winner, rules, name)
}

/** The others were refused in favour of the winner, which is then killed: what SIGKILL leaves behind keeps none from starting. */
async function expectRefused(all: readonly Run[], winner: number, rules: string, name: string): Promise<void> {
  const { process, ended } = all[winner] as Run
  for (const loser of all.toSpliced(winner, 1))
    expect([await loser.ended, loser.stderr()]).toEqual([1, refusal(rules, process, `${name}-${winner}`)])
  process.kill('SIGKILL')
  await ended
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

test('a path beyond the maximum length of a socket path is locked too', async () => {
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
    for (const { url } of servers) expect((await post(`${url}/api/v1/rulesets`, minimal('b'))).status).toBe(503)
    for (const server of servers) expect(await server.stop()).toBe(0)
  } finally {
    if (isRoot) execFileSync('umount', [rules])
    else chmodSync(rules, 0o755)
  }
})
