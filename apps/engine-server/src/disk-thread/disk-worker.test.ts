import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Replacement } from '../store/replacement.ts'
import { StoreError } from '../store/store-error.ts'
import { openSampleStore, sample } from '../store/store.testing.ts'
import { DiskWorker, type DiskWorkerLimits } from './disk-worker.ts'
import { STARTED } from './messages.ts'

let directory: string

beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'engine-disk-worker-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const replacement = (text: string, more: Partial<Replacement> = {}): Replacement => ({
  rulesDirectory: directory,
  file: 'a.json',
  text,
  served: 'a.json',
  version: undefined,
  ...more,
})

const content = (file: string) => readFileSync(join(directory, file), 'utf8')

function opened(limits: Partial<DiskWorkerLimits> = {}, start?: () => Worker): DiskWorker {
  const worker = new DiskWorker({ jobsPerSecond: 1, idleMs: 60_000, ...limits }, start)
  onTestFinished(() => worker.close())
  return worker
}

/** A worker whose thread accepts jobs. */
async function threaded(limits: Partial<DiskWorkerLimits> = {}, start?: () => Worker): Promise<DiskWorker> {
  const worker = opened(limits, start)
  await worker.findDirectoryFault(directory)
  await expect.poll(() => worker.isThreaded).toBe(true)
  return worker
}

test('few changes start no thread', async () => {
  const worker = opened({ jobsPerSecond: 1000 })
  for (const text of ['1', '2', '3']) expect(await worker.replace(replacement(text))).toMatchObject({ kind: 'done' })
  expect(content('a.json')).toBe('3')
  expect(worker.isThreaded).toBe(false)
})

test('the thread makes the same changes as the pool', async () => {
  const worker = await threaded()
  expect(await worker.replace(replacement('1'))).toMatchObject({ kind: 'done' })
  const version = {
    directories: [{ path: join(directory, '.versions'), place: '`.versions`' }],
    mayBeFirst: true,
    file: 'v1_1.json',
    text: '1',
  }
  expect(await worker.replace(replacement('2', { version }))).toMatchObject({ kind: 'done' })
  await worker.append(join(directory, 'audit.jsonl'), 'line\n', true)
  expect([content('a.json'), content('.versions/v1_1.json'), content('audit.jsonl')]).toEqual(['2', '1', 'line\n'])
  expect(await worker.findDirectoryFault(directory)).toBeUndefined()
  expect(worker.isThreaded).toBe(true)
})

test('a file that was never served is set aside, and its new name is reported', async () => {
  const worker = await threaded()
  writeFileSync(join(directory, 'a.json'), 'theirs')
  const outcome = await worker.replace(replacement('ours', { served: undefined }))
  expect(outcome).toMatchObject({ kind: 'done', aside: expect.stringMatching(/^a\.json\.set-aside-/) })
  expect([content('a.json'), content(outcome.aside ?? '')]).toEqual(['ours', 'theirs'])
})

test('errors of the system and of the store arrive with their codes', async () => {
  const worker = await threaded()
  mkdirSync(join(directory, 'a.json'))
  expect(await worker.replace(replacement('1'))).toMatchObject({
    kind: 'failed',
    undone: true,
    cause: { code: 'EISDIR' },
  })
  writeFileSync(join(directory, '.versions'), '')
  const version = {
    directories: [{ path: join(directory, '.versions'), place: '`.versions` in the rules directory' }],
    mayBeFirst: false,
    file: 'v1_1.json',
    text: '1',
  }
  const unsaved = await worker.replace(replacement('2', { file: 'b.json', version }))
  expect(unsaved).toMatchObject({ kind: 'unsaved', cause: { code: 'disk' } })
  expect(unsaved.kind === 'unsaved' && unsaved.cause).toBeInstanceOf(StoreError)
  await expect(worker.append(join(directory, 'a.json'), 'line\n', true)).rejects.toMatchObject({ code: 'EISDIR' })
  expect(await worker.findDirectoryFault(join(directory, '.versions/x'))).toMatchObject({ code: 'ENOTDIR' })
})

test('a store keeps its contents and versions by the thread', async () => {
  const worker = await threaded()
  const store = await openSampleStore(directory, undefined, undefined, undefined, (change) => worker.replace(change))
  for (const version of ['1', '2', '3']) await store.put(sample('a', version))
  rmSync(join(directory, '.versions'), { recursive: true })
  await store.put(sample('a', '4'))
  const again = await openSampleStore(directory)
  expect(again.get('a')?.version).toBe('4')
  expect((await again.versions('a')).map(({ seq, version }) => `${seq} ${version}`)).toEqual(['1 3'])
  writeFileSync(join(directory, 'b.json'), 'no ruleset')
  rmSync(directory, { recursive: true })
  await expect(store.put(sample('a', '5'))).rejects.toMatchObject({
    code: 'disk',
    message: '`a` was not stored: the rules directory, or a part of it, is gone',
  })
  mkdirSync(directory)
})

test('changes of many rulesets at once are all made', async () => {
  const worker = await threaded()
  const names = Array.from({ length: 50 }, (_, index) => `r${index}`)
  await Promise.all(names.map((name) => worker.replace(replacement(name, { file: `${name}.json`, served: undefined }))))
  expect(names.map((name) => content(`${name}.json`))).toEqual(names)
})

/** A thread that answers jobs by a function. */
const answering = (listener: string) =>
  new Worker(
    `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ${listener})
    parentPort.postMessage(${JSON.stringify(STARTED)})`,
    { eval: true },
  )

test.each([
  ['ends', 'process.exit(1)'],
  ['throws', "throw new Error('a defect')"],
])('jobs of a thread that %s run in the pool', async (_what, end) => {
  const worker = await threaded({}, () => answering(`() => { ${end} }`))
  const log = join(directory, 'audit.jsonl')
  const [outcome, , fault] = await Promise.all([
    worker.replace(replacement('1')),
    worker.append(log, 'line\n', true),
    worker.findDirectoryFault(directory),
  ])
  expect([outcome.kind, fault, content('a.json'), content('audit.jsonl')]).toEqual(['done', undefined, '1', 'line\n'])
})

test('an idle thread ends, and the next burst starts another one', async () => {
  let starts = 0
  const worker = opened({ idleMs: 1 }, () => {
    starts++
    return answering(`({ id }) => parentPort.postMessage({ id, result: { kind: 'ended' } })`)
  })
  await expect
    .poll(async () => {
      await worker.findDirectoryFault(directory)
      return starts
    })
    .toBeGreaterThan(1)
})

test('after it is closed jobs run in the pool', async () => {
  const worker = await threaded()
  await worker.close()
  await worker.replace(replacement('1'))
  await worker.replace(replacement('2'))
  expect([content('a.json'), worker.isThreaded]).toEqual(['2', false])
})
