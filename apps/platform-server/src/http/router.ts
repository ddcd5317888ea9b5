import { FILE_KINDS, fileSchema, SCHEMAS_PATH } from '@engine/api'
import {
  bodyFaults,
  isDocumentation,
  inOneForm,
  invalidParameter,
  queryOf,
  refuseFaults,
  registerDocumentation,
} from '@engine/http-api'
import {
  addRoute,
  type BodyLimits,
  bodyOf,
  createRouter,
  type Deadline,
  encodeAnswer,
  HttpError,
  isGone,
  jsonOf,
  noRoute,
  refuseContentType,
  refuseEncoding,
  type RoutedRequest,
  type Router,
  type ServingState,
  textOf,
  writeAnswer,
  writeFailure,
} from '@engine/http-server'
import type { Value } from '@engine/expression'
import { pause } from '@engine/process'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Static, TSchema } from 'typebox'
import { asResponseError, failures, type ResponseError } from '../errors.ts'
import type { AddressOf } from './address.ts'
import type { Identification } from './credentials.ts'
import { failure } from './error-mapping.ts'
import { written } from './json-response.ts'
import type { Idempotency } from './idempotency.ts'
import { describeRoutes } from './openapi.ts'
import { asRequest, type MemoryBudget, type RequestMemory } from '../memory/memory-budget.ts'
import type { SharedBytes } from '../memory/shared-bytes.ts'
import type { ReceivedRequest } from './received-request.ts'
import { requestIdOf } from './request-id.ts'
import { type UncheckedRequest, BODY_BYTES, DOCUMENT_BYTES, type Route } from './route.ts'
import { bodyValues } from './body-values.ts'
import type { Studio } from './studio.ts'
import { mayBeUnsupported, unsupportedTextIn } from '../database/unsupported-text.ts'

/** The dependencies of the routes. */
export interface RouterParts extends Pick<BodyLimits, 'maxBytes'> {
  /** The memory of arriving bodies. */
  readonly arrivingBodies: SharedBytes
  /** The memory of requests. */
  readonly memory: MemoryBudget
  readonly routes: readonly Route[]
  readonly identification: Identification
  readonly idempotency: Idempotency
  /** Prefix of all paths, without a trailing slash. */
  readonly basePath: string
  readonly state: ServingState
  /** The deadline of a request; undefined if the router did not receive the request. */
  readonly deadline: (response: ServerResponse) => Deadline | undefined
  readonly addressOf: AddressOf
  /** Called when the route of a request is found. */
  readonly found: (response: ServerResponse, route: Route) => void
  /** Parses a body with a large draft off the event loop; returns the body with a `LargeDraft` instead of the draft. */
  readonly readLarge: (text: string, draft: SentDraftMember) => Promise<Value>
  /** Called for every failure of the platform itself. */
  readonly failed: (error: ResponseError, request: ReceivedRequest) => void
  /** The web studio; undefined if it was not built. */
  readonly studio: Studio | undefined
}

/** The member of a body that is a draft. */
export interface SentDraftMember {
  readonly name: string
  readonly format: 'editor' | 'engine'
}

/** A content type in UTF-8, the only encoding of texts. CSV may declare that it has a header (RFC 4180 section 3). */
const UTF_8 = /^([^\s;]+)(?:\s*;\s*(?:charset="?utf-8"?|header="?present"?))*\s*$/i

/**
 * Size of a body, in characters, above which its draft is parsed on another thread: a smaller one takes a few
 * milliseconds.
 */
const MAX_SYNC_BODY_CHARACTERS = 128 * 1024

/** Memory per byte of a body: the bytes, their text, the values that it becomes, and a copy for a thread. */
const MEMORY_PER_BODY_BYTE = 6

/** JSON Schemas of the files of projects. */
const SCHEMAS = FILE_KINDS.map((kind) => [`${SCHEMAS_PATH}/${kind}.json`, () => fileSchema(kind)] as const)

/** All routes, the documentation, and the answers for unknown paths. */
export async function createRoutes(parts: RouterParts): Promise<Router> {
  const { routes, state, found, failed, basePath, studio } = parts
  const refuse = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => {
    if (isGone(response, thrown)) return
    const error = asResponseError(thrown)
    if (error.code === 'defect' || error.code === 'unavailable') failed(error, request)
    writeFailure(response, failure(error, requestIdOf(request)), state)
  }
  const noSuchPath = (request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?')
    const others = isDocumentation(path, { schemas: SCHEMAS }) ? ['GET'] : []
    refuse(noRoute(request, routes, '/docs describes the interface', others), request, response)
  }
  // Paths that are not routes may be pages of the studio.
  const unknown = (request: IncomingMessage, response: ServerResponse) => {
    if (studio === undefined) return noSuchPath(request, response)
    studio.answer(request, response).then(
      (isAnswered) => isAnswered || noSuchPath(request, response),
      (error: unknown) => refuse(error, request, response),
    )
  }
  const app = createRouter({ refuse, unknown })
  const describe = () => describeRoutes(routes, basePath)
  registerDocumentation(app, { describe, schemas: SCHEMAS, title: 'engine-platform', basePath }, { refuse, unknown })
  for (const route of routes.map(writing)) {
    const answer = async (request: RoutedRequest, response: ServerResponse, memory: RequestMemory) => {
      found(response, route)
      const arrived = arrivedAt(route, request, response, parts, memory)
      try {
        if (Object.values(arrived.params).some((value) => value.includes('\0')))
          throw new HttpError('not-found', 'no path has the character NUL')
        refuseBodyType(route, request.raw)
        const answered = await parts.idempotency.answer(route, arrived)
        if (answered !== undefined)
          encodeAnswer(answered, request.raw.headers, (encoded) => writeAnswer(response, encoded, state))
      } catch (error) {
        refuse(error, request.raw, response)
      }
    }
    addRoute(app, route, (request, response) => {
      const memory = parts.memory.request()
      const closed = new Promise<void>((resolve) => void response.once('close', resolve))
      const answered = asRequest(memory, () => answer(request, response, memory))
      // Work for a disconnected caller still uses its memory, and so does an unsent answer.
      void Promise.allSettled([closed, answered]).then(() => memory.release())
    })
  }
  await app.ready()
  return app
}

/** A route whose answers are serialized before they are stored or sent. */
const writing = (route: Route): Route => ({
  ...route,
  async run(arrived) {
    const answer = await route.run(arrived)
    return answer && written(answer)
  },
})

function arrivedAt(
  route: Route,
  { raw, params }: RoutedRequest,
  response: ServerResponse,
  { identification, addressOf, deadline, arrivingBodies, maxBytes, readLarge }: RouterParts,
  memory: RequestMemory,
): UncheckedRequest {
  const unread = {
    take: (bytes: number) => arrivingBodies.take(memory.organization, bytes),
    give: (bytes: number) => arrivingBodies.give(memory.organization, bytes),
  }
  const limits = { unread, maxBytes: Math.min(maxBytes, route.maxBodyBytes ?? BODY_BYTES) }
  return {
    raw,
    response,
    params: params as Record<string, string>,
    requestId: requestIdOf(raw),
    address: addressOf(raw),
    caller: () => identification(raw, route),
    query() {
      const query = queryOf(raw.url ?? '', route.query)
      for (const [name, value] of query) if (value.includes('\0')) throw invalidParameter(name, 'has the character NUL')
      return query
    },
    body: (schema) => readBody(raw, schema, limits, route, readLarge, memory),
    progress: () => deadline(response)?.renew(),
  }
}

/**
 * Refuses a body by its content type, before any other check: a foreign page can make a browser send a form or a text
 * without a preflight. Throws `HttpError` (415).
 */
export function refuseBodyType(
  { method, reads = {}, passes, consumes = [] }: Route,
  { headers }: Pick<IncomingMessage, 'headers'>,
): void {
  if (method === 'GET' || !hasBody(headers)) return
  const media = mediaOf(headers)
  if (Object.hasOwn(reads, media) || (passes !== undefined && consumes.includes(media))) return
  const refusal = refuseContentType(headers)
  if (refusal !== undefined) throw refusal
}

const hasBody = ({ 'transfer-encoding': coding, 'content-length': length }: IncomingHttpHeaders) =>
  coding !== undefined || (length !== undefined && length !== '0')

/** The content type in lower case; empty if it is missing or its charset is not UTF-8. */
const mediaOf = ({ 'content-type': type = '' }: IncomingHttpHeaders) => UTF_8.exec(type)?.[1]?.toLowerCase() ?? ''

async function readBody<Body extends TSchema>(
  raw: IncomingMessage,
  schema: Body,
  limits: BodyLimits,
  route: Route,
  readLarge: RouterParts['readLarge'],
  memory: RequestMemory,
): Promise<Static<Body>> {
  const { isBodyOptional: isOptional = false, reads = {}, draftMember, draftFormat = () => 'editor' } = route
  const { maxBodyValues, keepsDigits = draftMember !== undefined } = route
  const isAbsent = !hasBody(raw.headers) && raw.headers['content-type'] === undefined
  if (isAbsent && isOptional) return {} as Static<Body>
  const media = mediaOf(raw.headers)
  const other = Object.hasOwn(reads, media) ? reads[media] : undefined
  const refusal = other === undefined ? refuseContentType(raw.headers) : refuseEncoding(raw.headers)
  if (refusal !== undefined) throw refusal
  const bytes = await bodyOf(raw, limits).catch((error: unknown) => Promise.reject(ofRoute(error, limits)))
  memory.hold(bytes.length * MEMORY_PER_BODY_BYTE)
  if (other !== undefined) return (await other(bytes)) as Static<Body>
  const text = textOf(bytes)
  // Each pass over a text of up to 50 MiB gets a separate turn.
  const paused = () => (text.length > MAX_SYNC_BODY_CHARACTERS ? pause() : undefined)
  await paused()
  const isLarge = draftMember !== undefined && text.length > MAX_SYNC_BODY_CHARACTERS
  const body = inOneForm(
    schema,
    await (isLarge
      ? readLarge(text, { name: draftMember, format: draftFormat(queryOf(raw.url ?? '', 'any')) })
      : jsonOf(text, 'refuse', {
          values: bodyValues(maxBodyValues),
          numbers: keepsDigits ? 'exact' : 'document',
        })),
  )
  await paused()
  refuseFaults(bodyFaults(schema, body))
  await paused()
  if (!isLarge && mayBeUnsupported(text)) refuseUnstorable(body)
  return body as Static<Body>
}

/**
 * The error for a body that exceeds the limit of its route: the message of the server names an option that would not
 * help.
 */
function ofRoute(error: unknown, { maxBytes }: BodyLimits): unknown {
  if (!(error instanceof HttpError) || error.code !== 'payload-too-large' || maxBytes > DOCUMENT_BYTES) return error
  return new HttpError(
    'payload-too-large',
    `the request body is larger than ${maxBytes} bytes, the most that is taken here`,
  )
}

/** Refuses text that PostgreSQL cannot store, in the values and the names of a body. */
function refuseUnstorable(body: unknown): void {
  const found = unsupportedTextIn(body)
  if (found !== undefined) throw failures.invalid(found.path, found.message)
}
