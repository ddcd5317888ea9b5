import { once } from 'node:events'
import { loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { expect, onTestFinished, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { clientOf, HEALTH_PROTO, LOADING, type Message } from './client.testing.ts'
import { adult, connected, silence, waiting } from './connected-client.testing.ts'

test('a stream that waits for its caller ends with UNAVAILABLE', async () => {
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', adultCheck())
  const stream = client.stream('ExecuteStream')
  stream.write(adult)
  await once(stream, 'data')
  const failed = once(stream, 'error')
  stream.resume()
  await server.stop(60_000)
  expect(await failed).toMatchObject([{ code: status.UNAVAILABLE, details: 'the server is shutting down' }])
})

test('of many streams the remaining ones end with UNAVAILABLE, in whatever order the others have ended', async () => {
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', adultCheck())
  const opened = async () => {
    const stream = client.stream('ExecuteStream')
    stream.write(adult)
    await once(stream, 'data')
    return { stream, failed: once(stream.resume(), 'error') }
  }
  const first = await Promise.all(Array.from({ length: 40 }, opened))
  for (const [index, { stream }] of first.entries()) if (index % 3 !== 1) stream.cancel()
  const second = await Promise.all(Array.from({ length: 40 }, opened))
  for (const [index, { stream }] of second.toReversed().entries()) if (index % 4 !== 1) stream.cancel()
  await client.call('Execute', adult)
  await server.stop(60_000)
  const ended = await Promise.all([...first, ...second].map(async ({ failed }) => (await failed)[0].code))
  expect(ended.filter((code) => code === status.CANCELLED)).toHaveLength(27 + 30)
  expect(ended.filter((code) => code === status.UNAVAILABLE)).toHaveLength(13 + 10)
})

test('a stream ends with UNAVAILABLE after the answer to the message in hand', async () => {
  const { url, called, answer } = await silence()
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', waiting(url))
  const stream = client.stream('ExecuteStream')
  const answers: Message[] = []
  stream.on('data', (message: Message) => answers.push(message))
  const failed = once(stream, 'error')
  stream.write({ name: 'waits', input_json: '{}' })
  stream.write({ name: 'waits', input_json: '{}' })
  await called
  const stopped = server.stop(60_000)
  answer()
  expect(await failed).toMatchObject([{ code: status.UNAVAILABLE }])
  expect(answers.map(({ result }) => result.code)).toEqual(['OK'])
  await stopped
})

test('watchers of the health are notified however late, and end with UNAVAILABLE', async () => {
  const { server } = await connected('--request-timeout-secs', '1')
  const health = clientOf(loadPackageDefinition(loadSync(HEALTH_PROTO, LOADING)), 'grpc.health.v1.Health', server.grpc)
  onTestFinished(() => health.close())
  const watch = health.watch('Watch', { service: 'engine.EngineService' })
  const found: number[] = []
  watch.on('data', ({ status: serving }: Message) => found.push(serving))
  const failed = once(watch, 'error')
  await once(watch, 'data')
  // Longer than a call may take to be answered.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await server.stop(60_000)
  expect(await failed).toMatchObject([{ code: status.UNAVAILABLE }])
  expect(found).toEqual([1, 2])
})

test('an unknown service can be watched', async () => {
  const { server } = await connected()
  const health = clientOf(loadPackageDefinition(loadSync(HEALTH_PROTO, LOADING)), 'grpc.health.v1.Health', server.grpc)
  onTestFinished(() => health.close())
  const watch = health.watch('Watch', { service: 'other' }).on('error', () => {})
  expect(await once(watch, 'data')).toEqual([{ status: 3 }])
  watch.cancel()
})
