import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Compute, COMPUTE_LIMITS, type ComputeLimits } from '../../apps/platform-server/src/compute/compute.ts'
import type { Subject, TraceTask } from '../../apps/platform-server/src/compute/tasks.ts'

function threads(limits: Partial<ComputeLimits>): Compute {
  const compute = new Compute({ ...COMPUTE_LIMITS, threads: 1, ...limits })
  onTestFinished(() => compute.close())
  return compute
}

const tracing = (draft: object): TraceTask => ({
  kind: 'trace',
  subject: { draft: draft as Subject['draft'], subRules: new Map(), contract: undefined },
  input: {},
  now: undefined,
  stubs: undefined,
})
const good = tracing({ config: { name: 'x' }, startStepId: 'e', steps: [{ id: 'e', type: 'terminal', code: 'OK' }] })

/** A step that leads to itself, without a time limit of its own. */
const endless = tracing({
  config: { name: 'x', timeout: 0, maxDepth: 1_000_000 },
  startStepId: 'a',
  steps: [{ id: 'a', type: 'action', assignments: [{ name: 'x', value: 'len(range(0, 1000))' }], nextStepId: 'a' }],
})

test('a thread that is stuck is replaced, what waits for it is executed, and the event loop goes on', async () => {
  const compute = threads({ milliseconds: 300 })
  let turns = 0
  const stuck = compute.run(endless)
  const waiting = compute.run(good)
  const ended = stuck.then(() => true)
  while (!(await Promise.race([ended, sleep(5)]))) turns++
  expect(await stuck).toEqual({ kind: 'over', message: 'it took more than 0.3 s' })
  expect(turns).toBeGreaterThan(0)
  expect(await waiting).toMatchObject({ kind: 'done', result: { kind: 'traced', traced: { code: 'OK' } } })
})

test('an execution that needs too much memory ends alone', async () => {
  const compute = threads({ megabytes: 16, milliseconds: 60_000 })
  const list = Array.from({ length: 1_000_000 }, (_, index) => `text ${index}`)
  expect(await compute.run({ ...good, input: { list } })).toEqual({ kind: 'over', message: 'it needs more than 16 MB' })
  expect(await compute.run(good)).toMatchObject({ kind: 'done', result: { kind: 'traced', traced: { code: 'OK' } } })
}, 120_000)

test('too many tasks are refused, and those that wait are executed', async () => {
  const compute = threads({ waiting: 2 })
  const runs = [compute.run(good), compute.run(good), compute.run(good)]
  await expect(compute.run(good)).rejects.toMatchObject({ code: 'too-many-requests' })
  for (const { kind } of await Promise.all(runs)) expect(kind).toBe('done')
})

test('a draft that cannot be executed has problems', async () => {
  const { kind, ...rest } = await threads({}).run(
    tracing({ config: { name: 'x' }, startStepId: 'no', steps: [{ id: 'e', type: 'terminal', code: 'OK' }] }),
  )
  expect([kind, rest]).toMatchObject(['done', { result: { kind: 'problems', problems: [{ code: 'unknown-step' }] } }])
})
