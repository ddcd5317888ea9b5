import { describe, expect, test } from 'vitest'
import { EngineError, quoted } from '../../errors.ts'
import type { RouteRequest } from '../route.ts'
import { RECEIPT_ROUTES } from './receipts.ts'

/* The routes of receipts: their calls of the services, their scopes, and the places that they refuse. */

const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'
const routeOf = (method: string, end: string) => {
  const route = RECEIPT_ROUTES.find((one) => one.method === method && one.path.endsWith(end))
  if (route === undefined) throw new Error(`there is no ${method} ${end}`)
  return route
}
const ONE = routeOf('GET', ':entry')
const EVIDENCE = routeOf('DELETE', '/evidence')
const CHECKPOINT = routeOf('GET', '/checkpoint')
const KEYS = routeOf('GET', '/keys')

/** A request to an engine that keeps receipts, and the arguments of the calls of its services. */
function requestFor(params: Readonly<Record<string, string>>, isAdmin = false) {
  const asked: unknown[] = []
  const note = <Result>(result: Result) => {
    return async (...args: readonly unknown[]) => {
      asked.push(args)
      return result
    }
  }
  const request = {
    params,
    isAdmin: () => isAdmin,
    services: { receipts: { text: note('{"format":"x"}'), erase: note(undefined) } },
    server: { receipts: { checkpoints: note([{ checkpoint: 'c' }]), keys: note([{ key: 'k' }]) } },
  }
  return { request: request as unknown as RouteRequest, asked }
}

/** A request to an engine without `--receipts`. */
const WITHOUT = { params: { instance: INSTANCE, entry: '0' }, services: {}, server: {} } as unknown as RouteRequest

async function refusalOf(run: () => unknown): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof EngineError) return [error.code, error.message]
    throw error
  }
}

test('reading needs `read`, erasing `admin`, and neither is a write that a reader would refuse', () => {
  expect(
    RECEIPT_ROUTES.map(({ method, path, scope, writes, isServerWide }) => [method, path, scope, writes, isServerWide]),
  ).toEqual([
    ['GET', '/api/v1/receipts/:instance/:entry', 'read', false, false],
    ['DELETE', '/api/v1/receipts/:instance/:entry/evidence', 'admin', false, false],
    ['GET', '/api/v1/receipts/checkpoint', 'read', false, true],
    ['GET', '/api/v1/receipts/keys', 'read', false, true],
  ])
  for (const { group, summary } of RECEIPT_ROUTES)
    expect([group, summary]).toEqual(['Receipts', expect.stringMatching(/^[A-Z]/)])
  expect(RECEIPT_ROUTES.map(({ answers }) => Object.keys(answers))).toEqual([
    ['200', '409'],
    ['204', '409'],
    ['200'],
    ['200'],
  ])
})

describe('a receipt', () => {
  test.each([false, true])('is shown; its evidence to administrators alone (%s)', async (isAdmin) => {
    const { request, asked } = requestFor({ instance: INSTANCE, entry: '12' }, isAdmin)
    expect(await ONE.handle(request)).toEqual({ status: 200, body: '{"format":"x"}' })
    expect(asked).toEqual([[INSTANCE, 12, isAdmin]])
  })

  test('has its evidence erased', async () => {
    const { request, asked } = requestFor({ instance: INSTANCE, entry: '0' })
    expect(await EVIDENCE.handle(request)).toEqual({ status: 204 })
    expect(asked).toEqual([[INSTANCE, 0]])
  })

  test.each(['9007199254740991', '0000000000000007'])('may be number %s', async (entry) => {
    const { request, asked } = requestFor({ instance: INSTANCE, entry })
    await ONE.handle(request)
    expect(asked).toEqual([[INSTANCE, Number(entry), false]])
  })

  test.each(['', 'first', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1 ', '1\n', '9007199254740992', '00000000000000001'])(
    'is not number %j',
    async (entry) => {
      const { request, asked } = requestFor({ instance: INSTANCE, entry })
      const refused = ['invalid-request', `the receipt ${quoted(entry)} must be a whole number from 0 on`]
      expect(await refusalOf(() => ONE.handle(request))).toEqual(refused)
      expect(await refusalOf(() => EVIDENCE.handle(request))).toEqual(refused)
      expect(asked).toEqual([])
    },
  )

  test('needs a number', async () => {
    const { request } = requestFor({ instance: INSTANCE })
    expect(await refusalOf(() => ONE.handle(request))).toEqual([
      'invalid-request',
      'the receipt `` must be a whole number from 0 on',
    ])
  })

  test('needs an instance that the service knows: none is the empty one', async () => {
    const { request, asked } = requestFor({ entry: '0' })
    await ONE.handle(request)
    expect(asked).toEqual([['', 0, false]])
  })
})

test('checkpoints and keys are members of one object', async () => {
  const { request } = requestFor({})
  expect(await CHECKPOINT.handle(request)).toMatchObject({ status: 200, body: '{"checkpoints":[{"checkpoint":"c"}]}' })
  expect(await KEYS.handle(request)).toMatchObject({ status: 200, body: '{"keys":[{"key":"k"}]}' })
})

test.each([
  ['a receipt', ONE],
  ['erasure', EVIDENCE],
  ['checkpoints', CHECKPOINT],
  ['keys', KEYS],
])('an engine without receipts refuses %s', async (_, route) => {
  const refused = ['receipts-off', 'this engine keeps no receipts (--receipts)']
  expect(await refusalOf(() => route.handle(WITHOUT))).toEqual(refused)
})
