import { isObject, type Value, quote } from '@engine/expression'
import {
  decodeRuleset,
  type DecodedRuleset,
  type DecodeOptions,
  type Fault,
  type Ruleset,
  rulesetDecoding,
} from '@engine/ruleset'
import { documentOf, type StoredRuleset } from '../store/store.ts'
import { inTurns } from '@engine/process'

/** Options for decoding one document. */
export interface Sought {
  /** The JSON text of the document, to locate faults; if it is missing, the document counts as large. */
  readonly text: string | undefined
  /** See `DecodeOptions`. */
  readonly isStored: boolean
}

/** Server settings that affect decoding. */
export interface DecodingOptions {
  /** Default timeout of rulesets in milliseconds; 0 is off. */
  readonly executionTimeoutMs: number
  /** The tenant that `config.tenant_id` must name if present; undefined: any. */
  readonly tenant: string | undefined
  /** Used to warn of calls of unknown services; undefined: calls are not checked. */
  readonly capabilities?: DecodeOptions['capabilities']
}

/**
 * Documents of at least this many characters are decoded in pieces between other requests: a smaller one takes a
 * millisecond.
 */
export const LARGE = 32 * 1024

/** Decodes and checks a document; a large one in pieces between other requests. */
export async function decodeDocument(
  document: Value,
  { text, isStored }: Sought,
  options: DecodingOptions,
): Promise<DecodedRuleset> {
  const isLarge = text === undefined || text.length > LARGE
  const asked = { text, isStored, capabilities: options.capabilities }
  return judged(
    document,
    isLarge ? await inTurns(rulesetDecoding(document, asked)) : decodeRuleset(document, asked),
    options,
  )
}

/** Synchronously returns the ruleset of an entry that was decoded before it was stored. */
export function decodeNow(entry: StoredRuleset, options: DecodingOptions): Ruleset {
  const document = documentOf(entry)
  const { ruleset, problems } = judged(document, decodeRuleset(document, { isStored: true }), options)
  if (ruleset === undefined) throw new TypeError(`stored ruleset ${entry.name}: ${problems[0]?.message ?? ''}`)
  return ruleset
}

/** The server's own checks of a decoded document. */
function judged(document: Value, decoded: DecodedRuleset, options: DecodingOptions): DecodedRuleset {
  const { ruleset } = decoded
  if (ruleset === undefined) return decoded
  const { tenantId } = ruleset.config
  const { tenant, executionTimeoutMs } = options
  if (tenant !== undefined && tenantId !== null && tenantId !== tenant)
    return { problems: [foreign(tenantId, tenant)], warnings: decoded.warnings, tolerated: decoded.tolerated }
  return saysTimeout(document) ? decoded : { ...decoded, ruleset: withTimeout(ruleset, executionTimeoutMs) }
}

/** The same ruleset with another time limit. */
export function withTimeout(ruleset: Ruleset, timeoutMs: number): Ruleset {
  return { ...ruleset, config: { ...ruleset.config, timeoutMs } }
}

function foreign(found: string, tenant: string): Fault {
  const message = `is ${quote(found)}, and the ruleset would be one of tenant \`${tenant}\``
  return { path: '/config/tenant_id', code: 'foreign-tenant', message }
}

function saysTimeout(document: Value): boolean {
  const { config = null } = isObject(document) ? document : {}
  return isObject(config) && Object.hasOwn(config, 'timeout_ms')
}
