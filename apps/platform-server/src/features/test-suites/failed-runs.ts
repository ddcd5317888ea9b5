import type { Caller } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { notify } from '../notifications/repository.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { ProjectRun, TestRun } from './model.ts'

/** The person who started a run, and its subject. */
interface Asked {
  readonly caller: Caller
  readonly place: InProject
  readonly ref: { readonly type: 'draft' | 'suite' | 'project'; readonly id: string }
  readonly name: string
}

/**
 * Notify the person who started a run of its failed cases (platform contract 10.14). A repeated run replaces the unread
 * notification of the previous one, so that repeating costs no rows. API keys get no notifications.
 */
export async function tellOfFailures(
  database: Database,
  { caller, place: { member, project }, ref, name }: Asked,
  { total, failed }: Pick<TestRun | ProjectRun, 'total' | 'failed'>,
): Promise<void> {
  if (failed === 0 || caller.kind !== 'user') return
  const payload = { project_id: project.id, name, total, failed }
  await database.note(member.org, async ({ scope }) => {
    await scope
      .delete('notifications')
      .where('user_id', '=', caller.id)
      .where('kind', '=', 'tests_failed')
      .where('ref_id', '=', ref.id)
      .where('read_at', 'is', null)
      .execute()
    await notify(scope, [caller.id], { kind: 'tests_failed', ref, payload })
  })
}
