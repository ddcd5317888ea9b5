import type { Value } from '@engine/expression'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Concepts, NO_CONCEPTS } from '@engine/ruleset'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkSubject } from '../../apps/platform-server/src/compute/check.ts'
import { Compute, COMPUTE_LIMITS, type ComputeLimits } from '../../apps/platform-server/src/compute/compute.ts'
import { asRequest, MemoryBudget } from '../../apps/platform-server/src/memory/memory-budget.ts'
import { CheckCache } from '../../apps/platform-server/src/compute/check-cache.ts'
import type { CheckTask, Subject, TraceTask } from '../../apps/platform-server/src/compute/tasks.ts'
import { asking, feeOf } from './drafts.testing.ts'

function threads(limits: Partial<ComputeLimits>): Compute {
  const compute = new Compute({ ...COMPUTE_LIMITS, threads: { small: 1, large: 1 }, ...limits })
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
const nested = (depth: number, value: Value): Value => (depth === 0 ? value : [nested(depth - 1, value)])

const good = tracing({ config: { name: 'x' }, startStepId: 'e', steps: [{ id: 'e', type: 'terminal', code: 'OK' }] })

/** A step that leads to itself, without a time limit; it creates nothing, so that no memory limit ends it first. */
const endless: TraceTask = {
  ...tracing({
    config: { name: 'x', timeout: 0, maxDepth: 1_000_000 },
    startStepId: 'a',
    steps: [{ id: 'a', type: 'action', assignments: [{ name: 'x', value: 'contains(s, "ab")' }], nextStepId: 'a' }],
  }),
  input: { s: 'a'.repeat(100_000) },
}

test('a stuck thread is replaced, its queue is executed, and the event loop stays responsive', async () => {
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
  const compute = threads({ megabytes: { small: 64, large: 16 }, milliseconds: 60_000 })
  const list = Array.from({ length: 1_000_000 }, (_, index) => `text ${index}`)
  expect(await compute.run({ ...good, input: { list } })).toEqual({ kind: 'over', message: 'it needs more than 16 MB' })
  expect(await compute.run(good)).toMatchObject({ kind: 'done', result: { kind: 'traced', traced: { code: 'OK' } } })
}, 120_000)

/** Runs tasks of organizations, and notes which have ended in their order. */
function organizations(compute: Compute) {
  const budget = new MemoryBudget()
  const ended: string[] = []
  return {
    ended,
    async run(name: string, organization: string, task: TraceTask) {
      const memory = budget.request()
      memory.belongTo(organization)
      const outcome = await asRequest(memory, () => compute.run(task))
      ended.push(name)
      return outcome
    },
  }
}

test('tasks of another organization do not wait for those of one that keeps its threads busy', async () => {
  const compute = threads({ threads: { small: 2, large: 0 }, milliseconds: 60_000 })
  const { run, ended } = organizations(compute)
  const busy = [run('endless', 'a', endless), run('second of a', 'a', good)]
  await run('first of b', 'b', good)
  await run('second of b', 'b', good)
  await compute.close()
  await Promise.all(busy)
  expect(ended).toEqual(['first of b', 'second of b', 'endless', 'second of a'])
})

test('however many organizations keep all threads busy, small tasks of another one are executed', async () => {
  const compute = threads({ threads: { small: 2, large: 1 }, milliseconds: 3_600_000 })
  const { run, ended } = organizations(compute)
  const busy = Array.from({ length: 3 }, (_, at) => run('endless', `busy ${at}`, endless))
  for (const round of ['first', 'second', 'third'])
    expect(await run(round, 'other', good)).toMatchObject({ kind: 'done', result: { traced: { code: 'OK' } } })
  expect(ended).toEqual(['first', 'second', 'third'])
  await compute.close()
  await Promise.allSettled(busy)
})

test('a preempted task is executed to its end', async () => {
  const compute = threads({ threads: { small: 1, large: 1 }, milliseconds: 700 })
  const { run } = organizations(compute)
  const endlessOutcome = run('endless', 'a', endless)
  expect(await run('good', 'b', good)).toMatchObject({ kind: 'done' })
  expect(await endlessOutcome).toEqual({ kind: 'over', message: 'it took more than 0.7 s' })
  expect(await run('good', 'a', good)).toMatchObject({ kind: 'done' })
})

test('a result nested too deeply for JSON is not a defect', async () => {
  const s = nested(
    122,
    Array.from({ length: 20_000 }, (_, index) => index),
  )
  const steps = [
    { id: 'a', type: 'action', assignments: [{ name: 'x', value: 's' }], nextStepId: 'e' },
    { id: 'e', type: 'terminal', code: 'OK', output: [{ name: 'o', value: '$x' }] },
  ]
  const task = { ...tracing({ config: { name: 'x', timeout: 0 }, startStepId: 'a', steps }), input: { s } }
  const message = expect.stringContaining('nested more than 128 levels')
  expect(await threads({}).run(task)).toEqual({ kind: 'over', message })
})

test('too many tasks are refused, and the queued ones are executed', async () => {
  const compute = threads({ waiting: 4 })
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

const asks = (expr: string) => asking('x', 'fee', [{ field: 'amount', expr }]).steps

/** A check of a draft that does not stay on the event loop. */
function checking(changed: {
  readonly draft?: object
  readonly contract?: object
  readonly concepts?: Concepts
  readonly fee?: string
}): CheckTask {
  const { draft = {}, contract, concepts = NO_CONCEPTS, fee = '2' } = changed
  const { graph, bindings, outputs } = feeOf(fee)
  const subject = {
    draft: { config: { name: 'x' }, startStepId: 'ask', steps: asks('cart'), ...draft },
    subRules: new Map([['fee', graph]]),
    contract: contract && { contract: { name: 'x', version: '1.0.0', outputs: [], ...contract }, concepts },
  }
  return { subject, used: new Map([['fee', { bindings, outputs }]]), form: 'none' } as unknown as CheckTask
}

test('a draft is checked again only where it or what it refers to has changed', async () => {
  const compute = threads({})
  const run = vi.spyOn(compute, 'run')
  const first = await checkSubject(compute, checking({}))
  expect(await checkSubject(compute, checking({}))).toEqual(first)
  expect([run.mock.calls.length, first.problems]).toEqual([1, []])
  const fields = (type: string, name = 'cart') => ({ input: { fields: [{ name, type }] } })
  const outputs = [{ code: 'DONE', fields: [{ name: 'fee', type: 'number' }] }]
  const ofConcept = (type: string) => ({
    draft: { startStepId: 'ask', note: 'of a concept', steps: asks('shop.cart') },
    contract: { ...fields('concept:Shop', 'shop'), outputs },
    concepts: new Map([['Shop', [{ name: 'cart', type }]]]),
  })
  for (const [changed, codes] of [
    [ofConcept('number'), []],
    [ofConcept('string'), ['binding-type']],
    [{ draft: { startStepId: 'end' } }, Array(3).fill('unreachable-step')],
    [{ contract: { ...fields('number'), outputs } }, []],
    [{ contract: { ...fields('string'), outputs } }, ['binding-type']],
    [{ contract: fields('number') }, ['undeclared-code']],
    [{ fee: '3 +' }, ['unexpected-token']],
  ] as const) {
    run.mockClear()
    const answers = [await checkSubject(compute, checking(changed)), await checkSubject(compute, checking(changed))]
    expect(run).toHaveBeenCalledTimes(1)
    expect(answers[0]?.problems.map(({ code }) => code)).toEqual(codes)
    expect(answers[1]).toEqual(answers[0])
  }
  // The converted draft is large, and is not kept.
  run.mockClear()
  for (let round = 0; round < 2; round++)
    expect(await checkSubject(compute, { ...checking({}), form: 'text' })).toHaveProperty('engineText')
  expect(run).toHaveBeenCalledTimes(2)
})

type Check = Parameters<CheckCache['get']>[1]

test('a check ended by a time limit or a defect is repeated, and old checks are forgotten', async () => {
  const known = new CheckCache()
  const over = vi.fn<Check>(() => Promise.resolve({ kind: 'over' as const, message: 'it took more than 10 s' }))
  const failed = vi.fn<Check>(() => Promise.reject(new Error('a defect')))
  for (let round = 0; round < 2; round++) {
    await known.get('a', over)
    await expect(known.get('b', failed)).rejects.toThrow('a defect')
  }
  expect([over.mock.calls.length, failed.mock.calls.length]).toEqual([2, 2])

  const problem = { path: '', code: 'unused-step', message: '', severity: 'warning' } as const
  const result = { problems: Array.from({ length: 1000 }, () => problem), undeclared: [] }
  const done = vi.fn<Check>(() => Promise.resolve({ kind: 'done' as const, result }))
  await Promise.all([known.get('first', done), known.get('first', done)])
  expect(done).toHaveBeenCalledTimes(1)
  for (let count = 0; count < 20; count++) await known.get(`other ${count}`, done)
  await known.get('other 19', done)
  expect(done).toHaveBeenCalledTimes(21)
  await known.get('first', done)
  expect(done).toHaveBeenCalledTimes(22)
})
