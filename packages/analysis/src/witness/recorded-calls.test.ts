import { expect, test } from 'vitest'
import { RecordedAnswers, type RecordedCall } from './recorded-calls.ts'

const call = (service: string, method: string, k: number, payload: number): RecordedCall => ({
  service,
  method,
  parameters: { k, m: 0 },
  answer: { payload },
})

const CALLS = [
  call('s', 'get', 1, 10),
  call('s', 'get', 2, 20),
  call('s', 'get', 1, 11),
  call('t', 'get', 1, 30),
  call('s', 'put', 1, 40),
]

test.each<[service: string, method: string, k: number, payloads: readonly (number | undefined)[]]>([
  ['s', 'get', 1, [10, 11, undefined]],
  ['s', 'get', 2, [20, undefined]],
  ['t', 'get', 1, [30, undefined]],
  ['s', 'put', 1, [40, undefined]],
  ['s', 'get', 3, [undefined]],
  ['t', 'put', 1, [undefined]],
])('calls of %s.%s with %d have the answers %j in turn', (service, method, k, payloads) => {
  const answers = new RecordedAnswers(CALLS)
  // Parameters have no order.
  const taken = payloads.map(() => answers.take(service, method, { m: 0, k })?.answer?.['payload'])
  expect(taken).toEqual(payloads)
})
