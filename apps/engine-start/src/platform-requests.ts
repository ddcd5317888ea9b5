import { isObject, jsonValue, stringifyJson, type Value } from '@engine/expression'

/** Milliseconds after which a request is given up. */
const REQUEST_TIMEOUT_MS = 30_000

/** A request of the platform's API. Throws an error with the answer of a refusal. */
export type Ask = (method: string, path: string, body?: Value) => Promise<Value>

/** Requests with an API key. */
export const askByKey = (url: string, key: string, signal: AbortSignal): Ask =>
  asker(url, { authorization: `Bearer ${key}` }, signal)

/** Accept an invitation for a new account and request as its person. The password is not kept, so this person cannot sign in again. */
export async function acceptInvitation(link: string, name: string, signal: AbortSignal): Promise<Ask> {
  const { origin, hash } = new URL(link)
  const token = new URLSearchParams(hash.slice(1)).get('token')
  const response = await send(origin, 'POST', '/api/v1/invitations/accept', signal, {
    body: { token, password: crypto.randomUUID(), display_name: name },
  })
  const cookie = response.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  return asker(origin, { cookie: cookie.join('; '), origin }, signal)
}

type Headers = Readonly<Record<string, string>>

function asker(url: string, headers: Headers, signal: AbortSignal): Ask {
  return async (method, path, body) => {
    const response = await send(url, method, path, signal, { headers, ...(body !== undefined && { body }) })
    const text = await response.text()
    return text === '' ? null : jsonValue(text)
  }
}

async function send(
  url: string,
  method: string,
  path: string,
  signal: AbortSignal,
  { headers = {}, body }: { readonly headers?: Headers; readonly body?: Value },
): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    ...(body !== undefined && { body: stringifyJson(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${await response.text()}`)
  return response
}

/** A member of an answer; null: it has none. */
export const fieldOf = (value: Value, name: string): Value => (isObject(value) ? (value[name] ?? null) : null)

/** A text in an answer. Throws an error without it. */
export function textOf(value: Value, name: string): string {
  const text = fieldOf(value, name)
  if (typeof text !== 'string') throw new Error(`the platform answered without \`${name}\``)
  return text
}

/** The items of a page. */
export function itemsOf(value: Value): readonly Value[] {
  const items = fieldOf(value, 'items')
  return Array.isArray(items) ? items : []
}
