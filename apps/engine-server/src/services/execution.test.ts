import type { Decision, Program, Ruleset } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { createExecutionService, type AnswerForm, type RunOptions } from './execution.ts'

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
