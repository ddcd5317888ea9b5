import type { Tenant } from '@engine/api'
import { tableKeys, stringifyJson, type Value } from '@engine/expression'
import { MAX_SHOWN_VIOLATIONS, type Violation } from '@engine/ruleset'
import type { TenantChangeOrigin } from '../tenants/tenancy.ts'
import type { Requester } from '../requester.ts'
import type { Events } from '../services/events.ts'

/** The fields of an event. */
export interface Fields {
  readonly [key: string]: Value
}

/** Longest path or reason that is written; longer ones are cut off. */
const MAX_TEXT_LENGTH = 300

/** The audited facts of an execution. */
export function executionFields(
  tenant: string,
  execution: Parameters<Events['executed']>[0],
  includePayload: boolean,
): Fields {
  const { name, version, seconds, code, error, refused, traceId, input, output, by } = execution
  return {
    tenant_id: tenant,
    rule_name: name,
    version,
    ...(code === undefined ? {} : { code }),
    duration_us: Math.max(0, Math.round(seconds * 1e6)),
    ...(error === undefined ? {} : { error }),
    ...(refused === undefined ? {} : { outcome: 'refused', violations: violationFields(refused) }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    ...(includePayload ? { input, ...(output === undefined ? {} : { output }) } : {}),
    ...senderFields(by),
  }
}

/** The paths and violated rules, without values. */
const violationFields = (violations: readonly Violation[]): readonly Fields[] =>
  violations.slice(0, MAX_SHOWN_VIOLATIONS).map(({ path, rule }) => ({ path, code: rule }))

/** Who sent the request; empty if there was no request. */
export function senderFields(by: Requester | undefined): Fields {
  if (by === undefined) return {}
  const { token, address, requestId } = by
  return { ...(token === undefined ? {} : { token }), address, request_id: requestId }
}

/** The cause of a change of a tenant. */
export function originFields(by: TenantChangeOrigin): Fields {
  return typeof by === 'string' ? { origin: by } : { origin: 'api', ...senderFields(by) }
}

/** The settings that differ, before and after the change. */
export function differences(before: Tenant, after: Tenant): Fields {
  const changed = tableKeys(before).filter((key) => stringifyJson(before[key]) !== stringifyJson(after[key]))
  const values = (tenant: Tenant): Fields => Object.fromEntries(changed.map((key) => [key, tenant[key]]))
  return { from: values(before), to: values(after) }
}

/** Cuts off text of a request, so that no request produces a long line. */
export function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
}

/** Characters that some readers take for a line end or a control sequence, although JSON permits them. */
// oxlint-disable-next-line no-control-regex -- these are the ones
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g

/** The line of an event; undefined if its nesting is too deep for JSON. */
export function lineOf(record: Value): string | undefined {
  try {
    const text = stringifyJson(record).replace(
      UNSAFE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return `${text}\n`
  } catch {
    return undefined
  }
}
