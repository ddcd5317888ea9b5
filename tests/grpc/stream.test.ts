import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import type { Message } from './client.testing.ts'
import { connectedForAll } from './connected-client.testing.ts'

const engine = connectedForAll()

test('answers in order, names the ruleset once, and continues after an input that fails', async () => {
  const stream = engine.client.stream('ExecuteStream')
  const answers: Message[] = []
  stream.on('data', (message: Message) => answers.push(message))
  stream.write({ name: 'other', input_json: '{"age": 20}' })
  stream.write({ input_json: 'x' })
  stream.write({ input_json: '{"age": 2}', trace: true })
  stream.write({ name: 'adult-check', input_json: '{"age": 20}' })
  stream.end()
  await once(stream, 'end')
  expect(answers.map(({ index, result }) => [index, result.code, result.trace?.path])).toEqual([
    [0, 'ADULT', undefined],
    [1, 'error', undefined],
    [2, 'MINOR', 'check -> no'],
    [3, 'ADULT', undefined],
  ])
})

test('is answered input by input', async () => {
  const stream = engine.client.stream('ExecuteStream')
  for (let index = 0; index < 3; index++) {
    stream.write({ name: 'other', input_json: `{"age": ${index}}` })
    const [message] = (await once(stream, 'data')) as [Message]
    expect(message.index).toBe(index)
  }
  stream.end()
  stream.resume()
  await once(stream, 'end')
})

test('decides with the ruleset stored when the input arrives', async () => {
  const stream = engine.client.stream('ExecuteStream')
  const ask = async () => {
    stream.write({ name: 'changes', input_json: '{"age": 20}' })
    const [{ result }] = (await once(stream, 'data')) as [Message]
    return result.code
  }
  const codes: string[] = []
  for (const code of ['FIRST', 'SECOND']) {
    const yes = { id: 'yes', type: 'terminal', result: { code, message: '' } }
    await engine.server.post('/api/v1/rulesets', adultCheck({ config: { name: 'changes' }, steps: { yes } }))
    codes.push(await ask())
  }
  await engine.server.request('DELETE', '/api/v1/rulesets/changes')
  stream.end()
  stream.resume()
  await once(stream, 'end')
  expect(codes).toEqual(['FIRST', 'SECOND'])
})

test('ends when the ruleset does not exist', async () => {
  const stream = engine.client.stream('ExecuteStream')
  stream.resume()
  const failed = once(stream, 'error')
  stream.write({ name: 'nope', input_json: '{}' })
  expect(await failed).toMatchObject([{ code: status.NOT_FOUND, details: 'ruleset `nope` not found' }])
})

test('10,000 inputs that are read late: nothing is lost', async () => {
  const stream = engine.client.stream('ExecuteStream')
  const writing = (async () => {
    for (let index = 0; index < 10_000; index++)
      if (!stream.write({ name: 'other', input_json: `{"age": ${index % 40}}` })) await once(stream, 'drain')
    stream.end()
  })()
  let count = 0
  for await (const { index, result } of stream as AsyncIterable<Message>) {
    if (index !== count || result.code !== (count % 40 >= 18 ? 'ADULT' : 'MINOR')) break
    count++
    if (count % 2500 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await writing
  expect(count).toBe(10_000)
})
