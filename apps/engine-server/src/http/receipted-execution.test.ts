import type { Value } from '@engine/expression'
import type { Receipt } from '@engine/receipts'
import { expect, test } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { EngineError, failures } from '../errors.ts'
import type { AnswerForm, ExecutionService, RunOptions } from '../services/execution.ts'
import { receiptedExecution } from './receipted-execution.ts'

/* The answer to an execution that requests its receipt: with it, without it, and the failures that have one. */

const RECEIPT = { format: 'engine-receipt/1', entry: '{}' } as Receipt
const BODY = { input: { age: 20 }, trace: undefined, traceValues: undefined, receipt: true }
const DIGEST = 'd'.repeat(64)
const FAILED = new EngineError('execution-failed', 'no branch fits')

interface Outcome {
  /** Undefined: the execution is not in the log. */
  readonly kept?: Promise<Receipt> | undefined
  /** Instead of a decision. */
  readonly thrown?: unknown
}

/** An engine whose execution ends so, with a note of its options. */
function engineThat({ kept, thrown }: Outcome) {
  const noted: { name: string; input: Value; options: RunOptions }[] = []
  const execution: Partial<ExecutionService> = {
    program: () => ({}) as ReturnType<ExecutionService['program']>,
    digestOf: async () => DIGEST,
    execute<Answer>(name: string, input: Value, form: AnswerForm<Answer, unknown>, options: RunOptions) {
      noted.push({ name, input, options })
      if (kept !== undefined) options.receipt?.kept(kept, 1)
      if (thrown !== undefined) throw thrown
      return form.decided({ code: 'ADULT', message: 'welcome', output: {} }, 7, 0)
    },
  }
  return { execution: execution as ExecutionService, noted }
}

/** The answer to a request. */
function answered(outcome: Outcome, reports = false, body = BODY) {
  const { execution } = engineThat(outcome)
  return receiptedExecution(execution, 'adult', body, { hops: Hops.of(undefined) }, reports)
}

const DECIDED = { code: 'ADULT', message: 'welcome', output: {}, duration_us: 7 }
const keeping = (receipt: Receipt = RECEIPT): Outcome => ({ kept: Promise.resolve(receipt) })

test.each<[title: string, outcome: Outcome, reports: boolean, expected: object]>([
  ['a decision has its receipt', keeping(), false, { ...DECIDED, receipt: RECEIPT }],
  ['a decision that is not in the log has none', {}, false, DECIDED],
  ['a decision with its report has its receipt', keeping(), true, { ...DECIDED, receipt: RECEIPT }],
])('%s', async (_, outcome, reports, expected) => {
  const answer = await answered(outcome, reports)
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.body as string)).toEqual(expected)
  expect(answer.headers).toEqual(reports ? { 'x-ruleset-digest': DIGEST, 'x-result-code': 'ADULT' } : undefined)
})

test.each([
  [false, {}],
  [true, { 'x-ruleset-digest': DIGEST }],
])('a failed execution has its receipt, with a report or without (%s)', async (reports, headers) => {
  const answer = await answered({ ...keeping(), thrown: FAILED }, reports)
  expect(answer.status).toBe(500)
  expect(answer.headers ?? {}).toEqual(headers)
  expect(JSON.parse(answer.body as string)).toEqual({
    error: 'no branch fits',
    code: 'INTERNAL_ERROR',
    receipt: RECEIPT,
  })
})

test.each<[title: string, outcome: Outcome]>([
  ['a refused input', { thrown: new EngineError('invalid-input', 'age is missing') }],
  ['a failure without an entry', { thrown: FAILED }],
  ['a defect', { ...keeping(), thrown: new TypeError('undefined is not a function') }],
  ['a defect that was reported as one', { ...keeping(), thrown: new EngineError('defect', 'internal error') }],
])('%s is thrown as it is', async (_, outcome) => {
  await expect(answered(outcome)).rejects.toBe(outcome.thrown)
})

test('a receipt that cannot be written refuses the answer', async () => {
  const refused = failures.receiptsUnavailable('the disk is full')
  await expect(answered({ kept: Promise.reject(refused) })).rejects.toBe(refused)
  await expect(answered({ kept: Promise.reject(refused), thrown: FAILED })).rejects.toBe(refused)
})

test('the execution gets the input, the trace and the options of the request', async () => {
  const { execution, noted } = engineThat(keeping())
  const hops = Hops.of(undefined)
  const body = { ...BODY, trace: true, traceValues: true }
  for (const reports of [false, true]) await receiptedExecution(execution, 'adult', body, { hops }, reports)
  expect(noted.map(({ name, input }) => [name, input])).toEqual([
    ['adult', BODY.input],
    ['adult', BODY.input],
  ])
  for (const { options } of noted) {
    expect(options).toMatchObject({ trace: true, traceValues: true })
    expect(options.hops).toBe(hops)
    expect(options.receipt?.size).toBeGreaterThan(0)
  }
})
