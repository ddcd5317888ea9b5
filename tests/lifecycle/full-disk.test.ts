import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { killAll, type RunningServer, start } from '../engine-server.testing.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../small-disk.testing.ts'
import { answering, type Connection, connection } from '../workers.testing.ts'

/**
 * An engine whose disk is full or read-only names the reason, changes nothing, and decides; when there is room again it changes
 * without a restart. Small file systems are mounted, which takes root.
 */

afterEach(killAll)

const RULE = '/api/v1/rulesets'

function smallDisk(size = '1m'): SmallDisk {
  const disk = mountSmallDisk(size)
  onTestFinished(async () => {
    await killAll()
    disk.unmount()
  })
  return disk
}

function connected({ url }: RunningServer): Connection {
  const one = connection(url)
  onTestFinished(() => one.close())
  return one
}

/** The state of a server as people and probes see it. */
async function seen(one: Connection) {
  const { status, body } = await one.request('GET', '/healthz/ready')
  const { checks, audit } = body
  const listed = (await one.request('GET', RULE)).body.map(({ name, version }: Record<string, string>) => [
    name,
    version,
  ])
  const decided = await one.request('POST', '/api/v1/execute/kept', { input: {} })
  return {
    ready: status,
    disk: checks.disk_writable,
    audit: audit.fault,
    live: (await one.request('GET', '/healthz/live')).status,
    listed,
    decided: [decided.status, decided.body.code],
    versions: (await one.request('GET', `${RULE}/kept/versions`)).body.versions.length,
  }
}

/** Every kind of change, each of which must be refused for a reason. */
const CHANGES: readonly (readonly [title: string, method: string, path: string, body?: unknown])[] = [
  ['a new ruleset', 'POST', RULE, answering('NEW', 'new')],
  ['new content', 'POST', RULE, answering('OTHER', 'kept')],
  ['a deletion', 'DELETE', `${RULE}/kept`],
  ['a rollback', 'POST', `${RULE}/kept/rollback`, { seq: 1 }],
]

/** A server with one ruleset of two contents. */
async function served(...options: readonly string[]) {
  const server = await start(options)
  const one = connected(server)
  for (const code of ['FIRST', 'SECOND'])
    expect((await one.request('POST', RULE, answering(code, 'kept'))).status).toBeLessThan(300)
  return { server, one }
}

async function expectRefused(one: Connection, reason: string): Promise<void> {
  for (const [title, method, path, body] of CHANGES) {
    const { status, body: answer } = await one.request(method, path, body)
    expect([title, status, answer.code, answer.error]).toEqual([
      title,
      503,
      'UNAVAILABLE',
      expect.stringContaining(reason),
    ])
  }
}

async function expectChanges(one: Connection): Promise<void> {
  const [made, changed, deleted, rolledBack] = CHANGES
  for (const [title, method, path, body] of [made, changed, rolledBack, deleted] as typeof CHANGES) {
    const { status, text } = await one.request(method, path, body)
    expect([title, status < 300], text).toEqual([title, true])
  }
}

describe.runIf(canMount)('the disk of the rules directory', () => {
  const FULL = 'the disk that holds the rules directory is full'

  test('is full: changes are 503 with the reason and change nothing, decisions go on', async () => {
    const disk = smallDisk()
    const rules = join(disk.folder, 'rules')
    const { one } = await served('--rules-dir', rules)
    const before = await seen(one)
    expect(before).toMatchObject({ ready: 200, disk: 'ok', decided: [200, 'SECOND'], versions: 1 })
    const files = () => readdirSync(rules, { recursive: true, encoding: 'utf8' }).toSorted()
    const stored = files()
    disk.fill()
    await expectRefused(one, FULL)
    expect(await seen(one)).toEqual({ ...before, ready: 503, disk: FULL })
    expect(files()).toEqual(stored)
    disk.makeRoom()
    expect(await seen(one)).toEqual(before)
    await expectChanges(one)
  })

  test.each<[state: string, reason: string, fail: (disk: SmallDisk) => void]>([
    ['full', FULL, (disk) => disk.fill()],
    ['read-only', 'the rules directory is on a read-only file system', (disk) => disk.makeReadOnly(true)],
  ])('is %s at the start: the log and readiness name it, and decisions go on', async (_state, reason, fail) => {
    const disk = smallDisk()
    const rules = join(disk.folder, 'rules')
    const { server, one } = await served('--rules-dir', rules)
    const before = await seen(one)
    one.close()
    server.process.kill('SIGKILL')
    await server.ended
    fail(disk)
    const again = await start(['--rules-dir', rules])
    const two = connected(again)
    expect(again.stdout()).toContain(`"reason":"${reason}"`)
    expect(await seen(two)).toEqual({ ...before, ready: 503, disk: reason })
    await expectRefused(two, reason)
  })
})

describe.runIf(canMount)('the disk of the audit', () => {
  const FULL = 'the disk that holds the audit directory is full'

  test('is full: changes are 503 with the reason and change nothing, decisions go on, and events are whole', async () => {
    const [rules, audit] = [smallDisk(), smallDisk()]
    const options = ['--rules-dir', join(rules.folder, 'rules'), '--audit-dir', join(audit.folder, 'audit')]
    const { one } = await served(...options)
    const before = await seen(one)
    expect(before).toMatchObject({ ready: 200, disk: 'ok', audit: null, decided: [200, 'SECOND'] })
    audit.fill()
    await expectRefused(one, FULL)
    // The engine can decide, so it stays ready.
    expect(await seen(one)).toEqual({ ...before, audit: FULL })
    audit.makeRoom()
    await expect.poll(() => seen(one)).toEqual(before)
    await expectChanges(one)
    const [file = ''] = readdirSync(join(audit.folder, 'audit'))
    const lines = readFileSync(join(audit.folder, 'audit', file), 'utf8')
      .trimEnd()
      .split('\n')
    const changes = lines.map((line) => JSON.parse(line) as { event: string }).map(({ event }) => event)
    expect(changes.filter((event) => /^rule_(?:created|updated|deleted|rollback)$/.test(event))).toEqual([
      'rule_created',
      'rule_updated',
      'rule_created',
      'rule_updated',
      'rule_rollback',
      'rule_deleted',
    ])
  })

  test('is full at the start: the log and the record of health name it, and decisions go on', async () => {
    const [rules, audit] = [smallDisk(), smallDisk()]
    const options = ['--rules-dir', join(rules.folder, 'rules'), '--audit-dir', join(audit.folder, 'audit')]
    const { server } = await served(...options)
    server.process.kill('SIGKILL')
    await server.ended
    audit.fill()
    const again = await start(options)
    const one = connected(again)
    expect(again.stdout()).toContain(`"reason":"${FULL}"`)
    expect(await seen(one)).toMatchObject({ ready: 200, audit: FULL, decided: [200, 'SECOND'] })
    await expectRefused(one, FULL)
    audit.makeRoom()
    await expect.poll(async () => (await seen(one)).audit).toBeNull()
    await expectChanges(one)
  })
})
