import { Hops } from '../capabilities/hops.ts'
import type { Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { expect, test } from 'vitest'
import type { EngineError } from '../errors.ts'
import { type BatchItem, runBatch, Runner } from './batch.ts'
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
