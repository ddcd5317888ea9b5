import type { Worker } from 'node:cluster'
import { expect, test } from 'vitest'
import type { Question } from './messages.ts'
import { WorkerHandle } from './worker-handle.ts'

const CHANGE: Question = { kind: 'sample-rate', percent: 1 }
const FIGURE: Question = { kind: 'metrics' }

/** A handle of a process that accepts every message and sends nothing by itself. */
function handle(...asked: readonly Question[]): WorkerHandle {
  const send = (_message: unknown, _connection: unknown, _options: unknown, done: () => void) => void setImmediate(done)
  const made = new WorkerHandle(1, { process: { send } } as unknown as Worker)
  made.state = 'ready'
  for (const question of asked) void made.ask(question)
  return made
}

/** Advances time second by second. @param says whether the worker answers pings */
function pass(seconds: number, worker: WorkerHandle, says: boolean): boolean {
  for (let second = 0; second < seconds; second++) {
    worker.passed(1000)
    if (says) worker.heard()
  }
  return worker.isStuck
}

test.each<readonly [what: string, asked: readonly Question[], seconds: number, says: boolean, isStuck: boolean]>([
  ['that owes an answer and is silent for a short time is waited for', [CHANGE], 4, false, false],
  ['that owes an answer and is silent is stuck', [CHANGE], 5, false, true],
  ['that takes long over a change and still answers pings is not stuck', [CHANGE], 119, true, false],
  ['that never answers is stuck, whatever else it sends', [CHANGE], 120, true, true],
  ['that owes figures alone is not stuck: no request waits for them', [FIGURE], 1000, false, false],
  ['that owes nothing is not stuck', [], 1000, false, false],
])('a worker %s', (_what, asked, seconds, says, isStuck) => {
  expect(pass(seconds, handle(...asked), says)).toBe(isStuck)
})

test('a worker that has answered owes nothing', async () => {
  const worker = handle()
  const asked = worker.ask(CHANGE)
  worker.answered({ kind: 'answer', id: 0, text: 'done' })
  expect(await asked).toBe('done')
  expect(pass(10, worker, false)).toBe(false)
})
