import { stringifyJson } from '@engine/expression'
import { describe, expect, test, vi } from 'vitest'
import { createEngine, NoRulesetError, RulesetProblems, WaitingRuleError } from './index.ts'

const end = (code: string, output: Readonly<Record<string, string>> = {}, id = code) => ({
  id,
  type: 'terminal',
  result: { code, message: '', output: Object.entries(output) },
})
const adult = {
  config: { name: 'adult-check', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'age >= 18', next_step: 'ADULT' }],
      default_next: 'MINOR',
    },
    ADULT: end('ADULT', { limit: 'age * 10' }),
    MINOR: end('MINOR'),
  },
}
/** Calls another ruleset, and logs. */
const outer = {
  config: { name: 'outer', entry_step: 'call' },
  steps: {
    call: {
      id: 'call',
      type: 'action',
      actions: [
        { action: 'log', message: 'called', level: 'info' },
        {
          action: 'call_ruleset',
          ruleset_name: 'adult-check',
          input_mapping: { Object: [['age', { Field: 'years' }]] },
          result_variable: 'inner',
        },
      ],
      next_step: 'done',
    },
    done: end('DONE', { inner: '$inner.code' }, 'done'),
  },
}
const waiting = {
  config: { name: 'waiting', entry_step: 'ask' },
  steps: {
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        {
          action: 'external_call',
          service: 'team.scores',
          method: 'get',
          params: [['id', 'id']],
          result_variable: 'score',
        },
      ],
      next_step: 'done',
    },
    done: end('DONE', { score: '$score.payload' }, 'done'),
  },
}

describe.each(['compile', 'interpret'] as const)('%s', (mode) => {
  test('decides, with the trace on request', async () => {
    const engine = createEngine({ rulesets: [adult], mode })
    expect(await engine.decide('adult-check', { age: 21 })).toEqual({
      code: 'ADULT',
      message: '',
      output: { limit: 210 },
    })
    expect(engine.decideSync('adult-check', { age: 17 }).code).toBe('MINOR')
    const { trace, duration_us } = await engine.execute('adult-check', { age: 21 }, { trace: true })
    expect(trace?.path).toBe('check -> ADULT')
    expect(duration_us).toBeGreaterThanOrEqual(0)
  })
})

test('rulesets call each other in their current version', async () => {
  const onLog = vi.fn<() => void>()
  const engine = createEngine({ rulesets: [outer, adult], onLog })
  expect((await engine.decide('outer', { years: 20 })).output).toEqual({ inner: 'ADULT' })
  engine.set({ ...adult, steps: { ...adult.steps, check: { ...adult.steps.check, default_next: 'ADULT' } } })
  expect((await engine.decide('outer', { years: 2 })).output).toEqual({ inner: 'ADULT' })
  expect(onLog).toHaveBeenCalledTimes(2)
  expect(engine.names()).toEqual(['outer', 'adult-check'])
})

test('rules that wait for a capability decide by a promise only', async () => {
  const provider = {
    name: 'team.scores',
    operations: ['get'],
    call: ({ payload }: { payload: Record<string, unknown> }) =>
      Promise.resolve({ payload: Number(payload['id']) * 2, metadata: {} }),
  }
  const engine = createEngine({ rulesets: [waiting], capabilities: [provider] })
  expect((await engine.decide('waiting', { id: 4 })).output).toEqual({ score: 8 })
  expect(() => engine.decideSync('waiting', { id: 4 })).toThrow(WaitingRuleError)
})

test('names and time', async () => {
  const clock = {
    ...adult,
    config: { name: 'clock', entry_step: 'ADULT' },
    steps: { ADULT: end('AT', { at: 'now()' }) },
  }
  const renamed = { ...clock, steps: { AT: end('AT', { at: 'now()' }) }, config: { name: 'clock', entry_step: 'AT' } }
  const engine = createEngine({ rulesets: [renamed], now: () => 1000 })
  expect(engine.decideSync('clock', {}).output).toEqual({ at: '1970-01-01T00:00:01.000Z' })
  expect(engine.decideSync('clock', {}, { now: 5 }).output).toEqual({ at: '1970-01-01T00:00:00.005Z' })
  expect(() => engine.decide('clok', {})).toThrow('there is no ruleset `clok`: did you mean `clock`?')
  expect([engine.remove('clock'), engine.remove('clock'), engine.names()]).toEqual([true, false, []])
  expect(() => engine.decide('clock', {})).toThrow(NoRulesetError)
})

describe('a document that is not a ruleset is refused with all its errors', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  test.each<[unknown, string]>([
    [
      {
        config: { name: 'x' },
        steps: { a: { id: 'a', type: 'decision', branches: [{ condition: 'a +', next_step: 'z' }] } },
      },
      '/steps/a/branches/0',
    ],
    [undefined, 'a ruleset is an object'],
    [cyclic, 'a ruleset is an object'],
    [[1], 'object'],
    ['{"config": ', '/: expected a value, found the end'],
    ['{"config": {"name": "x"}, "config": {"name": "y"}}', 'config'],
  ])('%#', (document, message) => {
    expect(() => createEngine({ rulesets: [document] })).toThrow(RulesetProblems)
    expect(() => createEngine({ rulesets: [document] })).toThrow(message)
    expect(createEngine().problems(document)).not.toEqual([])
  })

  test('a second ruleset of a name, in the list of the start', () => {
    expect(() => createEngine({ rulesets: [adult, adult] })).toThrow('`adult-check` is given twice')
  })

  test('and the ruleset of the name stays', () => {
    const engine = createEngine({ rulesets: [adult] })
    expect(() => engine.set({ ...adult, steps: {} })).toThrow(RulesetProblems)
    expect(engine.decideSync('adult-check', { age: 18 }).code).toBe('ADULT')
  })
})

test('a JSON text is a document whose numbers keep all digits', async () => {
  const ends = JSON.stringify(end('DONE', {}, 'end')).replace(
    '"output":[]',
    '"output":[["n",{"Literal":1.0000000000000000001}]]',
  )
  const text = `{"config":{"name":"exact","numbers":"decimal","entry_step":"end"},"steps":{"end":${ends}}}`
  const { output } = await createEngine({ rulesets: [text] }).decide('exact', {})
  expect(stringifyJson(Object.values(output)[0] ?? null)).toBe('1.0000000000000000001')
})

test('a later change of the document has no effect', () => {
  const document = structuredClone(adult)
  const engine = createEngine({ rulesets: [document], mode: 'interpret' })
  document.steps.check.default_next = 'ADULT'
  expect(engine.decideSync('adult-check', { age: 1 }).code).toBe('MINOR')
})
