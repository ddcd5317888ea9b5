import { parseJson, stringifyJson, type Value } from '@engine/expression/core'
import { ApiError, reached } from './errors.ts'
import type { paths } from './schema.ts'

type Method = 'get' | 'put' | 'post' | 'delete'
type Path = keyof paths
type Operation<P extends Path, M extends Method> = paths[P][M]

/** Paths with an operation of a method. */
export type PathOf<M extends Method> = {
  [P in Path]: [Exclude<Operation<P, M>, undefined>] extends [never] ? never : P
}[Path]

type Parameters<O> = O extends { parameters: infer Given } ? Given : never
type PathPart<G> = G extends { path: infer T } ? { readonly path: T } : unknown
type QueryPart<G> = G extends { query?: infer T }
  ? [Exclude<T, undefined>] extends [never]
    ? unknown
    : { readonly query?: T }
  : unknown
type Json<C> = C extends { content: { 'application/json': infer T } } ? T : undefined
type BodyPart<O> = O extends { requestBody?: infer B }
  ? [Exclude<B, undefined>] extends [never]
    ? unknown
    : O extends { requestBody: unknown }
      ? { readonly body: Json<B> }
      : { readonly body?: Json<B> }
  : unknown

/** The parameters and the body of a request. */
export type Sent<P extends Path, M extends Method> = PathPart<Parameters<Operation<P, M>>> &
  QueryPart<Parameters<Operation<P, M>>> &
  BodyPart<Operation<P, M>>

type Success = 200 | 201 | 202
/** The body of a successful response. */
export type Answer<P extends Path, M extends Method> =
  Operation<P, M> extends { responses: infer R }
    ? { [S in keyof R & Success]: Json<R[S]> }[keyof R & Success]
    : undefined

interface AnySent {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The URL of the platform, without a trailing slash. */
export const BASE = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** Send a request to the platform. Throws `ApiError`. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  sent: Sent<P, M>,
  signal?: AbortSignal,
): Promise<Answer<P, M>> {
  const { body, ...place } = sent as AnySent
  const request = fetch(BASE + addressOf(path, place), {
    method: method.toUpperCase(),
    credentials: 'same-origin',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: stringifyJson(body as Value),
    }),
    ...(signal !== undefined && { signal }),
  })
  return (await bodyOf(await reached(request))) as Answer<P, M>
}

/** Send a document unchanged, with its content type. Throws `ApiError`. */
export async function upload<P extends PathOf<'post'>>(
  path: P,
  sent: Omit<Sent<P, 'post'>, 'body'>,
  document: Blob,
  type: string,
): Promise<Answer<P, 'post'>> {
  const request = fetch(BASE + addressOf(path, sent), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': type },
    body: document,
  })
  return (await bodyOf(await reached(request))) as Answer<P, 'post'>
}

/** The path with its parameters, and the query. */
function addressOf(path: string, { path: parameters = {}, query = {} }: AnySent): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(parameters[name] ?? '')),
  )
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}

async function bodyOf(response: Response): Promise<Value | undefined> {
  const text = await reached(response.text())
  const parsed = text === '' ? undefined : parseJson(text, { duplicateKeys: 'last', numbers: 'exact' })
  const value = parsed?.kind === 'parsed' ? parsed.value : undefined
  if (!response.ok) throw new ApiError(response.status, value, response.headers.get('x-request-id'))
  return value
}
