import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import type { AbortSignalLike, CapabilityProvider, CapabilityRequest } from '../capability.ts'
import { createCapabilities } from '../capability-registry.ts'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { decoded, documentWith, withActions, withResult } from '../decode/document.testing.ts'
import { type TestHost, testHost } from '../host.testing.ts'
import { inspect } from '../inspect.ts'

type More = { readonly [key: string]: Value }

const call = (more: More = {}): Value => ({
  action: 'external_call',
  service: 's',
  method: 'm',
  params: [['k', '1']],
  ...more,
})

/** A provider that answers on demand, or when its signal aborts. */
function slowProvider() {
  const asked: CapabilityRequest[] = []
  const provider: CapabilityProvider = {
    name: 's',
    operations: ['m'],
    call: (request) => {
      asked.push(request)
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(new Error('the signal aborted'))),
      )
    },
  }
  return { asked, provider }
}

/** Counts the listeners. */
class CountingSignal implements AbortSignalLike {
  aborted = false
  most = 0
  readonly listeners = new Set<() => void>()
  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener)
    this.most = Math.max(this.most, this.listeners.size)
  }
  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener)
  }
  abort(): void {
    this.aborted = true
    for (const listener of this.listeners) listener()
  }
}

describe.for([
  ['compiled', {}],
  ['interpreted', { makeFunction: undefined }],
] as const)('%s', ([, overrides]) => {
  const hostOf = (more: Partial<TestHost> = {}) => testHost({ ...overrides, ...more })
  const failureOf = async (run: () => unknown): Promise<unknown> => {
    try {
      return await run()
    } catch (error) {
      return error
    }
  }

  describe('a call that is wrong in itself fails the execution, whether or not its answer is waited for', () => {
    const picky: CapabilityProvider = {
      name: 'picky',
      operations: ['m'],
      call: () => {
        throw new Error('`url` must be a text')
      },
    }
    test.each<[string, More, string]>([
      ['a capability that does not exist', { service: 'network.htpp' }, 'there is no capability `network.htpp`'],
      [
        'an operation that it does not have',
        { service: 'picky', method: 'psot' },
        'it has no operation `psot`, only m',
      ],
      ['a payload that it refuses', { service: 'picky' }, '`url` must be a text'],
    ])('%s', async (_what, more, cause) => {
      for (const variable of [{}, { result_variable: 'r' }]) {
        const host = hostOf({ capabilities: createCapabilities(picky) })
        const program = createProgram(decoded(withActions(call({ ...more, ...variable }))), host)
        expect(await failureOf(() => program.decide({}))).toMatchObject({
          code: 'external-call',
          step: 'first',
          message: expect.stringContaining(cause),
        })
        expect(host.effects).toEqual([])
      }
    })
  })

  describe('the end of the request', () => {
    /** `outer` calls `inner`, which makes the call. */
    function nested(host: TestHost) {
      const inner = decoded(withActions(call({ result_variable: 'r' })))
      host.programs.set('inner', createProgram(inner, host))
      return withActions({ action: 'call_ruleset', ruleset_name: 'inner', result_variable: 'r' })
    }
    test.each(['direct', 'nested'] as const)('ends the call that is waited for: %s', async (way) => {
      const { asked, provider } = slowProvider()
      const host = hostOf({ capabilities: createCapabilities(provider) })
      const renamed = { ...decoded(nested(host)), config: { ...decoded(nested(host)).config, name: 'outer' } }
      const ruleset = way === 'direct' ? decoded(withActions(call({ result_variable: 'r' }))) : renamed
      for (const begin of [
        (signal: AbortSignalLike) => createProgram(ruleset, host).decide({}, { signal }),
        async (signal: AbortSignalLike) => {
          const { error } = await inspect(ruleset, host, {}, { signal })
          throw Object.assign(new Error(), error)
        },
      ]) {
        const signal = new CountingSignal()
        const failure = failureOf(() => begin(signal))
        expect(asked.at(-1)?.signal.aborted).toBe(false)
        signal.abort()
        expect(asked.at(-1)?.signal.aborted).toBe(true)
        expect(await failure).toMatchObject({ code: 'abandoned' })
        expect(signal.listeners.size).toBe(0)
      }
    })

    test('does not affect a call that is not waited for', async () => {
      const { asked, provider } = slowProvider()
      const signal = new CountingSignal()
      const host = hostOf({ capabilities: createCapabilities(provider) })
      expect(await createProgram(decoded(withActions(call())), host).decide({}, { signal })).toMatchObject({
        code: 'END',
      })
      signal.abort()
      expect(asked[0]?.signal.aborted).toBe(false)
    })

    test('before the call: it is not made', async () => {
      const { asked, provider } = slowProvider()
      const signal = new CountingSignal()
      signal.aborted = true
      const host = hostOf({ capabilities: createCapabilities(provider) })
      const program = createProgram(decoded(withActions(call({ result_variable: 'r' }))), host)
      expect(await failureOf(() => program.decide({}, { signal }))).toMatchObject({ code: 'abandoned' })
      expect(asked).toEqual([])
    })
  })

  test('a thousand calls leave neither a listener nor a time limit behind', async () => {
    const signal = new CountingSignal()
    const quick: CapabilityProvider = {
      name: 's',
      operations: ['m'],
      call: () => Promise.resolve({ payload: 1, metadata: {} }),
    }
    let open = 0
    const host = hostOf({
      capabilities: createCapabilities(quick),
      limit: () => {
        open++
        return { signal: new AbortController().signal, dispose: () => void open-- }
      },
    })
    const sets = { action: 'set_variable', name: 'n', value: 'coalesce($n, 0) + 1' }
    const document = documentWith({
      config: { max_depth: 10_000, timeout_ms: 0 },
      steps: {
        first: {
          id: 'first',
          type: 'decision',
          branches: [{ condition: '$n >= 1000', next_step: 'end' }],
          default_next: 'ask',
        },
        ask: { id: 'ask', type: 'action', actions: [sets, call({ result_variable: 'r' })], next_step: 'first' },
      },
    })
    await createProgram(decoded(document), host).decide({}, { signal })
    // One listener of the execution, and one of the current call.
    expect([open, signal.listeners.size, signal.most]).toEqual([0, 0, 2])
  })

  test.each([
    [32, { code: 'END' }],
    [33, { code: 'call-depth', message: expect.stringContaining('more than 32 levels deep') }],
  ])('%i rulesets that call one another', async (length, outcome) => {
    const host = hostOf()
    const ruleset = (index: number) => {
      const document =
        index === length
          ? withResult({ code: 'END', message: '' })
          : withActions({ action: 'call_ruleset', ruleset_name: `r${index + 1}`, result_variable: 'r' })
      const made = decoded(document)
      return { ...made, config: { ...made.config, name: `r${index}` } }
    }
    for (let index = 1; index <= length; index++) host.programs.set(`r${index}`, createProgram(ruleset(index), host))
    expect(await failureOf(() => host.programs.get('r1')?.decide({}))).toMatchObject(outcome)
  })
})

describe('a document is warned of calls that its host cannot make', () => {
  const capabilities = createCapabilities({
    name: 'network.http',
    operations: ['get', 'post'],
    required: ['url'],
    call: () => Promise.reject(new Error('not asked here')),
  })
  const warnings = (more: More) =>
    decodeRuleset(withActions({ action: 'external_call', ...more }), { capabilities }).warnings.map(
      ({ path, code, suggestion }) => [path.replace('/steps/first/actions/0/', ''), code, suggestion],
    )
  test.each<[More, unknown[]]>([
    [{ service: 'network.http', method: 'get', params: [['url', 'u']] }, []],
    [{ service: 'network.htpp', method: 'get' }, [['service', 'unknown-capability', 'network.http']]],
    [
      { service: 'network.http', method: 'psot' },
      [
        ['method', 'unknown-operation', 'post'],
        ['params', 'missing-parameter', undefined],
      ],
    ],
  ])('%j', (more, expected) => {
    expect(warnings(more)).toEqual(expected)
  })
})
