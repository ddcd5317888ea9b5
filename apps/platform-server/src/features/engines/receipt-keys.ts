import { ReceiptsReport } from '@engine/api'
import { isList, stringifyJson, type Value } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import { Malformed, parseReceiptKeys } from '@engine/receipts'
import { BadKey } from '@engine/signing'
import type { Static } from 'typebox'
import type { AuditRecord } from '../../database/audit.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReceiptKey } from './model.ts'
import type { AtServer } from './servers.ts'

/** Maximum number of registered keys per engine; further ones are ignored. */
const MAX_KEYS = 1000

/**
 * Registers the public keys of a heartbeat, in the transaction that has locked the engine's row. A key that was
 * registered stays; only the end of its validity is added. A new one is audited: the platform trusts none, but shows
 * when it first saw them. Malformed keys are ignored. Linear in the reported and the registered keys.
 */
export async function registerReceiptKeys(
  { scope, audit }: { readonly scope: Scope; readonly audit: (record: AuditRecord) => Promise<void> },
  server: { readonly id: string; readonly name: string },
  report: unknown,
): Promise<void> {
  const reported = keysIn(report)
  if (reported.length === 0) return
  const before = await registeredKeys(scope, server.id)
  const keys = new Map(before.map((one) => [one.key, one]))
  const added: string[] = []
  let isChanged = false
  for (const one of reported) {
    const known = keys.get(one.key)
    if (known === undefined && keys.size >= MAX_KEYS) continue
    if (known === undefined) added.push(one.key)
    else if (known.until !== null || one.until === null) continue
    keys.set(one.key, known === undefined ? one : { ...known, until: one.until })
    isChanged = true
  }
  if (!isChanged) return
  await scope
    .update('servers')
    .set({ receipt_keys: stringifyJson([...keys.values()]) })
    .where('id', '=', server.id)
    .execute()
  for (const key of added)
    await audit({
      action: 'server.receipt_key_registered',
      object: { id: server.id, name: server.name },
      after: { key },
    })
}

/** The registered keys of an engine, oldest first. */
export const receiptKeysOf = ({ member, server }: AtServer): Promise<readonly ReceiptKey[]> =>
  registeredKeys(member.scope, server.id)

async function registeredKeys(scope: Scope, server: string): Promise<readonly ReceiptKey[]> {
  const row = await scope
    .read('servers')
    .selectFrom('servers')
    .select('receipt_keys')
    .where('id', '=', server)
    .executeTakeFirst()
  const keys = row?.receipt_keys ?? null
  return isList(keys) ? keys.flatMap((one) => keyOf(one) ?? []) : []
}

/** The keys of a report; malformed ones are omitted. */
function keysIn(report: unknown): readonly ReceiptKey[] {
  if (!isReport(report)) return []
  return (report.keys ?? []).flatMap((one) => keyOf(one) ?? [])
}

const isReport = (report: unknown): report is Static<typeof ReceiptsReport> =>
  shapeFaults(ReceiptsReport, report).length === 0

const hasMembers = (value: unknown): value is { readonly [member: string]: Value } =>
  typeof value === 'object' && value !== null

/** Undefined if it is malformed, or not a trustworthy key. */
function keyOf(value: unknown): ReceiptKey | undefined {
  if (!hasMembers(value)) return undefined
  const { key = null, public_key = null, from = null, until = null } = value
  if (typeof key !== 'string' || typeof public_key !== 'string') return undefined
  try {
    const [known] = parseReceiptKeys(stringifyJson({ keys: [{ key, public_key, from, until }] })).values()
    if (known === undefined) return undefined
    return { key, public_key, from: known.from, until: until === null ? null : known.until }
  } catch (error) {
    if (error instanceof Malformed || error instanceof BadKey) return undefined
    throw error
  }
}
