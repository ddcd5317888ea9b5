import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { adultCheck, endless, type TestServer } from '../http/server.testing.ts'
import { connected, silence, waiting } from './connected-client.testing.ts'

describe('limits', () => {
  test('a message as large as a body over HTTP is taken, a larger one is refused', async () => {
    const { server, client } = await connected('--max-request-body-bytes', '20000')
    await server.post('/api/v1/rulesets', adultCheck())
    const sized = (size: number) => ({
      name: 'adult-check',
      input_json: `{"age": 20, "x": "${'x'.repeat(size - 20)}"}`,
    })
    expect(await client.call('Execute', sized(20_000))).toMatchObject({ message: { code: 'ADULT' } })
    expect(await client.call('Execute', sized(30_000))).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
  })

  const failures = async (server: TestServer) =>
    /engine_executions_total\{ruleset="waits",result="error"\} (\d+)/.exec(
      (await server.request('GET', '/metrics')).text,
    )?.[1]

  test('the deadline of the caller ends the call, and the execution with it', async () => {
    const { server, client } = await connected()
    await server.post('/api/v1/rulesets', waiting((await silence()).url))
    const reply = await client.call('Execute', { name: 'waits', input_json: '{}' }, { deadline: 2000 })
    expect(reply).toMatchObject({ code: status.DEADLINE_EXCEEDED })
    await expect.poll(() => failures(server)).toBe('1')
  })

  test('a caller that cancels is not waited for', async () => {
    const { server, client } = await connected()
    const { url, called } = await silence()
    await server.post('/api/v1/rulesets', waiting(url))
    const reply = await client.call(
      'Execute',
      { name: 'waits', input_json: '{}' },
      { begun: (call) => void called.then(() => call.cancel()) },
    )
    expect(reply).toMatchObject({ code: status.CANCELLED })
    await expect.poll(() => failures(server)).toBe('1')
  })

  test('the time limit of the server ends a call', async () => {
    const { server, client } = await connected('--request-timeout-secs', '1')
    await server.post('/api/v1/rulesets', waiting((await silence()).url))
    expect(await client.call('Execute', { name: 'waits', input_json: '{}' })).toEqual({
      code: status.DEADLINE_EXCEEDED,
      details: 'the call was not answered within 1 s (--request-timeout-secs)',
    })
  })

  test('the time limit of a ruleset is a deadline too while it waits for another service', async () => {
    const { server, client } = await connected()
    await server.post('/api/v1/rulesets', waiting((await silence()).url, { timeout_ms: 50 }))
    expect(await client.call('Execute', { name: 'waits', input_json: '{}' })).toEqual({
      code: status.DEADLINE_EXCEEDED,
      details: expect.stringContaining('the rest of config.timeout_ms'),
    })
  })

  test('a stream has the time limit of the server for each message, and may wait longer for the next', async () => {
    const { server, client } = await connected('--request-timeout-secs', '1')
    await server.post('/api/v1/rulesets', waiting((await silence()).url))
    await server.post('/api/v1/rulesets', adultCheck())
    const stream = client.stream('ExecuteStream')
    const failed = once(stream, 'error')
    stream.write({ name: 'adult-check', input_json: '{"age": 20}' })
    await once(stream, 'data')
    stream.resume()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    stream.write({ name: 'adult-check', input_json: '{"age": 21}' })
    const [late] = await once(stream, 'data')
    expect(late).toMatchObject({ index: 1, result: { code: 'ADULT' } })
    stream.write({ name: 'waits', input_json: '{}' })
    expect(await failed).toMatchObject([{ code: status.DEADLINE_EXCEEDED }])
  })

  test('the time limit of a ruleset is a deadline too, another failure of its rules is not', async () => {
    const { server, client } = await connected()
    const loop = endless('loops', { timeout_ms: 20 })
    expect((await server.post('/api/v1/rulesets', loop)).status).toBe(201)
    expect(await client.call('Execute', { name: 'loops', input_json: '{}' })).toEqual({
      code: status.DEADLINE_EXCEEDED,
      details: expect.stringContaining('exceeded 20 ms'),
    })
    await server.post('/api/v1/rulesets', { ...loop, config: { ...loop.config, max_depth: 10 } })
    expect(await client.call('Execute', { name: 'loops', input_json: '{}' })).toMatchObject({
      code: status.FAILED_PRECONDITION,
    })
  })
})
