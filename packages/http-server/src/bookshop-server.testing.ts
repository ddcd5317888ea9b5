import { isObject } from '@engine/expression'
import {
  address,
  type Address,
  type Environment,
  integer,
  type Log,
  type Option,
  type OptionProgram,
  readOptions,
  ShutdownList,
  type ShutdownStep,
} from '@engine/process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  addRoute,
  type Answer,
  type AnsweredError,
  bodyOf,
  createRouter,
  createUnreadBodies,
  errorAnswers,
  type ErrorRows,
  HttpError,
  isGone,
  json,
  jsonOf,
  LIMIT_FLAGS,
  listenOrExplain,
  noRoute,
  refuseContentType,
  serveHttp,
  type ServingState,
  textOf,
  writeAnswer,
  writeFailure,
} from './index.ts'

/**
 * A bookshop: a server unrelated to the engine, built only on this package and `@engine/process`. It has its own
 * options, errors, routes and identity headers.
 */

const option = <T>(row: Option<T>): Option<T> => row

const OPTIONS = {
  httpAddr: option<Address>({
    flag: '--http-addr',
    value: '<host:port>',
    initial: { host: '127.0.0.1', port: 0 },
    parse: address,
    meaning: 'where it listens',
  }),
  maxBytes: option<number>({
    flag: LIMIT_FLAGS.body,
    value: '<bytes>',
    env: 'SHOP_MAX_REQUEST_BODY_BYTES',
    initial: 1024,
    parse: integer(16, 1_000_000),
    meaning: 'largest request body',
  }),
  maxUnreadBytes: option<number>({
    flag: LIMIT_FLAGS.unread,
    value: '<bytes>',
    initial: 1_000_000,
    parse: integer(16, 1_000_000),
    meaning: 'memory for request bodies that have begun to arrive',
  }),
  requestTimeoutSecs: option<number>({
    flag: LIMIT_FLAGS.time,
    value: '<seconds>',
    initial: 60,
    parse: integer(1, 60),
    meaning: 'time of one request',
  }),
  maxConnections: option<number>({
    flag: LIMIT_FLAGS.connections,
    value: '<n>',
    initial: 100,
    parse: integer(1, 100),
    meaning: 'connections that are open at once',
  }),
} as const

const SHOP: OptionProgram<typeof OPTIONS> = {
  name: 'shop',
  description: 'Sells books.',
  version: '1.0.0',
  options: OPTIONS,
  combinations: [],
  envPrefix: 'SHOP_',
  ownVariables: [],
}

type ShopErrorCode = 'no-such-book' | 'sold-out' | 'defect'

class ShopError extends Error implements AnsweredError<ShopErrorCode> {
  override readonly name = 'ShopError'
  readonly code: ShopErrorCode

  constructor(code: ShopErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

const ROWS = {
  'no-such-book': { status: 404, code: 'shop.unknown_book' },
  'sold-out': { status: 409, code: 'shop.sold_out', headers: { 'x-shop-advice': 'wait' } },
  defect: { status: 500, code: 'shop.internal' },
  'invalid-request': { status: 400, code: 'shop.invalid' },
  'not-found': { status: 404, code: 'shop.no_route' },
  'method-not-allowed': { status: 405, code: 'shop.method' },
  'method-unknown': { status: 501, code: 'shop.no_such_method' },
  'late-request': { status: 408, code: 'shop.late' },
  'precondition-failed': { status: 412, code: 'shop.precondition' },
  'payload-too-large': { status: 413, code: 'shop.too_large' },
  'unsupported-media-type': { status: 415, code: 'shop.media_type' },
  'expectation-failed': { status: 417, code: 'shop.expectation' },
  'headers-too-large': { status: 431, code: 'shop.headers' },
  timeout: { status: 504, code: 'shop.timeout' },
  overloaded: { status: 503, code: 'shop.busy' },
} as const satisfies ErrorRows<ShopErrorCode>

const failure = errorAnswers<ShopError | HttpError>(ROWS, (error) =>
  error.code === 'sold-out' ? { sold_out: error.message } : undefined,
)

const asShopError = (thrown: unknown): ShopError | HttpError =>
  thrown instanceof HttpError || thrown instanceof ShopError
    ? thrown
    : new ShopError('defect', 'the shop made a mistake', thrown)

/** An open shop, with controls for tests. */
export interface Shop {
  readonly port: number
  /** Pending requests for `/slow`. */
  waiting(): number
  /** Answers them. */
  release(): void
  readonly shutdown: readonly ShutdownStep[]
}

/** Opens the shop, by default on a free port. Throws the error text of an invalid command line, and a `StartError`. */
export async function openShop(args: readonly string[], env: Environment, log: Log): Promise<Shop> {
  const read = readOptions(SHOP, args, env)
  if (read.kind === 'end') throw new Error(read.output)
  const { httpAddr, maxBytes, maxUnreadBytes, requestTimeoutSecs, maxConnections } = read.values
  const limits = { maxBytes, unread: createUnreadBodies(maxUnreadBytes) }
  const state: ServingState = { draining: false }
  const waiting: (() => void)[] = []

  const routes: readonly {
    readonly method: string
    readonly path: string
    readonly handle: (request: IncomingMessage, params: Record<string, string>) => Promise<Answer>
  }[] = [
    {
      method: 'GET',
      path: '/books/:id',
      async handle(_request, { id = '' }) {
        if (id === 'broken') throw new TypeError('a secret of the shop')
        if (id === 'gone') throw new ShopError('sold-out', 'no copy is left')
        if (id !== 'one') throw new ShopError('no-such-book', `there is no book ${id}`)
        return json(200, { id, pages: 9_007_199_254_740_993n })
      },
    },
    {
      method: 'POST',
      path: '/books',
      async handle(request) {
        const refusal = refuseContentType(request.headers)
        if (refusal !== undefined) throw refusal
        const book = await jsonOf(textOf(await bodyOf(request, limits)), 'refuse')
        return json(201, { is_object: isObject(book), book })
      },
    },
    {
      method: 'GET',
      path: '/slow',
      async handle() {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return json(200, 'at last')
      },
    },
  ]
  const refuse = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => {
    if (isGone(response, thrown)) return
    const error = asShopError(thrown)
    if (error.code === 'defect') log.error({ err: error.cause, url: request.url }, 'a request failed')
    writeFailure(response, failure(error), state)
  }
  const router = createRouter({
    refuse,
    unknown: (request, response) => refuse(noRoute(request, routes, 'ask the bookseller'), request, response),
  })
  for (const route of routes)
    addRoute(router, route, (request, response) => {
      route.handle(request.raw, request.params as Record<string, string>).then(
        (answer) => writeAnswer(response, answer, state),
        (error: unknown) => refuse(error, request.raw, response),
      )
    })
  await router.ready()

  const tcp = { host: httpAddr.host, port: httpAddr.port ?? 80 }
  const http = serveHttp(
    {
      tcp,
      tls: undefined,
      socketPath: undefined,
      maxConnections,
      requestTimeoutMs: requestTimeoutSecs * 1000,
      identity: ['x-shop-account'],
      examplePath: '/books/one',
    },
    { state, log, failure, answer: (request, response) => router.routing(request, response) },
  )
  const shutdown = new ShutdownList()
  shutdown.add('connections', 1, async () => http.close())
  shutdown.add('requests', 0.8, () => http.drain())
  const { port = 0 } = await listenOrExplain(http, { tcp, socketPath: undefined })
  return {
    port,
    waiting: () => waiting.length,
    release: () => {
      for (const answer of waiting.splice(0)) answer()
    },
    shutdown: shutdown.steps,
  }
}
