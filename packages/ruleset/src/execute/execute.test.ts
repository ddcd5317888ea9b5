import { makeFunction, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import type { CapabilityRequest } from '../capability.ts'
import { createCapabilities } from '../capability-registry.ts'
import { createProgram } from '../create-program.ts'
import type { Host } from '../program.ts'
import { decoded, documentWith, withActions, withResult } from '../decode/document.testing.ts'
import { type TestHost, testHost } from '../host.testing.ts'
import { inspect } from '../inspect.ts'

/** Both ways to execute a ruleset; every test here applies to both. */
const WAYS = { compiled: {}, interpreted: { makeFunction: undefined } } as const

const decision = (
  branches: readonly Value[],
  more: { readonly [key: string]: Value } = { default_next: 'end' },
): Value => ({
  id: 'first',
  type: 'decision',
  branches,
  ...more,
})
const end = (result: { readonly [key: string]: Value }): Value => ({
  id: 'end',
  type: 'terminal',
  result: { code: 'END', message: 'done', ...result },
})
const sets = (name: string, value: Value): Value => ({ action: 'set_variable', name, value })

describe.for(Object.entries(WAYS))('%s', ([, overrides]) => {
  const hostOf = (more: Partial<TestHost> = {}) => testHost({ ...overrides, ...more })
  const run = (document: Value, input: Value = {}, host = hostOf()) =>
    createProgram(decoded(document), host).execute(input)
  const fails = async (document: Value, input: Value = {}, host = hostOf()) => {
    try {
      await run(document, input, host)
      return 'no failure'
    } catch (error) {
      return error
    }
  }

  describe('a decision', () => {
    test('takes the first branch that is true, and runs its actions', () => {
      const document = documentWith({
        steps: {
          first: decision([
            { condition: 'n > 10', next_step: 'big' },
            { condition: 'n > 5', next_step: 'end', actions: [sets('x', 'n * 2')] },
            { condition: 'n > 1', next_step: 'big' },
          ]),
          big: { id: 'big', type: 'terminal', result: { code: 'BIG', message: '' } },
          end: end({ output: [['x', '$x']] }),
        },
      })
      expect(run(document, { n: 7 })).toMatchObject({ code: 'END', output: { x: 14 } })
      expect(run(document, { n: 11 })).toMatchObject({ code: 'BIG' })
      expect(run(document, { n: 0 })).toMatchObject({ code: 'END', output: { x: null } })
    })

    test('without a true branch and a default is an error that names it', async () => {
      const document = documentWith({ steps: { first: decision([{ condition: 'false', next_step: 'end' }], {}) } })
      expect(await fails(document)).toMatchObject({ code: 'no-branch', step: 'first' })
    })
  })

  describe('a terminal', () => {
    test('gives its fields as they are and its evaluated outputs', () =>
      expect(
        run(
          withResult({
            code: 'A',
            message: 'b',
            limit: [1],
            output: [
              ['twice', 'n * 2'],
              ['gone', 'm'],
            ],
          }),
          { n: 4 },
        ),
      ).toMatchObject({
        code: 'A',
        message: 'b',
        output: { limit: [1], twice: 8, gone: null },
      }))

    test('fills in its message when templates are on', () =>
      expect(
        run(withResult({ code: 'A', message: 'pay {n * 2} of {{{total}}}' }, { message_templates: true }), {
          n: 4,
          total: [1],
        }),
      ).toMatchObject({
        message: 'pay 8 of {[1]}',
      }))

    test('leaves braces alone otherwise', () =>
      expect(run(withResult({ code: 'A', message: '{n}' }), { n: 4 })).toMatchObject({ message: '{n}' }))

    test('may not fill a message without end', async () => {
      const document = withResult({ code: 'A', message: '{s}{s}' }, { message_templates: true })
      expect(await fails(document, { s: 'x'.repeat(9_000_000) })).toMatchObject({ step: 'end' })
    })
  })

  describe('actions', () => {
    test('run in order, each seeing what those before it set', () => {
      const host = hostOf()
      const document = withActions(
        sets('x', 'n + 1'),
        sets('$x', '$x * 10'),
        { action: 'log', message: 'seen', level: 'warn' },
        { action: 'metric', name: 'seen', value: '$x', tags: [['a', 'b']] },
      )
      expect(run(document, { n: 1 }, host)).toMatchObject({ code: 'END' })
      expect(host.effects).toEqual([
        ['log', { ruleset: 'sample', step: 'first', level: 'warn', message: 'seen' }],
        ['metric', { ruleset: 'sample', name: 'seen', value: 20, tags: [['a', 'b']] }],
      ])
    })

    test('a failing value fails the execution at its step', async () =>
      expect(await fails(withActions(sets('x', 'n * 2')), { n: 'a' })).toMatchObject({
        step: 'first',
        message: expect.stringContaining('step `first`'),
      }))

    test('call another ruleset, with a mapped input', async () => {
      const host = hostOf()
      host.programs.set(
        'other',
        createProgram(decoded(withResult({ code: 'INNER', message: 'm', output: [['got', '$']] })), host),
      )
      const call = { action: 'call_ruleset', ruleset_name: 'other', input_mapping: '{"k": n}', result_variable: 'r' }
      const document = documentWith({
        steps: {
          first: { id: 'first', type: 'action', actions: [call], next_step: 'end' },
          end: end({ output: [['r', '$r']] }),
        },
      })
      expect(await run(document, { n: 3 }, host)).toMatchObject({
        output: { r: { code: 'INNER', message: 'm', output: { got: { k: 3 } } } },
      })
    })

    test('a missing ruleset is an error that names it', async () =>
      expect(
        await fails(withActions({ action: 'call_ruleset', ruleset_name: 'gone', result_variable: 'r' })),
      ).toMatchObject({
        message: expect.stringContaining('`gone`'),
      }))

    test('a cycle of calls ends with an error', async () => {
      const host = hostOf()
      const ruleset = decoded(withActions({ action: 'call_ruleset', ruleset_name: 'sample', result_variable: 'r' }))
      host.programs.set('sample', createProgram(ruleset, host))
      expect(
        await fails(withActions({ action: 'call_ruleset', ruleset_name: 'sample', result_variable: 'r' }), {}, host),
      ).toMatchObject({ code: 'call-cycle' })
    })
  })

  describe('external calls', () => {
    const call = (more: { readonly [key: string]: Value }) =>
      documentWith({
        steps: {
          first: {
            id: 'first',
            type: 'action',
            actions: [{ action: 'external_call', service: 's', method: 'm', params: [['k', 'n']], ...more }],
            next_step: 'end',
          },
          end: end({ output: [['r', '$r']] }),
        },
      })
    const provider = (answer: () => Promise<Value>): Partial<TestHost> => {
      const called = {
        name: 's',
        operations: ['m'],
        call: async () => ({ payload: await answer(), metadata: { status: 200 } }),
      }
      return { capabilities: { get: (name) => (name === 's' ? called : undefined) } }
    }

    test('wait for the answer when a variable wants it', async () => {
      const host = hostOf(provider(() => Promise.resolve(5)))
      expect(await run(call({ result_variable: 'r' }), { n: 1 }, host)).toMatchObject({
        output: { r: { capability: 's', operation: 'm', payload: 5, metadata: { status: 200 } } },
      })
    })

    test('that fail are an error naming service, method and cause when a variable wants the answer', async () => {
      const host = hostOf(provider(() => Promise.reject(new Error('boom'))))
      const error = (await fails(call({ result_variable: 'r' }), { n: 1 }, host)) as Error
      expect(error).toMatchObject({ code: 'external-call', step: 'first' })
      for (const part of ['s', 'm', 'boom']) expect(error.message).toContain(part)
    })

    test('without a result are counted when they fail', async () => {
      const host = hostOf(provider(() => Promise.reject(new Error('boom'))))
      expect(await run(call({}), { n: 1 }, host)).toMatchObject({ code: 'END' })
      await new Promise((resolve) => setTimeout(resolve, 1))
      expect(host.effects).toEqual([
        ['call failed', expect.objectContaining({ service: 's', method: 'm', cause: expect.stringContaining('boom') })],
      ])
    })

    test('know the caller, the context of the execution, and how long it may still wait', async () => {
      const asked: CapabilityRequest[] = []
      const called = {
        name: 's',
        operations: ['m'],
        call: async (request: CapabilityRequest) => {
          asked.push(request)
          return { payload: null, metadata: {} }
        },
      }
      const context = { trace: 1 }
      const limits: (number | undefined)[] = []
      const limit: TestHost['limit'] = (milliseconds) => {
        limits.push(milliseconds)
        return { signal: new AbortController().signal, dispose: () => undefined }
      }
      const host = hostOf({ capabilities: createCapabilities(called), limit })
      const documents = [{ result_variable: 'r' }, { result_variable: 'r', timeout_ms: 60_000 }, { timeout_ms: 7 }, {}]
      for (const more of documents) await createProgram(decoded(call(more)), host).decide({ n: 1 }, { context })
      expect(asked).toHaveLength(4)
      expect(asked[0]).toMatchObject({ ruleset: 'sample', step: 'first', payload: { k: 1 } })
      expect(asked.map((request) => request.context)).toEqual([context, context, context, context])
      // A call with a result is limited by the ruleset's time; one without a result is not.
      expect(limits).toEqual([5000, 5000, 7, undefined])
    })

    test('of an unknown service are an error that names it', async () =>
      expect(await fails(call({ result_variable: 'r' }), { n: 1 })).toMatchObject({
        code: 'external-call',
        message: expect.stringContaining('`s`'),
      }))
  })

  describe('limits', () => {
    const loop = (config: Value) =>
      documentWith({
        config,
        steps: {
          first: decision([{ condition: '$n >= 100000', next_step: 'end' }], { default_next: 'count' }),
          count: { id: 'count', type: 'action', actions: [sets('n', 'coalesce($n, 0) + 1')], next_step: 'first' },
        },
      })

    test('`max_depth` ends a loop', async () => {
      expect(await fails(loop({ max_depth: 50, timeout_ms: 0 }))).toMatchObject({ code: 'max-depth' })
      expect(await run(loop({ max_depth: 1_000_000, timeout_ms: 0 }))).toMatchObject({ code: 'END' })
    })

    test('`timeout_ms` ends a long execution', async () =>
      // The test host's clock advances by a microsecond at each reading.
      expect(
        await fails(loop({ max_depth: 1_000_000, timeout_ms: 1 }), {}, hostOf({ monotonic: clock(1) })),
      ).toMatchObject({ code: 'timeout' }))
  })

  describe('missing fields', () => {
    const mode = (config: Value) => documentWith({ config, steps: { end: end({ output: [['v', 'a.b']] }) } })

    test('lenient: null', () => expect(run(mode({}))).toMatchObject({ output: { v: null } }))
    test('default: what `defaults` say, else null', () => {
      expect(run(mode({ field_missing: 'default', defaults: { 'a.b': 7 } }))).toMatchObject({ output: { v: 7 } })
      expect(run(mode({ field_missing: 'default', defaults: { x: 7 } }))).toMatchObject({ output: { v: null } })
      expect(run(mode({ field_missing: 'default', defaults: { 'a.b': 7 } }), { a: { b: 1 } })).toMatchObject({
        output: { v: 1 },
      })
    })
    test('strict: an error that names the path', async () =>
      expect(await fails(mode({ field_missing: 'strict' }))).toMatchObject({
        step: 'end',
        message: expect.stringContaining('`a.b`'),
      }))
  })

  test('a trace names the steps of the path', async () => {
    const result = await createProgram(decoded(withActions(sets('x', 1))), hostOf()).execute({}, { trace: true })
    expect(result.trace?.path).toBe('first -> end')
    expect(result.trace?.steps.map(({ id, name }) => [id, name])).toEqual([
      ['first', 'first'],
      ['end', 'end'],
    ])
  })

  describe('a trace of a decision', () => {
    const document = {
      config: { name: 'main', entry_step: 'first' },
      steps: {
        first: {
          id: 'first',
          type: 'decision',
          branches: [
            { condition: 'a.b > 10', next_step: 'end' },
            {
              condition: 'len(list) > 1 || $x == 1',
              actions: [{ action: 'set_variable', name: 'x', value: 'a.b * 2' }],
              next_step: 'end',
            },
          ],
          default_next: 'end',
        },
        end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
      },
    }
    const stepsOf = async (input: Value, options: object, host = hostOf()) => {
      const { trace } = await createProgram(decoded(document), host).execute(input, { trace: true, ...options })
      return trace?.steps.map(({ duration_us: _microseconds, ...step }) => step)
    }
    const last = { id: 'end', name: 'end' }

    test.each([
      [{ a: { b: 11 } }, { branch: 0, condition: 'a.b > 10' }],
      [
        { a: { b: 1 }, list: [1, 2] },
        { branch: 1, condition: 'len(list) > 1 || $x == 1' },
      ],
      [{ a: { b: 1 }, list: [] }, { branch: null }],
    ])('of %j names the branch taken and its condition', async (input, branch) => {
      for (const host of [hostOf(), hostOf({ makeFunction: undefined })])
        expect(await stepsOf(input, {}, host)).toEqual([{ id: 'first', name: 'first', ...branch }, last])
    })

    test('has on request the values in the conditions that were tried, and the variables that were set', async () => {
      expect(await stepsOf({ a: { b: 1 }, list: [1, 2] }, { traceValues: true })).toEqual([
        {
          id: 'first',
          name: 'first',
          branch: 1,
          condition: 'len(list) > 1 || $x == 1',
          values: { 'a.b': 1, list: [1, 2], $x: null },
          variables: { x: 2 },
        },
        last,
      ])
      expect(await stepsOf({ a: { b: 11 } }, { traceValues: true })).toMatchObject([{ values: { 'a.b': 11 } }, last])
    })

    test('leaves out values beyond a million characters, and says so', async () => {
      const input = { a: { b: 1 }, list: ['x'.repeat(1_000_001), 2] }
      const { trace } = await createProgram(decoded(document), hostOf()).execute(input, {
        trace: true,
        traceValues: true,
      })
      expect(trace?.values_truncated).toBe(true)
      expect(trace?.steps[0]?.values).toEqual({ 'a.b': 1, $x: null })
    })

    test('has no values without a trace', async () => {
      const result = await createProgram(decoded(document), hostOf()).execute(
        { a: { b: 11 } },
        { trace: false, traceValues: true },
      )
      expect(result).not.toHaveProperty('trace')
    })
  })

  test('the same moment is `now` in the whole execution, and can be given', async () => {
    const document = withResult({
      code: 'A',
      message: '',
      output: [
        ['a', 'now()'],
        ['b', 'now()'],
      ],
    })
    const program = createProgram(decoded(document), hostOf())
    const { output } = await program.decide({}, { now: 1000 })
    expect(output['a']).toEqual(output['b'])
    expect(output['a']).toBe('1970-01-01T00:00:01.000Z')
  })

  test('shared values cannot be changed by their receivers', async () => {
    const program = createProgram(decoded(withResult({ code: 'A', message: '', list: [1] })), hostOf())
    const { output } = await program.decide({})
    expect(() => (output['list'] as number[]).push(2)).toThrow(TypeError)
  })
})

/** A clock that advances by this much at each reading. */
function clock(step: number): () => number {
  let time = 0
  return () => (time += step)
}

test('an inspection shows each branch that was tried, with what it read', async () => {
  const document = documentWith({
    steps: {
      first: decision([
        { condition: 'a.b > 1', next_step: 'end' },
        { condition: 'c == "x"', next_step: 'end', actions: [sets('v', 1)] },
      ]),
    },
  })
  const { result, steps, error } = await inspect(decoded(document), testHost(), { a: { b: 1 }, c: 'x' })
  expect({ code: result?.code, error }).toEqual({ code: 'END', error: undefined })
  expect(steps[0]).toMatchObject({
    id: 'first',
    type: 'decision',
    branches: [
      { condition: 'a.b > 1', value: false, taken: false, fields: { 'a.b': 1 } },
      { condition: 'c == "x"', value: true, taken: true, fields: { c: 'x' } },
    ],
    variables: { v: 1 },
  })
})

test('an inspection of a failing execution says where it failed', async () => {
  const { result, error } = await inspect(decoded(withActions(sets('x', 'n / (n - 1)'))), testHost(), { n: 1 })
  expect(result).toBeUndefined()
  expect(error).toMatchObject({ step: 'first' })
})

test.each([false, true])('generating code is no part of the duration, traced: %s', async (trace) => {
  let time = 0
  const slow: Host['makeFunction'] = (...parts) => {
    time += 1000
    return makeFunction(...parts)
  }
  const steps = { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '', output: [['x', 'a']] } } }
  const ruleset = decoded({ config: { name: 'r' }, steps })
  const program = createProgram(ruleset, testHost({ makeFunction: slow, monotonic: () => time }))
  expect((await program.execute({ a: 1 }, { trace })).duration_us).toBe(0)
  expect(time).toBe(1000)
  program.prepare(trace)
  expect(time).toBe(1000)
})
