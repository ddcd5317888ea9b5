import { Hops } from '../capabilities/hops.ts'
import type { Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import type { EngineError } from '../errors.ts'
import {
  type BatchItem,
  type BatchOptions,
  estimatedMicroseconds,
  type InputRunner,
  MAX_UNMEASURED,
  runBatch,
  Runner,
} from './batch.ts'
import type { AnswerForm, ExecutionService } from './execution.ts'

interface Named extends BatchItem {
  readonly name: string
}

/** Results of 10 million characters each, every third one waited for. */
const execution = {
  item: (_program: Program, input: Value | undefined) => {
    const item: Named = { name: `${input as number}`, failed: false, microseconds: 1, size: 10_000_000 }
    return Number(input) % 3 === 0 ? Promise.resolve(item) : item
  },
} as unknown as ExecutionService
const form: AnswerForm<Named, Named> = {
  decided: () => {
    throw new Error('not asked')
  },
  failed: (error: EngineError) => ({ name: error.details?.[0]?.code ?? '', failed: true, microseconds: 0, size: 0 }),
}

test('results fail once their total is too large', async () => {
  const runner = new Runner(execution, {} as Program, form, { hops: new Hops(0) })
  const inputs = Array.from({ length: 8 }, (_, index) => index)
  const { items, summary } = await runBatch(runner, inputs, { stopOnError: false, parallel: false })
  expect(items.map(({ name }) => name)).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
    'batch-too-large',
    'batch-too-large',
    'batch-too-large',
  ])
  expect(summary).toMatchObject({ total: 8, success: 5, failed: 3 })
})

interface Step {
  readonly fails?: boolean
  readonly waits?: boolean
  readonly microseconds?: number
}

/** Runs steps, each of which ends when the test lets it; counts how many wait at the same time, and the pauses. */
function stepped() {
  const seen = { started: [] as number[], waiting: 0, most: 0, pauses: 0 }
  const runner: InputRunner<readonly [index: number, step: Step], Named> = {
    run: ([index, { fails = false, waits = false, microseconds = 1 }]) => {
      seen.started.push(index)
      const item: Named = { name: `${index}`, failed: fails, microseconds, size: 0 }
      if (!waits) return item
      seen.most = Math.max(seen.most, ++seen.waiting)
      return new Promise((resolve) =>
        setImmediate(() => {
          seen.waiting--
          resolve(item)
        }),
      )
    },
    refused: () => ({ name: 'refused', failed: true, microseconds: 0, size: 0 }),
    pause: () => {
      seen.pauses++
      return undefined
    },
  }
  return { seen, runner }
}

async function ran(steps: readonly Step[], options: Partial<BatchOptions> = {}) {
  const { seen, runner } = stepped()
  const inputs = steps.map((step, index) => [index, step] as const)
  const { items, summary } = await runBatch(runner, inputs, { stopOnError: false, parallel: false, ...options })
  return { ...seen, names: items.map(({ name }) => Number(name)), summary }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const [OK, FAILS] = [{}, { fails: true }]
const [WAITS, FAILS_LATER] = [{ waits: true }, { fails: true, waits: true }]

describe('a batch', () => {
  test.each<[what: string, steps: readonly Step[], stopOnError: boolean, names: readonly number[], failed: number]>([
    ['goes on after a failure', [OK, FAILS, OK], false, [0, 1, 2], 1],
    ['ends with a failure on request', [OK, FAILS, OK], true, [0, 1], 1],
    ['ends with a failure that it waited for', [OK, FAILS_LATER, OK], true, [0, 1], 1],
    ['does not end without one', [OK, WAITS, OK], true, [0, 1, 2], 0],
  ])('%s, and counts all its inputs', async (_what, steps, stopOnError, names, failed) => {
    for (const parallel of [true, false]) {
      const found = await ran(steps, { stopOnError, parallel })
      expect([found.started, found.names]).toEqual([names, names])
      expect(found.summary).toEqual({
        total: steps.length,
        success: names.length - failed,
        failed,
        total_duration_us: names.length,
      })
    }
  })

  test.each<[parallel: boolean, stopOnError: boolean, most: number]>([
    [true, false, 16],
    [false, false, 1],
    [true, true, 1],
  ])('of waiting inputs, parallel %s and stopping %s, has at most %#', async (parallel, stopOnError, most) => {
    const found = await ran(
      numbers(40).map(() => WAITS),
      { parallel, stopOnError },
    )
    expect([found.most, found.names]).toEqual([most, numbers(40)])
  })

  test('ends after its client has disconnected, which it notices where it waits', async () => {
    const steps = [OK, WAITS, OK, WAITS, OK]
    let asked = 0
    const found = await ran(steps, { isAbandoned: () => ++asked === 2 })
    expect([found.started, found.summary.total]).toEqual([[0, 1, 2, 3], 5])
    expect((await ran([OK, OK, OK], { isAbandoned: () => true })).started).toEqual([0, 1, 2])
  })

  test.each<[microseconds: number, count: number, pauses: number]>([
    [MAX_UNMEASURED, 3, 3],
    [MAX_UNMEASURED / 2, 4, 2],
    [0, 249, 0],
    [0, 250, 1],
  ])('of inputs that take %i µs looks at the clock after %i inputs %i times', async (microseconds, count, pauses) => {
    expect((await ran(numbers(count).map(() => ({ microseconds })))).pauses).toBe(pauses)
  })
})

test('an input costs its own time, and a share of its result', () =>
  expect(estimatedMicroseconds({ failed: false, microseconds: 10, size: 640 })).toBe(22))

describe('a runner with receipts', () => {
  const items = (keepsReceipts: boolean) =>
    ({
      keepsReceipts,
      item: (_program: Program, _input: unknown, _form: unknown, { receipt }: { readonly receipt?: unknown }) => ({
        name: receipt === undefined ? 'none' : 'asked',
        failed: false,
        microseconds: 1,
        size: 5,
      }),
    }) as unknown as ExecutionService

  test.each([true, false])('asks for one per input: %s', async (withReceipts) => {
    const runner = new Runner(items(true), {} as Program, form, { hops: new Hops(0) }, withReceipts)
    const item = await runner.run({})
    expect([item.name, item.receipt === undefined]).toEqual([withReceipts ? 'asked' : 'none', !withReceipts])
    expect(item.size).toBe(5 + (item.receipt?.size ?? 0))
  })

  test('needs an engine that keeps them', () => {
    const create = (withReceipts: boolean) => () =>
      new Runner(items(false), {} as Program, form, { hops: new Hops(0) }, withReceipts)
    expect(create(true)).toThrow('this engine keeps no receipts')
    expect(create(false)).not.toThrow()
  })
})
