import { ReceiptsReport } from '@engine/api'
import { jsonValue } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import type { WorkerPool } from './worker-pool.ts'

/** Timeout for answers of workers; chains of late workers are part of the next heartbeat. */
const RESPONSE_TIMEOUT_MS = 1000

/** The chains of receipts of all workers. */
export async function reportedByWorkers(pool: Pick<WorkerPool, 'ask'>): Promise<ReceiptsReport> {
  const reports: ReceiptsReport[] = []
  await pool.ask({ kind: 'receipts' }, RESPONSE_TIMEOUT_MS, (_worker, text) => {
    const report: unknown = jsonValue(text)
    if (isReport(report)) reports.push(report)
  })
  return { chains: reports.flatMap(({ chains }) => chains), kept: reports.flatMap(({ kept }) => kept) }
}

const isReport = (report: unknown): report is ReceiptsReport => shapeFaults(ReceiptsReport, report).length === 0
