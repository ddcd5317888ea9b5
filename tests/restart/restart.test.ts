import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { seeded } from '../../apps/engine-server/src/sync/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { killAll, type RunningServer } from '../engine-server.testing.ts'
import { member, valueOf } from './exact-json.testing.ts'
import { isName, LASTING, randomWrite, type Write } from './random-writes.testing.ts'
import { ask, expectSame, isSame, observe, perform, serve, stored } from './server.testing.ts'

/**
 * Acknowledged changes can be read again, as they were: on the same server, after a restart (SIGTERM or SIGKILL), and by
 * a server on a copy of the directory; and nothing that is acknowledged keeps a server from starting.
 */

const WRITES = casesOf(5000)
/** A short run has two restarts: one after each signal. */
const WRITES_PER_RESTART = Math.min(WRITES, 1000)

const scratch = mkdtempSync(join(tmpdir(), 'engine-restart-'))

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true }))

/** The contents of a ruleset. */
interface History {
  /** As it was read last; undefined: there is none. */
  current: string | undefined
  /** Those that were replaced, by their numbers. */
  readonly contents: Map<number, string>
  /** The content deleted last; its number is known when there is a ruleset again. */
  deleted?: string | undefined
}

test(`${WRITES} random changes`, async () => {
  printSeed(WRITES)
  const random = seeded(SEED)
  // Two levels deep, so that a path that leads out of the directory is seen.
  const around = join(scratch, 'random', 'around')
  mkdirSync(around, { recursive: true })
  const rules = join(around, 'rules')
  let server = await serve(rules)
  for (const id of LASTING.slice(1))
    expect((await ask(server.url, 'POST', '/tenants', { body: `{"id":"${id}"}` })).status).toBe(201)
  const histories = new Map<string, History>()
  const accepted = new Map<Write['kind'], number>()
  for (let done = 0; done < WRITES; done += WRITES_PER_RESTART) {
    const writes = Array.from({ length: WRITES_PER_RESTART }, () => randomWrite(random))
    await Promise.all(
      lanesOf(writes).map(async (lane) => {
        for (const write of lane)
          if (await performChecked(server.url, write, histories))
            accepted.set(write.kind, (accepted.get(write.kind) ?? 0) + 1)
      }),
    )
    expect([readdirSync(around), readdirSync(join(around, '..')), readdirSync(scratch)]).toEqual([
      ['rules'],
      ['around'],
      ['random'],
    ])
    server = await restarted(server, rules, (done / WRITES_PER_RESTART) % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
  }
  expect(await server.stop()).toBe(0)
  // A generator whose changes are all refused would show nothing.
  const kinds: readonly Write['kind'][] = [
    'put',
    'delete',
    'rollback',
    'create-tenant',
    'replace-tenant',
    'delete-tenant',
    'sample-rate',
  ]
  for (const kind of kinds) expect(accepted.get(kind) ?? 0, kind).toBeGreaterThan(WRITES / 1000)
}, 1_200_000)

/** Changes of one tenant's rulesets follow each other, and those of the tenants do. */
function lanesOf(writes: readonly Write[]): readonly (readonly Write[])[] {
  const lanes = Map.groupBy(writes, (write) => ('tenant' in write ? write.tenant : ''))
  return [...lanes.values()]
}

/** Whether a change was acknowledged. Otherwise reads return the new or the earlier content. */
async function performChecked(url: string, write: Write, histories: Map<string, History>): Promise<boolean> {
  const shown = JSON.stringify(write).slice(0, 2000)
  const isOfRuleset = write.kind === 'put' || write.kind === 'delete' || write.kind === 'rollback'
  const key = 'tenant' in write ? `${write.tenant} ${write.name}` : ''
  const history = histories.get(key) ?? { current: undefined, contents: new Map<number, string>() }
  histories.set(key, history)
  // The content under an invalid name is not known from earlier changes of it.
  const isKnown = !isOfRuleset || isName(write.name)
  const before = isKnown ? history.current : await stored(url, write.tenant, write.name)
  const newest = Math.max(0, ...history.contents.keys())
  const seq = write.kind === 'rollback' ? newest - write.back : 0
  const { status, text } = await perform(url, write, seq)
  expect(status, `${shown}: ${text}`).toBeLessThan(500)
  const isAccepted = status < 300
  if (!isOfRuleset) return isAccepted
  const after = await stored(url, write.tenant, write.name)
  history.current = after
  if (!isAccepted) expect(after, `${shown}: ${status} ${text}`).toBe(before)
  else if (write.kind === 'put')
    expect(isSame(write.json, after), `${shown} is read as ${after?.slice(0, 2000)}`).toBe(true)
  else if (write.kind === 'delete') expect(after, shown).toBeUndefined()
  else expect(after, shown).toBe(history.contents.get(seq))
  // The same content again is acknowledged, and makes no version.
  const isRepeated = write.kind === 'put' && before !== undefined && before === after
  if (isAccepted && write.kind === 'delete') history.deleted = before
  else if (isAccepted && !isRepeated) await remember(url, write, before, history)
  return isAccepted
}

/** The number under which the content is kept that a change has replaced, or the deletion before it has taken away. */
async function remember(
  url: string,
  { tenant, name }: { readonly tenant: string; readonly name: string },
  before: string | undefined,
  history: History,
): Promise<void> {
  const replaced = before ?? history.deleted
  history.deleted = undefined
  if (replaced === undefined) return
  const { text } = await ask(url, 'GET', `/rulesets/${name}/versions`, { tenant })
  const versions = member(valueOf(text), 'versions')
  const [newest] = Array.isArray(versions) ? versions.map((version) => member(version, 'seq')) : []
  const seq = Number((newest as { readonly number: string } | undefined)?.number)
  expect(history.contents.has(seq), `the number ${seq} of ${name} comes twice`).toBe(false)
  history.contents.set(seq, replaced)
}

async function restarted(server: RunningServer, rules: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<RunningServer> {
  const before = await observe(server.url)
  server.process.kill(signal)
  expect(await server.ended).toBe(signal === 'SIGTERM' ? 0 : null)
  const copied = join(scratch, 'copy')
  cpSync(rules, copied, { recursive: true })
  const [again, copy] = await Promise.all([serve(rules), serve(copied)])
  expectSame(`after ${signal}`, before, await observe(again.url))
  expectSame('on a copy of the directory', before, await observe(copy.url))
  expect(await copy.stop()).toBe(0)
  rmSync(copied, { recursive: true })
  return again
}
