import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import type { Message } from './client.testing.ts'
import { adult, connectedForAll } from './connected-client.testing.ts'

const engine = connectedForAll()

test('Execute', async () => {
  expect(await engine.client.call('Execute', adult)).toEqual({
    message: {
      code: 'ADULT',
      message: 'may order',
      output_json: '{"limit":100}',
      duration_us: expect.any(Number),
      trace: null,
      receipt_json: Buffer.alloc(0),
      violations: 0,
    },
  })
})

test('Execute with its trace', async () => {
  const reply = (await engine.client.call('Execute', { ...adult, trace: true })) as { message: Message }
  const step = { duration_us: expect.any(Number), condition: '', values_json: '', variables_json: '' }
  expect(reply.message.trace).toEqual({
    path: 'check -> yes',
    steps: [
      { ...step, id: 'check', name: 'Old enough?', branch: 0, _branch: 'branch', condition: 'age >= 18' },
      { ...step, id: 'yes', name: 'Adult' },
    ],
    values_truncated: false,
  })
})

test('a trace with the values of fields', async () => {
  const traced = { trace: true, trace_values: true }
  const values = { path: 'check -> no', steps: [{ branch: -1, values_json: '{"age":3}' }, { id: 'no' }] }
  const minor = { ...adult, input_json: '{"age": 3}', ...traced }
  expect(await engine.client.call('Execute', minor)).toMatchObject({ message: { trace: values } })
  const many = { name: 'adult-check', inputs_json: ['{"age": 3}'], ...traced }
  expect(await engine.client.call('BatchExecute', many)).toMatchObject({ message: { results: [{ trace: values }] } })
  expect(await engine.client.call('Execute', { ...adult, trace_values: true })).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('it needs `trace` to be `true`'),
  })
})

test('a trace is made on request, whatever the ruleset says', async () => {
  const config = { name: 'traced', enable_trace: true }
  await engine.server.post('/api/v1/rulesets', adultCheck({ config }))
  onTestFinished(async () => void (await engine.server.request('DELETE', '/api/v1/rulesets/traced')))
  const traceOf = async (more: object) => {
    const reply = (await engine.client.call('Execute', { ...adult, name: 'traced', ...more })) as { message: Message }
    return reply.message.trace?.path
  }
  expect(await traceOf({})).toBe(undefined)
  expect(await traceOf({ trace: true })).toBe('check -> yes')
  expect(await traceOf({ trace: false })).toBe(undefined)
})

test('gives the same as HTTP', async () => {
  const reply = (await engine.client.call('Execute', { ...adult, input_json: '{"age": 3}' })) as { message: Message }
  const { body } = await engine.server.post('/api/v1/execute/adult-check', { input: { age: 3 } })
  expect(reply.message).toMatchObject({
    code: body.code,
    message: body.message,
    output_json: JSON.stringify(body.output),
  })
})

test('ListRuleSets', async () => {
  expect(await engine.client.call('ListRuleSets', {})).toEqual({
    message: {
      rulesets: [
        { name: 'adult-check', version: '1.0.0', description: 'who may order', step_count: 3 },
        { name: 'other', version: '1.0.0', description: '', step_count: 3 },
      ],
    },
  })
})

test('GetRuleSet', async () => {
  const reply = (await engine.client.call('GetRuleSet', { name: 'other' })) as { message: Message }
  expect(JSON.parse(reply.message.ruleset_json)).toEqual(adultCheck({ config: { name: 'other' } }))
})

test('Health', async () => {
  expect(await engine.client.call('Health', {})).toEqual({
    message: {
      status: 'healthy',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      uptime_seconds: expect.any(Number),
      rules_count: 2,
    },
  })
})

test.each([
  ['upper(name)', '{"name": "ada"}', { result_json: '"ADA"', parsed: 'upper(name)' }],
  ['1 + 2', '', { result_json: '3', parsed: '(1 + 2)' }],
  ['n', '{"n": 9007199254740993}', { result_json: '9007199254740993', parsed: 'n' }],
])('Eval %s in %s', async (expression, context_json, message) => {
  expect(await engine.client.call('Eval', { expression, context_json })).toEqual({ message })
})

test.each<{ method: string; request: object; code: number; details: string | RegExp }>([
  {
    method: 'Execute',
    request: { name: 'nope', input_json: '{}' },
    code: status.NOT_FOUND,
    details: 'ruleset `nope` not found',
  },
  {
    method: 'Execute',
    request: { name: '../x', input_json: '{}' },
    code: status.NOT_FOUND,
    details: 'ruleset `../x` not found',
  },
  {
    method: 'Execute',
    request: { input_json: '{}' },
    code: status.INVALID_ARGUMENT,
    details: '`name` is missing: the name of a ruleset',
  },
  {
    method: 'Execute',
    request: { name: 'other' },
    code: status.INVALID_ARGUMENT,
    details: /`input_json` cannot be read as JSON: /,
  },
  {
    method: 'Execute',
    request: { name: 'other', input_json: '{"a":' },
    code: status.INVALID_ARGUMENT,
    details: /`input_json` cannot be read as JSON: .*line 1, column 6/,
  },
  {
    method: 'Execute',
    request: { name: 'other', input_json: '[1]' },
    code: status.INVALID_ARGUMENT,
    details: '`input` must be an object, found a list',
  },
  {
    method: 'Execute',
    request: { name: 'other', input_json: '['.repeat(200_000) },
    code: status.INVALID_ARGUMENT,
    details: /cannot be read as JSON: .*128/,
  },
  {
    method: 'Execute',
    request: { name: 'other', input_json: '{"age": "x"}' },
    code: status.FAILED_PRECONDITION,
    details: /^`>=` is not defined for string and number/,
  },
  { method: 'GetRuleSet', request: { name: 'nope' }, code: status.NOT_FOUND, details: 'ruleset `nope` not found' },
  {
    method: 'GetRuleSet',
    request: {},
    code: status.INVALID_ARGUMENT,
    details: '`name` is missing: the name of a ruleset',
  },
  { method: 'Eval', request: { expression: '1 +' }, code: status.INVALID_ARGUMENT, details: /line 1, column 4/ },
  {
    method: 'Eval',
    request: { expression: '1', context_json: '[]' },
    code: status.INVALID_ARGUMENT,
    details: '`context_json` must be an object, found a list',
  },
  {
    method: 'Eval',
    request: { expression: '1', context_json: '{' },
    code: status.INVALID_ARGUMENT,
    details: /`context_json` cannot be read as JSON/,
  },
  {
    method: 'BatchExecute',
    request: { name: 'nope', inputs_json: ['{}'] },
    code: status.NOT_FOUND,
    details: 'ruleset `nope` not found',
  },
  {
    method: 'BatchExecute',
    request: { name: 'other' },
    code: status.INVALID_ARGUMENT,
    details: '`inputs_json` must have 1 to 100000 items, found 0',
  },
])('$method $request fails with $details', async ({ method, request, code, details }) => {
  const reply = await engine.client.call(method, request)
  expect(reply).toEqual({ code, details: typeof details === 'string' ? details : expect.stringMatching(details) })
})

test('BatchExecute: one that fails does not fail the others', async () => {
  const inputs_json = ['{"age": 20}', '{"age": ', '[]', '{}']
  const reply = (await engine.client.call('BatchExecute', { name: 'other', inputs_json })) as { message: Message }
  const { results, summary } = reply.message
  expect(results.map(({ code }: Message) => code)).toEqual(['ADULT', 'error', 'error', 'MINOR'])
  expect(results[1]).toMatchObject({ output_json: '', error: results[1].message, duration_us: expect.any(Number) })
  expect(results[1].error).toMatch(/^`inputs_json\[1\]` cannot be read as JSON: /)
  expect(summary).toEqual({ total: 4, success: 2, failed: 2, total_duration_us: expect.any(Number) })
  const stopped = (await engine.client.call('BatchExecute', { name: 'other', inputs_json, stop_on_error: true })) as {
    message: Message
  }
  expect(stopped.message.results).toHaveLength(2)
  expect(stopped.message.summary).toMatchObject({ total: 4, success: 1, failed: 1 })
})
