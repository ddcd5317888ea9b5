import { type Audit, type AuditOptions, openAudit, type RuleAudit } from '../audit/audit.ts'
import type { FromWorker } from './messages.ts'

/**
 * The audit of a worker: it samples executions and formats their lines, and the owner writes them. Only the owner
 * records changes of rulesets, because it makes them.
 *
 * @param tell resolves when the message is sent
 */
export async function openWorkerAudit(
  options: Omit<AuditOptions, 'append' | 'lost'>,
  tell: (message: FromWorker) => Promise<void>,
): Promise<Audit> {
  const audit = await openAudit({
    ...options,
    append: (path, text) => tell({ kind: 'audit', path, text }),
    lost: (count) => void tell({ kind: 'audit-lost', count }),
  })
  return {
    serverStarted: () => {},
    serverStopped: () => {},
    auditable: nothing,
    forTenant: (tenant) => withoutChanges(audit.forTenant(tenant)),
    tenants: { auditable: nothing, created: nothing, updated: nothing, deleted: nothing },
    changeRefused: () => {},
    sampleRate: audit.sampleRate,
    follow: (percent) => audit.follow(percent),
    forward: (path, text) => audit.forward(path, text),
    missed: (count) => audit.missed(count),
    // Only the owner writes.
    fault: async () => undefined,
    get dropped() {
      return audit.dropped
    },
    close: () => audit.close(),
  }
}

const nothing = async () => {}

function withoutChanges({ executed, ruleReported }: RuleAudit): RuleAudit {
  return {
    executed,
    ruleReported,
    created: nothing,
    updated: nothing,
    deleted: nothing,
    rolledBack: nothing,
    signatureRejected: () => {},
  }
}
