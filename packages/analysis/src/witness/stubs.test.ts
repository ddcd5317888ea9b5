import { LENIENT, type ObjectValue, parse, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import type { AskedCall } from '../formula/answers.ts'
import { TRUE } from '../search/solver.ts'
import { Stubs, wantFailure } from './stubs.ts'

function expressionOf(text: string) {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  return read.expression
}

/** A call of `s.get` whose answer is the member `A`. */
function asked(
  some: { readonly [Key in 'parameters']?: string } & { earlier?: readonly string[] } & Partial<
      Pick<AskedCall, 'service' | 'method' | 'member'>
    > = {},
): AskedCall {
  const { parameters = '{"k": n}', earlier = [], ...rest } = some
  return {
    service: 's',
    method: 'get',
    member: 'A',
    policy: LENIENT,
    fails: TRUE,
    ...rest,
    parameters: expressionOf(parameters),
    earlier: earlier.map(expressionOf),
  }
}

const ANY = { payload: null, metadata: {} }
const WANTED: ObjectValue = { payload: 7, metadata: { m: 1 } }

type Made = readonly [service: string, method: string, parameters: Value]
const GET: Made = ['s', 'get', { k: 1 }]
const OTHER: Made = ['s', 'get', { k: 2 }]

const FIRST = asked()
const SECOND = asked({ member: 'B', earlier: ['{"k": 1}'] })
const UNKNOWN = asked({ earlier: ['$before'] })
const FAILING = asked({ parameters: '{"k": to_number("x")}' })

test.each<[title: string, calls: readonly AskedCall[], input: ObjectValue, made: readonly Made[], answers: unknown[]]>([
  ['the wanted answer', [FIRST], { n: 1, A: WANTED }, [GET], [WANTED]],
  ['any answer to other parameters', [FIRST], { n: 1, A: WANTED }, [OTHER], [ANY]],
  ['any answer to another method', [FIRST], { n: 1, A: WANTED }, [['s', 'put', { k: 1 }]], [ANY]],
  ['any answer of another service', [FIRST], { n: 1, A: WANTED }, [['t', 'get', { k: 1 }]], [ANY]],
  [
    'the wanted answer after one of another service and one of another method',
    [FIRST],
    { n: 1, A: WANTED },
    [['t', 'get', { k: 1 }], ['s', 'put', { k: 1 }], GET],
    [ANY, ANY, WANTED],
  ],
  [
    'the wanted answer at once where calls before it had other parameters',
    [asked({ earlier: ['{"k": 2}', '{"k": n + 3}'] })],
    { n: 1, A: WANTED },
    [OTHER, GET, GET],
    [ANY, WANTED, ANY],
  ],
  [
    'the wanted answer to each call where the parameters of an earlier one fail',
    [asked({ earlier: ['{"k": to_number("x")}'] })],
    { n: 1, A: WANTED },
    [GET, GET],
    [WANTED, WANTED],
  ],
  ['any answer where none is wanted', [FIRST], { n: 1 }, [GET], [ANY]],
  ['the wanted answer to the first of two calls', [FIRST], { n: 1, A: WANTED }, [GET, GET], [WANTED, ANY]],
  ['the wanted answer to the second of two calls', [SECOND], { n: 1, B: WANTED }, [GET, GET], [ANY, WANTED]],
  [
    'an answer for each of two calls',
    [FIRST, SECOND],
    { n: 1, A: { payload: 1 }, B: WANTED },
    [GET, GET],
    [{ payload: 1, metadata: {} }, WANTED],
  ],
  [
    'the second answer after a call with other parameters',
    [SECOND],
    { n: 1, B: WANTED },
    [OTHER, GET, GET],
    [ANY, ANY, WANTED],
  ],
  [
    'the wanted answer to each call whose history is unknown',
    [UNKNOWN],
    { n: 1, A: WANTED },
    [GET, GET],
    [WANTED, WANTED],
  ],
  ['any answer where the wanted parameters fail', [FAILING], { n: 1, A: WANTED }, [GET], [ANY]],
  ['a failure', [FIRST], { n: 1, A: { fails: true } }, [GET], [undefined]],
  ['no failure', [FIRST], { n: 1, A: { fails: false, payload: 2 } }, [GET], [{ payload: 2, metadata: {} }]],
  ['an answer instead of another value', [FIRST], { n: 1, A: 3 }, [GET], [ANY]],
  [
    'an answer whose metadata are no object',
    [FIRST],
    { n: 1, A: { payload: 3, metadata: 3 } },
    [GET],
    [{ payload: 3, metadata: {} }],
  ],
])('calls get %s', (_title, calls, input, made, answers) => {
  const stubs = new Stubs(calls, input, 0)
  for (let execution = 0; execution < 2; execution++) {
    const one = stubs.begin()
    const got = made.map((call) => one.take(...call))
    expect(got.map((found) => found?.answer)).toEqual(answers)
  }
  // The second execution adds no call.
  expect(stubs.calls.map(({ service, method, parameters }) => [service, method, parameters])).toEqual(made)
})

test.each<
  [title: string, calls: readonly AskedCall[], input: ObjectValue, made: readonly Made[], effective: ObjectValue]
>([
  ['nothing without calls', [FIRST], { n: 1 }, [], { n: 1 }],
  ['the answer of a call', [FIRST], { n: 1 }, [GET], { n: 1, A: ANY }],
  ['no answer to other parameters', [FIRST], { n: 1 }, [OTHER], { n: 1 }],
  ['the answer of the second call', [SECOND], { n: 1, B: WANTED }, [GET, GET], { n: 1, B: WANTED }],
  ['no answer of a second call', [SECOND], { n: 1 }, [GET], { n: 1 }],
  ['nothing of a call that fails', [FIRST], { n: 1, A: { fails: true } }, [GET], { n: 1, A: {} }],
  ['the first answer where the history is unknown', [UNKNOWN], { n: 1 }, [GET, GET], { n: 1, A: ANY }],
])('the input of an execution gets %s', (_title, calls, input, made, effective) => {
  const stubs = new Stubs(calls, input, 0)
  const one = stubs.begin()
  for (const call of made) one.take(...call)
  expect(stubs.effective({ input, now: 3 })).toEqual({ input: effective, now: 3 })
})

test('a failure is wanted among the members of an input', () => {
  const input = { n: 1 }
  wantFailure(input, FIRST)
  const stubs = new Stubs([FIRST], input, 0)
  stubs.begin().take(...GET)
  expect(stubs.calls).toEqual([{ service: 's', method: 'get', parameters: { k: 1 }, error: 'the service failed' }])
})

test('parameters are evaluated at the time of the execution', () => {
  const call = asked({ parameters: '{"k": now_millis()}' })
  const answers = [5, 6].map((now) => new Stubs([call], { A: WANTED }, now).begin().take('s', 'get', { k: 5 })?.answer)
  expect(answers).toEqual([WANTED, ANY])
})
