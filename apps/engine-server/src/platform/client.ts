import { EngineRegistered, type EngineHeartbeat, type EngineRegistration, HeartbeatAnswer } from '@engine/api'
import { isObject, stringifyJson } from '@engine/expression'
import { parsedJson } from '@engine/process'
import { MAX_RULE_FILE } from '@engine/rule-file'
import type { TSchema } from 'typebox'
import type { Agent, Dispatcher } from 'undici'
import { shapeFaults } from '@engine/http-api'
import { VERSION } from '../version.ts'

/** Timeouts for connecting, and for an answer beyond the time for which it may be held. */
const TIMEOUTS_MS = { connect: 5000, answer: 10_000 } as const
/** Maximum size of an answer other than a ruleset, in bytes. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** Maximum number of characters of a platform error that are read, and that are shown. */
const MAX_ERROR_CHARACTERS = 64 * 1024
const MAX_REASON_CHARACTERS = 300

/** The platform did not fulfil a request. The message is for the log. */
export class PlatformFailure extends Error {
  /** Undefined if there was no answer, or an unreadable one. */
  readonly status: number | undefined
  /** `details[0].code` of the answer; undefined if it has none. */
  readonly detail: string | undefined
  constructor(
    status: number | undefined,
    message: string,
    { detail, ...options }: { readonly cause?: unknown; readonly detail?: string | undefined } = {},
  ) {
    super(message, options)
    this.status = status
    this.detail = detail
  }
}

/** The proof that an engine may register, as a header. */
export interface Credential {
  readonly header: 'x-connect-token' | 'x-registration-secret'
  readonly value: string
}

/** The interface of the platform for engines (docs/platform/engine-link.md). Rejects with `PlatformFailure`. */
export interface PlatformClient {
  register(registration: EngineRegistration, credential: Credential, signal: AbortSignal): Promise<EngineRegistered>
  /** The answer may be held for `wait_ms`. */
  heartbeat(serverToken: string, heartbeat: EngineHeartbeat, signal: AbortSignal): Promise<HeartbeatAnswer>
  /** The JSON text of a content; its digest is not checked. */
  ruleset(serverToken: string, digest: string, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
  /** Time for which the answer may be held, in milliseconds. */
  readonly heldMs?: number
  /** Maximum size of the answer in bytes. */
  readonly most: number
}

/** @param url of the platform, without a trailing slash */
export function createPlatformClient(url: string): PlatformClient {
  /** Created with the first request: loading the client takes a tenth of the start time. */
  let agent: Promise<Agent> | undefined
  const createAgent = async (): Promise<Agent> => {
    const { Agent } = await import('undici')
    return new Agent({ connect: { timeout: TIMEOUTS_MS.connect }, allowH2: false, pipelining: 1 })
  }

  async function ask({ method, path, headers, body, heldMs = 0, most }: Sent, signal: AbortSignal): Promise<string> {
    agent ??= createAgent()
    const dispatcher: Dispatcher = await agent
    const patience = heldMs + TIMEOUTS_MS.answer
    try {
      const { request } = await import('undici')
      const answer = await request(`${url}/api/v1/internal/${path}`, {
        method,
        dispatcher,
        signal,
        headersTimeout: patience,
        bodyTimeout: patience,
        headers: {
          'user-agent': `engine-server/${VERSION}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: stringifyJson(body) }),
      })
      const { statusCode: status } = answer
      const text = await textOf(answer.body, most)
      if (status === 200) return text
      const { reason, detail } = await refusalIn(text)
      throw new PlatformFailure(status, `the platform answered ${status}${reason}`, { detail })
    } catch (cause) {
      if (cause instanceof PlatformFailure) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new PlatformFailure(undefined, `the platform cannot be reached: ${reason}`, { cause })
    }
  }

  async function read<T>(schema: TSchema, sent: Sent, signal: AbortSignal): Promise<T> {
    const parsed = await parsedJson(await ask(sent, signal), { duplicateKeys: 'last' })
    const faults = parsed.kind === 'failed' ? [parsed.problem] : shapeFaults(schema, parsed.value)
    if (parsed.kind === 'parsed' && faults.length === 0) return parsed.value as T
    throw new PlatformFailure(
      undefined,
      `the platform gave an answer that cannot be read: ${faults[0]?.message ?? ''} (${sent.path})`,
    )
  }

  const bearer = (serverToken: string) => ({ authorization: `Bearer ${serverToken}` })
  return {
    register: (registration, { header, value }, signal) =>
      read(
        EngineRegistered,
        { method: 'POST', path: 'register', headers: { [header]: value }, body: registration, most: MAX_ANSWER_BYTES },
        signal,
      ),
    heartbeat: (serverToken, heartbeat, signal) =>
      read(
        HeartbeatAnswer,
        {
          method: 'POST',
          path: 'heartbeat',
          headers: bearer(serverToken),
          body: heartbeat,
          heldMs: heartbeat.wait_ms,
          most: MAX_ANSWER_BYTES,
        },
        signal,
      ),
    ruleset: (serverToken, digest, signal) =>
      ask({ method: 'GET', path: `rulesets/${digest}`, headers: bearer(serverToken), most: MAX_RULE_FILE }, signal),
    close: async () => (await agent)?.destroy(),
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > most) throw new PlatformFailure(undefined, `the platform sent more than ${most} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The error in a platform response. */
async function refusalIn(text: string): Promise<{ readonly reason: string; readonly detail: string | undefined }> {
  const parsed = await parsedJson(text.slice(0, MAX_ERROR_CHARACTERS), { duplicateKeys: 'last' })
  const body = parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value : {}
  const [first] = Array.isArray(body['details']) ? body['details'] : []
  const code = first !== undefined && isObject(first) ? first['code'] : undefined
  const { error } = body
  return {
    reason: typeof error === 'string' ? `: ${error.slice(0, MAX_REASON_CHARACTERS)}` : '',
    detail: typeof code === 'string' ? code : undefined,
  }
}
