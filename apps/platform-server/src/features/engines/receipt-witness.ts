import { stringifyJson, type Value } from '@engine/expression'
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AuditRecord } from '../../database/audit.ts'
import { inBatches } from '../../database/batches.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables, Tables } from '../../database/tables.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { ReceiptChain, Server } from './model.ts'
import {
  type ChainFault,
  chainsIn,
  compareChain,
  type Contradiction,
  type ReadChain,
  type Reported,
} from './receipt-chain.ts'
import type { AtServer } from './servers.ts'

/**
 * The platform as a witness of the receipts of engines (docs/receipts.md): it stores the highest checkpoint of each
 * chain. A log alone cannot show that its end was cut off at a checkpoint, or that an old state was restored; a report
 * that contradicts the stored checkpoint does.
 */

type ReceiptChainRow = Selectable<OrgTables['receipt_chains']>
type NewChain = Omit<Insertable<OrgTables['receipt_chains']>, 'org_id'>

/** Maximum number of stored chains per engine that are no longer continued. */
const MAX_REPLACED = 1000

const idOf = (instance: string): string => instance.slice(0, instance.indexOf('/'))

interface WitnessedServer {
  readonly id: string
  readonly name: string
}

/**
 * Compares the chains of a heartbeat with the stored checkpoints, in the transaction that has locked the engine's row.
 * New faults are audited and become problems of the engine. Malformed chains are ignored: no report of an engine may
 * prevent it from receiving its desired state. Linear in the reported chains.
 */
export async function witnessReceipts(
  { scope, audit }: { readonly scope: Scope; readonly audit: (record: AuditRecord) => Promise<void> },
  server: WitnessedServer,
  report: unknown,
): Promise<void> {
  const { chains, kept } = chainsIn(report)
  if (chains.length === 0) return
  const instances = chains.map(({ instance }) => instance)
  const rows = await scope
    .read('receipt_chains')
    .selectFrom('receipt_chains')
    .selectAll()
    .where('server_id', '=', server.id)
    .where((eb) => eb.or([eb('instance', 'in', instances), eb('continued', '=', true)]))
    .execute()
  const known = new Map(rows.map((row) => [row.instance, row]))
  const now = new Date()
  const faults: (Contradiction & { readonly row: ReceiptChainRow })[] = []
  const advanced: NewChain[] = []
  for (const chain of chains) {
    const row = known.get(chain.instance)
    // A contradicted checkpoint is evidence and is never replaced.
    const compared = row === undefined || row.fault === null ? compareChain(row, chain) : undefined
    if (compared?.kind === 'contradicted' && row !== undefined) faults.push({ ...compared, row })
    const latest = compared?.kind === 'kept' ? compared.latest : undefined
    if (latest !== undefined) advanced.push(rowOf(server.id, chain, latest, now))
    else if (row !== undefined) advanced.push({ ...keptColumns(row), continued: chain.continued, reported_at: now })
  }
  const reported = new Set(instances)
  const continuedIds = new Set(chains.filter(({ continued }) => continued).map(({ instance }) => idOf(instance)))
  const replaced = rows.filter(
    ({ instance, continued }) => continued && !reported.has(instance) && continuedIds.has(idOf(instance)),
  )
  for (const row of replaced)
    if (row.fault === null && !kept.has(row.instance)) faults.push({ row, fault: 'missing', found: undefined })
  await keepRows(scope, advanced)
  if (replaced.length > 0)
    await scope
      .update('receipt_chains')
      .set({ continued: false })
      .where('server_id', '=', server.id)
      .where(
        'instance',
        'in',
        replaced.map(({ instance }) => instance),
      )
      .execute()
  if (advanced.some(({ instance }) => !known.has(instance))) await dropOldest(scope, server.id)
  for (const { row, fault, found } of faults) {
    await scope
      .update('receipt_chains')
      .set({ fault, faulty_at: now, contradiction: found?.text ?? null, reported_at: now })
      .where('server_id', '=', server.id)
      .where('instance', '=', row.instance)
      .execute()
    await audit({
      action: 'server.receipts_contradicted',
      object: { id: server.id, name: server.name },
      after: { instance: row.instance, fault, kept: row.n, found: found?.content.n ?? null },
    })
  }
  if (faults.length > 0) await noteFaults(scope, server.id, await faultsOf(scope, server.id))
}

function rowOf(server_id: string, { instance, opening, continued }: ReadChain, latest: Reported, now: Date): NewChain {
  const { n, first, count } = latest.content
  return {
    server_id,
    instance,
    opening,
    n,
    entries: first + count,
    checkpoint: latest.text,
    signature: latest.signature,
    continued,
    reported_at: now,
  }
}

function keptColumns({
  org_id: _org,
  fault: _fault,
  faulty_at: _at,
  contradiction: _text,
  ...row
}: ReceiptChainRow): NewChain {
  return row
}

async function keepRows(scope: Scope, rows: readonly NewChain[]): Promise<void> {
  const columns = upsertColumns('opening', 'n', 'entries', 'checkpoint', 'signature', 'continued', 'reported_at')
  for (const some of inBatches(rows))
    await scope
      .insert('receipt_chains', some)
      .onConflict((conflict) => conflict.columns(['org_id', 'server_id', 'instance']).doUpdateSet(columns))
      .execute()
}

/** Limits the rows of an engine whose chains often end. */
async function dropOldest(scope: Scope, server: string): Promise<void> {
  const oldest = await scope
    .read('receipt_chains')
    .selectFrom('receipt_chains')
    .select('instance')
    .where('server_id', '=', server)
    .where('continued', '=', false)
    .where('fault', 'is', null)
    .orderBy('reported_at', 'desc')
    .offset(MAX_REPLACED)
    .limit(MAX_REPLACED)
    .execute()
  if (oldest.length === 0) return
  await scope
    .delete('receipt_chains')
    .where('server_id', '=', server)
    .where(
      'instance',
      'in',
      oldest.map(({ instance }) => instance),
    )
    .execute()
}

type FaultyRow = Pick<ReceiptChainRow, 'instance' | 'fault' | 'n' | 'contradiction'>

function faultsOf(scope: Scope, server: string): Promise<readonly FaultyRow[]> {
  return scope
    .read('receipt_chains')
    .selectFrom('receipt_chains')
    .select(['instance', 'fault', 'n', 'contradiction'])
    .where('server_id', '=', server)
    .where('fault', 'is not', null)
    .orderBy('faulty_at')
    .limit(MAX_REPLACED)
    .execute()
}

/** Shows faults as problems of the engine. */
async function noteFaults(scope: Scope, server: string, rows: readonly FaultyRow[]): Promise<void> {
  const faults = rows.map(({ instance, fault, n }): Value => ({
    instance,
    fault,
    message: faultMessage(fault, instance, n),
  }))
  await scope
    .update('servers')
    .set({ receipt_faults: faults.length === 0 ? null : stringifyJson(faults) })
    .where('id', '=', server)
    .execute()
}

function faultMessage(fault: ChainFault | null, instance: string, n: number): string {
  const log = `the log of receipts \`${instance}\``
  if (fault === 'missing') return `${log} is gone: it had reached checkpoint ${n}, and another log has begun`
  if (fault === 'rewritten') return `${log} contradicts its checkpoint ${n}: entries were replaced`
  return `${log} had reached checkpoint ${n} and is shorter now: its end was removed, or an old state was restored`
}

/** The faults of an engine's chains as problems of the engine. */
export function receiptProblems(faults: Value | null): Server['problems'] {
  return Array.isArray(faults) ? faults.map((fault) => ({ ...fault, code: 'receipts_contradicted' })) : []
}

/** Number of engines whose receipts contradict an earlier report. */
export async function serversWithReceiptFaults(tables: Kysely<Tables>): Promise<number> {
  const { count } = await tables
    .selectFrom('servers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('receipt_faults', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** The chains of an engine, active ones first. */
export async function receiptChainsOf({ member, server }: AtServer): Promise<readonly ReceiptChain[]> {
  const rows = await member.scope
    .read('receipt_chains')
    .selectFrom('receipt_chains')
    .selectAll()
    .where('server_id', '=', server.id)
    .orderBy('continued', 'desc')
    .orderBy('reported_at', 'desc')
    .orderBy('instance')
    .limit(2 * MAX_REPLACED)
    .execute()
  return rows.map(receiptChainOf)
}

function receiptChainOf(row: ReceiptChainRow): ReceiptChain {
  const { instance, n, entries, checkpoint, signature, continued, fault, faulty_at, contradiction, reported_at } = row
  return {
    instance,
    n,
    entries,
    checkpoint,
    signature,
    continued,
    state: fault ?? 'consistent',
    contradicted_at: faulty_at?.toISOString() ?? null,
    contradiction,
    reported_at: reported_at.toISOString(),
  }
}

/**
 * Deletes the stored checkpoint of a chain, and its fault: the next report is trusted. Throws `not-found`.
 *
 * @param chain the UUID of its instance
 */
export function forgetReceiptChain(acting: Acting<AtServer>, chain: string): Promise<void> {
  const { id, name } = acting.place.server
  return acting.change(async ({ scope, audit }) => {
    // Locks in the same order as heartbeats: first the engine, then its chains.
    await scope.update('servers').set({ receipt_faults: null }).where('id', '=', id).execute()
    const row = await scope
      .read('receipt_chains')
      .selectFrom('receipt_chains')
      .selectAll()
      .where('server_id', '=', id)
      .where('instance', 'like', `%/${chain}`)
      .executeTakeFirst()
    if (row === undefined) throw failures.notFound('chain of receipts', chain)
    await scope.delete('receipt_chains').where('server_id', '=', id).where('instance', '=', row.instance).execute()
    await noteFaults(scope, id, await faultsOf(scope, id))
    await audit({
      action: 'server.receipt_chain_forgotten',
      object: { id, name },
      before: receiptChainOf(row),
    })
  })
}
