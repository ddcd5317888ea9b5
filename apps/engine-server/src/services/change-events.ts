import type { ChangeSubscriber } from '../catalog/change-feed.ts'
import type { Events } from './events.ts'

/**
 * Reports every change to the audit and the metrics. Changes by requests are acknowledged once audited; no request
 * waits for changes made by files or other instances, and the audit retries those itself.
 */
export function reportChanges(
  events: Pick<Events, 'created' | 'updated' | 'deleted' | 'rolledBack'>,
): ChangeSubscriber {
  return {
    changed(change, cause, previous) {
      const by = 'by' in cause ? cause.by : undefined
      const reported = (): Promise<void> => {
        if (change.kind === 'deleted')
          return events.deleted({ name: change.name, version: previous?.version ?? '' }, by)
        const { name, version } = change.ruleset
        if (previous === undefined) return events.created({ name, version }, by)
        const fromTo = { name, from: previous.version, to: version }
        return cause.origin === 'rollback'
          ? events.rolledBack({ ...fromTo, seq: cause.seq }, by)
          : events.updated(fromTo, by)
      }
      if (cause.origin === 'api' || cause.origin === 'rollback') return reported()
      reported().catch(() => {})
      return undefined
    },
  }
}
