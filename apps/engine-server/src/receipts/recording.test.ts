import type { CapabilityProvider, CapabilityRequest, CapabilityResponse, Program } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { CallContext } from '../capabilities/call-context.ts'
import { Hops } from '../capabilities/hops.ts'
import { ExecutionRecording, recordedCapabilities } from './recording.ts'

/* What an execution leaves for its receipt: the external calls that it waited for, and the rulesets that it called. */

const ANSWER: CapabilityResponse = { payload: { score: 7 }, metadata: { status: 200 } }
const newRecording = () => new ExecutionRecording(undefined, new Hops(0), 1)

function requestIn(context: unknown, more: Partial<CapabilityRequest> = {}): CapabilityRequest {
  const payload = { id: 1 }
  const signal = new AbortController().signal
  const place = { capability: 'bureau', operation: 'score', ruleset: 'own', step: 'ask' }
  return { ...place, payload, context, isAwaited: true, timeoutMs: undefined, signal, ...more }
}

/** The recorded form of a provider that answers so. */
function recorded(call: CapabilityProvider['call']): CapabilityProvider {
  const provider = { name: 'bureau', operations: ['score'], call }
  const found = recordedCapabilities({ get: () => provider }).get('bureau')
  if (found === undefined) throw new Error('the provider is not there')
  return found
}

describe('an external call', () => {
  const shown = { step: 'ask', service: 'bureau', method: 'score', parameters: { id: 1 } }

  test.each<[title: string, call: CapabilityProvider['call'], outcome: object]>([
    ['its answer', async () => ANSWER, { answer: ANSWER }],
    ['the message of its failure', () => Promise.reject(new Error('refused')), { error: 'refused' }],
    ['a failure that is no error', () => Promise.reject<CapabilityResponse>('refused'), { error: 'refused' }],
    [
      'an error that is thrown at once',
      () => {
        throw new Error('not allowed')
      },
      { error: 'not allowed' },
    ],
  ])('is recorded with %s, which the rule gets as well', async (_, call, outcome) => {
    const recording = newRecording()
    const provider = recorded(call)
    const seen = await Promise.try(() => provider.call(requestIn(recording))).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : error }),
    )
    expect(seen).toEqual(outcome)
    expect(recording.calls).toEqual([{ ...shown, ...outcome }])
  })

  test('keeps members of an answer beside payload and metadata out of the receipt', async () => {
    const recording = newRecording()
    await recorded(async () => ({ ...ANSWER, raw: 'bytes' })).call(requestIn(recording))
    expect(recording.calls).toEqual([{ ...shown, answer: ANSWER }])
  })

  test.each<[title: string, request: (recording: ExecutionRecording) => CapabilityRequest]>([
    ['that no rule waits for', (recording) => requestIn(recording, { isAwaited: false })],
    ['of an execution without a receipt', () => requestIn(new CallContext(undefined, new Hops(0)))],
    ['without a context', () => requestIn(undefined)],
  ])('%s is made, and not recorded', async (_, request) => {
    const recording = newRecording()
    expect(await recorded(async () => ANSWER).call(request(recording))).toEqual(ANSWER)
    expect(recording.calls).toEqual([])
  })

  test('that ends after its time has no answer, since the rule did not see it', async () => {
    const recording = newRecording()
    const controller = new AbortController()
    const late = Promise.withResolvers<CapabilityResponse>()
    const ended = recorded(() => late.promise).call(requestIn(recording, { signal: controller.signal }))
    expect(recording.calls).toEqual([{ ...shown, error: 'no answer' }])
    controller.abort()
    late.resolve(ANSWER)
    await ended
    expect(recording.calls).toEqual([{ ...shown, error: 'no answer in time' }])
  })

  test('has the place of its beginning in the order', async () => {
    const recording = newRecording()
    const slow = Promise.withResolvers<CapabilityResponse>()
    const first = recorded(() => slow.promise).call(requestIn(recording, { step: 'first' }))
    await recorded(async () => ANSWER).call(requestIn(recording, { step: 'second' }))
    slow.resolve(ANSWER)
    await first
    expect(recording.calls.map(({ step }) => step)).toEqual(['first', 'second'])
  })
})

describe('recorded capabilities', () => {
  test('have one provider for each of the host, with its name and operations', () => {
    const provider = { name: 'bureau', operations: ['score'], call: async () => ANSWER }
    const capabilities = recordedCapabilities({ get: (name) => (name === 'bureau' ? provider : undefined) })
    expect(capabilities.get('bureau')).toMatchObject({ name: 'bureau', operations: ['score'] })
    expect(capabilities.get('bureau')).toBe(capabilities.get('bureau'))
    expect(capabilities.get('other')).toBeUndefined()
  })
})

describe('an execution', () => {
  test('names the programs that it called in the order of first use, each once', () => {
    const [one, other] = [{}, {}] as [Program, Program]
    const recording = newRecording()
    for (const program of [other, one, other]) recording.reached(program)
    expect(recording.used.length).toBe(2)
    expect(recording.used[0]).toBe(other)
    expect(recording.used[1]).toBe(one)
  })

  test('has no place without a receipt, and keeps its clock', async () => {
    const recording = ExecutionRecording.withoutReceipt(undefined, new Hops(0), 42)
    expect(recording.now).toBe(42)
    expect(await recording.place).toBeUndefined()
  })

  test('has the place that its receipt got', async () => {
    const recording = newRecording()
    recording.placed(Promise.resolve('eu-1/uuid#3'))
    expect(await recording.place).toBe('eu-1/uuid#3')
  })

  test('whose receipt cannot be written ends no process, and tells those who ask for its place', async () => {
    const recording = newRecording()
    recording.placed(Promise.reject(new Error('the disk is full')))
    await new Promise(setImmediate)
    await expect(recording.place).rejects.toThrow('the disk is full')
  })
})
