import { type Decision, ExecutionError, type Program, type Ruleset } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { EngineError } from '../errors.ts'
import { ExecutionRecording, type ObservedPrograms } from '../receipts/recording.ts'
import type { TenantReceipts } from '../receipts/tenant-receipts.ts'
import type { Requester } from '../requester.ts'
import { createExecutionService, type AnswerForm, type RunOptions } from './execution.ts'
import { executionOf, outcomeOf, OUTSIDE } from './services.testing.ts'

afterEach(() => vi.restoreAllMocks())

/** Milliseconds of the clock that the service reads. */
let clock = 0

const DECISION: Decision = { code: 'A', message: '', output: {} }
const FORM: AnswerForm<number, number> = {
  decided: (_decided, microseconds) => microseconds,
  failed: (_error, microseconds) => microseconds,
}

/** A program whose code takes a second to generate, and that decides in five milliseconds. */
function slowToPrepare(): Program {
  const work = (milliseconds: number) => (clock += milliseconds)
  let isPrepared = false
  const decided = () => {
    if (!isPrepared) work(1000)
    work(5)
    return DECISION
  }
  return {
    ruleset: { config: { name: 'a', version: '1', enableTrace: false } } as Ruleset,
    violations: () => [],
    prepare: () => {
      if (!isPrepared) work(1000)
      isPrepared = true
    },
    decide: decided,
    execute: () => ({ ...decided(), duration_us: 0 }),
  }
}

test.each(['execute', 'item'] as const)('the duration of the first %s covers only the rules', (way) => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
  const program = slowToPrepare()
  const service = createExecutionService({ get: () => program } as never, {
    executed: () => undefined,
    contractBroken: () => undefined,
  })
  const options = { hops: { ofInput: () => undefined } } as unknown as RunOptions
  const answers = [1, 2].map(() =>
    way === 'execute' ? service.execute('a', {}, FORM, options) : service.item(program, {}, FORM, options),
  )
  expect(answers).toEqual([5000, 5000])
})

const ADA: Requester = { token: 'ada', address: '127.0.0.1', requestId: 'r-1' }
const CODES: AnswerForm<string, string> = {
  decided: ({ code }, _microseconds, violations) => `${code} ${violations}`,
  failed: (error) => `${error.code}: ${error.message}`,
}
const contract = (mode: string) => ({
  mode,
  contract: { name: 'c', version: '1', input: { fields: [{ name: 'a', type: 'number', required: true }] } },
})
const RULESETS = [
  { name: 'plain', condition: 'a > 1', output: { double: 'a * 2' } },
  { name: 'fragile', condition: '1 / a > 0' },
  { name: 'warned', condition: 'a == 2', config: { contract: contract('warn') } },
  { name: 'enforced', condition: 'a == 2', config: { contract: contract('enforce') } },
  { name: 'ignored', condition: 'a == 2', config: { contract: contract('off') } },
  { name: 'exact', condition: 'a > 1', config: { numbers: 'decimal' } },
]

describe.each(['execute', 'item'] as const)('%s', (way) => {
  const run = async (name: string, input: object, options: RunOptions = OUTSIDE, form = CODES) => {
    const parts = await executionOf(RULESETS)
    const { execution } = parts
    const outcome = await outcomeOf(() =>
      way === 'execute'
        ? execution.execute(name, input as never, form, options)
        : execution.item(execution.program(name), input as never, form, options),
    )
    return { ...parts, outcome }
  }

  test.each<[name: string, input: object, outcome: unknown, violations: number, broken: readonly string[]]>([
    ['plain', { a: 2 }, 'PERMIT 0', 0, []],
    ['plain', { a: 1 }, 'DENY 0', 0, []],
    ['warned', { a: 'x' }, 'DENY 1', 1, ['warned']],
    ['warned', { a: 2 }, 'PERMIT 0', 0, []],
    ['ignored', { a: 'x' }, 'DENY 0', 0, []],
  ])('of %s with %j is reported with its requester', async (name, input, outcome, violations, broken) => {
    const warned: number[] = []
    const found = await run(name, input, { ...OUTSIDE, by: ADA, warned: (count) => warned.push(count) })
    expect([found.outcome, warned, found.broken]).toEqual([outcome, violations === 0 ? [] : [violations], broken])
    expect(found.executed).toMatchObject([
      { name, version: '1.0.0', error: undefined, violations, input, by: ADA, recorded: undefined },
    ])
    expect(found.executed[0]?.code).toBe(String(outcome).split(' ')[0])
  })

  test.each<[name: string, outcome: unknown, paths: readonly string[] | undefined]>([
    ['fragile', expect.stringMatching(/^execution-failed: .*zero/), undefined],
    ['enforced', expect.stringMatching(/^invalid-input: .*breaks the contract c/), ['/input/a']],
  ])('of %s that fails is reported with its requester', async (name, outcome, paths) => {
    const input = { a: name === 'fragile' ? 0 : 'x' }
    const { executed, broken, outcome: found } = await run(name, input, { ...OUTSIDE, by: ADA })
    expect([found, broken]).toEqual([outcome, []])
    expect(executed).toMatchObject([
      { name, version: '1.0.0', code: undefined, violations: 0, input, output: undefined, by: ADA },
    ])
    expect(String(found)).toContain(String(executed[0]?.error))
    expect(executed[0]?.refused?.map(({ path }) => path)).toEqual(paths)
  })

  test('of an input that is no object is refused', async () => {
    const { outcome, executed } = await run('plain', [])
    expect([outcome, executed]).toEqual(['invalid-request: `input` must be an object, found a list', []])
  })

  test('with a result that is nested too deeply counts as a failure', async () => {
    const tooDeep: typeof CODES = {
      ...CODES,
      decided: () => {
        throw new RangeError('depth')
      },
    }
    const { outcome, executed } = await run('plain', { a: 2 }, OUTSIDE, tooDeep)
    expect(outcome).toBe('execution-failed: the result is nested too deeply to be written as JSON')
    expect(executed).toMatchObject([
      { code: undefined, error: 'the result is nested too deeply to be written as JSON' },
    ])
  })

  test('with a receipt is refused where none are kept', async () => {
    const { outcome } = await run('plain', { a: 2 }, { ...OUTSIDE, receipt: {} as never })
    expect(outcome).toBe('receipts-off: this engine keeps no receipts (--receipts)')
  })

  test('with a trace names the fields that no rule reads', async () => {
    const shown: unknown[] = []
    const form: typeof CODES = {
      ...CODES,
      decided: (decided) => {
        shown.push(decided)
        return ''
      },
    }
    await run('plain', { a: 2, b: 3 }, { ...OUTSIDE, trace: true }, form)
    expect(shown).toMatchObject([
      {
        given_but_unread: [{ field: 'b', nearest: null }],
        read_but_missing: [],
        trace: { steps: [{ id: 'first' }, { id: 'yes' }] },
      },
    ])
  })
})

test('a defect ends a batch; other failures are items of it', async () => {
  const { execution } = await executionOf(RULESETS)
  const form: typeof CODES = {
    ...CODES,
    decided: () => {
      throw new TypeError('oops')
    },
  }
  const failed = Promise.try(() => execution.item(execution.program('plain'), { a: 2 }, form, OUTSIDE))
  await expect(failed).rejects.toMatchObject({
    code: 'defect',
    message: 'internal error; the log of the server has the details',
  })
})

test('a refused input has the violated rules as details', async () => {
  const { execution } = await executionOf(RULESETS)
  const failed = Promise.try(() => execution.execute('enforced', { a: 'x' }, CODES, OUTSIDE))
  await expect(failed).rejects.toBeInstanceOf(EngineError)
  await expect(failed).rejects.toMatchObject({
    details: [
      {
        path: '/input/a',
        code: 'type',
        message: 'expected a number, found string',
        expected: 'a number',
        found: 'string',
      },
    ],
  })
})

test.each([
  ['plain', 'double'],
  ['exact', 'decimal'],
  ['none', 'double'],
])('numbers for the ruleset %s are parsed as %s', async (name, numbers) => {
  const { execution } = await executionOf(RULESETS)
  expect([execution.numbersOf(name), execution.find(name)?.ruleset.config.name ?? 'none']).toEqual([numbers, name])
})

test('the program of an unknown ruleset', async () => {
  const { execution } = await executionOf([])
  expect(await outcomeOf(() => execution.program('none'))).toBe('not-found: ruleset `none` not found')
})

describe('a program', () => {
  /** A service with one program that notes how it runs, and fails if it should. */
  function spied(failure?: Error, receipts?: TenantReceipts, observed?: ObservedPrograms) {
    const runs: { readonly [key: string]: unknown }[] = []
    const prepared: boolean[] = []
    const decided = (options: object) => {
      runs.push({ ...options })
      if (failure !== undefined) throw failure
      return DECISION
    }
    const program = {
      ruleset: { config: { name: 'a', version: '1' } },
      violations: () => [],
      prepare: (trace: boolean) => void prepared.push(trace),
      decide: (_input: unknown, options: object) => decided(options),
      execute: (_input: unknown, options: object) => decided(options),
    } as unknown as Program
    const events = { executed: () => undefined, contractBroken: () => undefined }
    const service = createExecutionService({ get: () => program } as never, events, receipts, observed)
    return { service, program, runs, prepared }
  }

  test('runs with the signal of its request', () => {
    const { signal } = new AbortController()
    const { service, runs } = spied()
    void service.execute('a', {}, CODES, { ...OUTSIDE, signal })
    void service.execute('a', {}, CODES, { ...OUTSIDE, signal, trace: true })
    expect(runs.map((run) => run['signal'])).toEqual([signal, signal])
  })

  test('is not prepared for values in a trace, which generated code does not give', () => {
    const { service, prepared } = spied()
    for (const options of [{}, { trace: true }, { trace: true, traceValues: true }])
      void service.execute('a', {}, CODES, { ...OUTSIDE, ...options })
    expect(prepared).toEqual([false, true])
  })

  test.each<[code: string, failure: string]>([
    ['request-timeout', 'timeout: it ends (--request-timeout-secs)'],
    ['timeout', 'execution-failed: it ends'],
  ])('that ends with %s', async (code, failure) => {
    const { service } = spied(new ExecutionError(code, 'it ends', 's'))
    expect(await outcomeOf(() => service.execute('a', {}, CODES, OUTSIDE))).toBe(failure)
  })

  test('has its own hops for each input from outside', () => {
    const seen: unknown[] = []
    const receipts = { keepsAll: true, begin: (_span: unknown, hops: unknown) => void seen.push(hops) }
    const { service, program } = spied(undefined, receipts as unknown as TenantReceipts)
    const outside = new Hops(0)
    void service.execute('a', {}, CODES, { hops: outside })
    void service.item(program, {}, CODES, { hops: outside })
    const inside = new Hops(1)
    void service.item(program, {}, CODES, { hops: inside })
    expect(seen.map((hops) => hops === outside || hops === inside)).toEqual([true, false, true])
  })

  test.each([true, false])('is observed where its decisions are recorded with answers: %s', (wantsAnswers) => {
    const { service, runs } = spied(undefined, undefined, { wantsAnswers: () => wantsAnswers })
    void service.execute('a', {}, CODES, OUTSIDE)
    expect(runs[0]?.['context'] instanceof ExecutionRecording).toBe(wantsAnswers)
  })

  describe('with a receipt', () => {
    const ASKED = { asked: true } as unknown as RunOptions['receipt']
    function kept(keepsAll: boolean, failure?: Error) {
      const ended: unknown[] = []
      const placed = Promise.withResolvers<string>()
      const receipts = {
        keepsAll,
        begin: (span: undefined, hops: Hops) => new ExecutionRecording(span, hops, 5),
        ended: (_program: unknown, _recording: unknown, execution: object, asked: unknown) => {
          ended.push([execution, asked])
          return placed.promise
        },
      } as unknown as TenantReceipts
      return { ...spied(failure, receipts), ended, placed }
    }

    test.each<[keepsAll: boolean, receipt: RunOptions['receipt'], count: number]>([
      [true, undefined, 1],
      [true, ASKED, 1],
      [false, ASKED, 1],
      [false, undefined, 0],
    ])('kept for all %s, asked for %j', async (keepsAll, receipt, count) => {
      const { service, runs, ended, placed } = kept(keepsAll)
      placed.resolve('eu-1#7')
      const places: string[] = []
      await service.execute('a', { n: 1 }, CODES, { ...OUTSIDE, receipt, logged: (place) => places.push(place) })
      expect([ended, places]).toEqual([
        Array.from({ length: count }, () => [{ input: { n: 1 }, outcome: DECISION }, receipt]),
        Array.from({ length: count }, () => 'eu-1#7'),
      ])
      expect(runs[0]?.['now']).toBe(count === 0 ? undefined : 5)
      expect(service.keepsReceipts).toBe(true)
    })

    test('is answered after its place in the log is known', async () => {
      const { service, placed } = kept(true)
      const order: string[] = []
      const answered = Promise.resolve(service.execute('a', {}, CODES, OUTSIDE)).then(() => order.push('answered'))
      await new Promise((resolve) => setImmediate(resolve))
      order.push('placed')
      placed.resolve('eu-1#7')
      await answered
      expect(order).toEqual(['placed', 'answered'])
    })

    test('has the failure of the rules, not that of the answer', async () => {
      const failure = new ExecutionError('timeout', 'it ends', 's')
      const { service, ended, placed } = kept(true, failure)
      placed.resolve('eu-1#7')
      expect(await outcomeOf(() => service.execute('a', {}, CODES, OUTSIDE))).toBe('execution-failed: it ends')
      expect(ended).toEqual([[{ input: {}, outcome: { error: failure } }, undefined]])
    })
  })
})

test('a refused input names at most a hundred violations', async () => {
  const fields = Array.from({ length: 101 }, (_, index) => ({ name: `f${index}`, type: 'number', required: true }))
  const config = { contract: { mode: 'enforce', contract: { name: 'c', version: '1', input: { fields } } } }
  const { execution } = await executionOf([{ name: 'wide', condition: 'true', config }])
  const failed = Promise.try(() => execution.execute('wide', {}, CODES, OUTSIDE))
  await expect(failed).rejects.toMatchObject({ details: { length: 100 } })
})

test('an execution whose answer is written in pieces is reported once it is written', async () => {
  const { execution, executed } = await executionOf(RULESETS)
  const written = Promise.withResolvers<string>()
  const form: AnswerForm<string, string> = { ...CODES, decided: () => written.promise }
  const answer = execution.execute('plain', { a: 2 }, form, OUTSIDE)
  expect(executed).toEqual([])
  written.resolve('text')
  expect(await answer).toBe('text')
  expect(executed).toMatchObject([{ name: 'plain', code: 'PERMIT' }])
})
