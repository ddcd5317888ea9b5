import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchDirectory, type WatchTimes } from './directory-watch.ts'
import type { EventListener, Listen } from './native-events.ts'
import { takeSnapshot } from './snapshot.ts'

let root: string
let directory: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'engine-directory-watch-'))
  directory = join(root, 'rules')
  await mkdir(directory)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const until = (check: () => void) => vi.waitFor(check, { timeout: 120_000, interval: 10 })
const write = (file: string, text: string) => writeFile(join(directory, file), text)

/** Looks only after an event. */
const PATIENT: WatchTimes = { quietMs: 5, longestMs: 20, fullMs: 1e6, identityMs: 1e6 }

/** Manual events; returns the reported changes and the log. */
async function watching(
  times: Partial<WatchTimes>,
  whenListening: (listener: EventListener) => void = () => undefined,
) {
  const listeners: EventListener[] = []
  let open = 0
  const listen: Listen = (_directory, listener) => {
    listeners.push(listener)
    open++
    queueMicrotask(() => whenListening(listener))
    return { close: async () => void open-- }
  }
  const found: string[][] = []
  const logged: string[] = []
  const note = (fields: object, message: string) => void logged.push(`${message} (${JSON.stringify(fields)})`)
  const watch = watchDirectory({
    directory,
    known: await takeSnapshot(directory),
    changed: async (names, isFull) => void found.push([...names, ...(isFull ? ['(full)'] : [])].sort()),
    log: { info: note, warn: note, error: note },
    listen,
    times: { ...PATIENT, ...times },
  })
  await until(() => expect(listeners).not.toHaveLength(0))
  return { watch, found, logged, listeners, open: () => open, event: () => listeners.at(-1)?.event() }
}

test('without events the directory is polled, one line logs it, and events are requested again', async () => {
  const fail = ({ failed }: EventListener) => failed(Object.assign(new Error('no watches left'), { code: 'ENOSPC' }))
  const { watch, found, logged, listeners, open } = await watching({ fullMs: 50 }, fail)
  await write('a.json', '')
  await until(() => expect(found).toContainEqual(['(full)', 'a']))
  await until(() => expect(listeners.length).toBeGreaterThan(2))
  expect(logged).toEqual([
    `no file events: the rule files are polled every 0.05 s (${JSON.stringify({ directory, reason: 'no watches left' })})`,
  ])
  await watch.close()
  expect(open()).toBe(0)
})

test('a directory that replaces the watched one is watched', async () => {
  const { watch, found, listeners, open, event } = await watching({ identityMs: 10 })
  await rename(directory, join(root, 'old'))
  await until(() => expect(open()).toBe(0))
  await mkdir(directory)
  await until(() => expect(listeners).toHaveLength(2))
  await write('a.json', '')
  event()
  await until(() => expect(found).toContainEqual(['a']))
  expect(open()).toBe(1)
  await watch.close()
  expect(open()).toBe(0)
})

test.each<[how: string, notice: (listener: EventListener) => void, isLogged: boolean]>([
  ['by an event', ({ moved }) => moved(), false],
  ['by a failed poll', ({ event }) => event(), true],
])('a directory that disappeared and returned is watched again, %s', async (_, notice, isLogged) => {
  const { watch, listeners, logged } = await watching({ identityMs: 100 })
  await rename(directory, join(root, 'away'))
  for (const listener of listeners) notice(listener)
  if (isLogged) await until(() => expect(logged).toHaveLength(1))
  await rename(join(root, 'away'), directory)
  await until(() => expect(listeners).toHaveLength(2))
  await watch.close()
})

test('an unreadable directory is logged once, and removes nothing', async () => {
  await write('a.json', '')
  const { watch, found, logged, event } = await watching({ fullMs: 20 })
  await until(() => expect(found).toContainEqual(['a']))
  await rename(directory, join(root, 'away'))
  event()
  await until(() => expect(logged).toHaveLength(1))
  await sleep(100)
  expect(logged).toEqual([expect.stringMatching(/^the rules directory cannot be read/)])
  const before = found.length
  await rename(join(root, 'away'), directory)
  await until(() => expect(found.length).toBeGreaterThan(before))
  await watch.close()
})

test('an empty directory in place of the files removes nothing; deleting files in it does', async () => {
  await write('a.json', 'x')
  const { watch, found, logged, event } = await watching({ identityMs: 20 })
  await rename(directory, join(root, 'away'))
  await mkdir(directory)
  // A scan between the two steps finds no directory, and reports that first.
  await until(() => expect(logged.at(-1)).toContain('the rules directory was replaced by an empty one'))
  const looks = found.length
  event()
  await sleep(60)
  expect(found).toHaveLength(looks)
  await write('b.json', 'x')
  event()
  await until(() => expect(found.flat()).toContain('b'))
  const before = found.length
  await rm(join(directory, 'b.json'))
  event()
  await until(() => expect(found.slice(before).flat()).toContain('b'))
  await watch.close()
})
