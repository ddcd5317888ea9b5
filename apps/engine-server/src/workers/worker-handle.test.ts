import type { Worker } from 'node:cluster'
import { describe, expect, test } from 'vitest'
import type { StoredRuleset } from '../store/store.ts'
import type { Question, ToWorker } from './messages.ts'
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

describe('a worker that is loaded', () => {
  const ruleset = (name: string, characters = 1) => ({ name, text: 'x'.repeat(characters) }) as StoredRuleset

  /** A worker, and the messages to it in order. */
  function sending() {
    const sent: ToWorker[] = []
    const send = (message: ToWorker, _connection: unknown, _options: unknown, done: () => void) => {
      sent.push(message)
      setImmediate(done)
    }
    return { worker: new WorkerHandle(1, { process: { send } } as unknown as Worker), sent }
  }

  test('gets its rulesets in parts of a mebibyte, by tenants, and changes after them', async () => {
    const { worker, sent } = sending()
    const large = ruleset('large', 1024 * 1024)
    const loading = worker.load({ kind: 'ping' }, [
      { tenant: 'a', rulesets: [ruleset('1'), large, ruleset('2')] },
      { tenant: 'b', rulesets: [] },
      { tenant: 'c', rulesets: [ruleset('3')] },
    ])
    expect(worker.state).toBe('loading')
    await worker.inform(CHANGE)
    await loading
    expect(sent).toEqual([
      { kind: 'ping' },
      { kind: 'rulesets', tenant: 'a', rulesets: [ruleset('1'), large] },
      { kind: 'rulesets', tenant: 'a', rulesets: [ruleset('2')] },
      { kind: 'rulesets', tenant: 'c', rulesets: [ruleset('3')] },
      { kind: 'complete' },
      { kind: 'question', id: -1, question: CHANGE },
    ])
  })

  test.each([
    ['starting', 0],
    ['loading', 1],
    ['ready', 1],
    ['stopping', 1],
    ['gone', 0],
  ] as const)('and is %s is told a change %i times', (state, times) => {
    const { worker, sent } = sending()
    worker.state = state
    void worker.inform(CHANGE)
    expect(sent).toHaveLength(times)
  })

  test('and ends answers nothing, now or later', async () => {
    const { worker } = sending()
    worker.state = 'ready'
    const asked = worker.ask(CHANGE)
    worker.gone()
    expect([await asked, await worker.ask(CHANGE), worker.unanswered]).toEqual([undefined, undefined, 0])
  })
})

test('a worker that has answered owes nothing', async () => {
  const worker = handle()
  const asked = worker.ask(CHANGE)
  worker.answered({ kind: 'answer', id: 0, text: 'done' })
  expect(await asked).toBe('done')
  expect(pass(10, worker, false)).toBe(false)
})
