import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { newLocation } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { type Releasing, startReleasing } from './rollouts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

/** Listeners of one execution, over two replicas. */
const LISTENERS = casesOf(1000)

let databases: readonly Database[] = []
let its: Releasing
let other: TestPlatform
beforeAll(async () => {
  const location = await newLocation('postgres')
  const open = () => openDatabase(location, memoryLog().log)
  databases = [await open(), await open()]
  const [first, second] = databases
  if (first === undefined || second === undefined) throw new Error('a database is missing')
  its = await startReleasing(first, '--max-streams-per-caller', '2000')
  other = await startPlatform(second, ['--rate-limit', '0', '--max-streams-per-caller', '2000'])
})
afterAll(async () => {
  await other.stop()
  await its.stop()
  for (const database of databases) await database.close()
})

/** What one connection has brought before it was dropped, or the stream ended. */
interface Heard {
  readonly status: number
  readonly ids: readonly number[]
  readonly hasEnded: boolean
}

/** @param most events, after which the connection is dropped */
async function listen(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  most: number,
): Promise<Heard> {
  const request = get(url, { agent, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const ids: number[] = []
  let text = ''
  try {
    for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block)?.[1]
        if (id !== undefined && ids.length < most) ids.push(Number(id))
      }
      if (ids.length >= most) return { status: response.statusCode ?? 0, ids, hasEnded: false }
    }
    return { status: response.statusCode ?? 0, ids, hasEnded: true }
  } finally {
    request.destroy()
  }
}

test(`${LISTENERS} listeners whose connections drop hear every event once`, async () => {
  printSeed(LISTENERS)
  const name = newName()
  await its.serving('prod')
  await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
  const canary = { stages: [{ percent: 50, duration_s: 1 }], on_inconclusive: 'promote' }
  await its.team.owner.request('PUT', `${its.team.P}/environments/prod/canary`, canary)
  const release = await its.deploy(name, '3', 'prod')
  const { id } = await its.get(`${release}/execution`)
  const cookie = `session=${its.team.owner.cookies.get('session')}`
  const agent = new Agent({ keepAlive: false })
  const random = seededRandom(SEED)
  const heard = await Promise.all(
    Array.from({ length: LISTENERS }, async () => {
      const all: number[] = []
      let drops = 0
      for (;;) {
        const { url } = random() < 0.5 ? its.platform : other
        const last = all.at(-1)
        const headers = { cookie, ...(last === undefined ? {} : { 'last-event-id': String(last) }) }
        const most = random() < 0.7 ? 1 + Math.floor(random() * 6) : Infinity
        const { status, ids, hasEnded } = await listen(agent, `${url}${release}/executions/${id}/events`, headers, most)
        expect([200, 204]).toContain(status)
        all.push(...ids)
        if (hasEnded) return { all, drops }
        drops++
      }
    }),
  )
  const events = (await its.events(release)) as readonly { readonly type: string; readonly id?: number }[]
  const expected = events.map((event) => event.id)
  expect(events.at(-1)?.type).toBe('execution_completed')
  for (const { all } of heard) expect(all).toEqual(expected)
  expect(heard.reduce((sum, { drops }) => sum + drops, 0)).toBeGreaterThan(LISTENERS)
})
