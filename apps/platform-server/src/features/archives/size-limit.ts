import { ARCHIVE_BYTES } from '../../compute/archive-limits.ts'
import { totalBytes } from '../../database/page.ts'
import { requestMemory } from '../../memory/memory-budget.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'

/** Bytes of memory per byte of a project: its text, and the files or differences derived from it. */
const BYTE_COST = 4

/**
 * Refuse a project that is too large for an archive before reading it: an export or comparison holds all of it in memory.
 * Charges that memory to the request first. Throws 400, and 503 while the memory is in use.
 */
export async function refuseLarge(scope: Scope, project: string): Promise<void> {
  const sizes = [
    await scope
      .read('drafts', 'draft_saves')
      .selectFrom('drafts as d')
      .innerJoin('draft_saves as s', (join) => join.onRef('s.draft_id', '=', 'd.id').onRef('s.seq', '=', 'd.seq'))
      .select(totalBytes('s.ruleset'))
      .where('d.project_id', '=', project)
      .where('d.deleted_at', 'is', null)
      .executeTakeFirst(),
    await scope
      .read('drafts', 'test_suites')
      .selectFrom('drafts as d')
      .innerJoin('test_suites as s', 's.draft_id', 'd.id')
      .select(totalBytes('s.cases'))
      .where('d.project_id', '=', project)
      .where('d.deleted_at', 'is', null)
      .executeTakeFirst(),
    await scope
      .read('sub_rules', 'sub_rule_saves')
      .selectFrom('sub_rules as r')
      .innerJoin('sub_rule_saves as s', (join) => join.onRef('s.sub_rule_id', '=', 'r.id').onRef('s.seq', '=', 'r.rev'))
      .select(totalBytes('s.content'))
      .where('r.project_id', '=', project)
      .executeTakeFirst(),
    await ofEach(scope, 'contracts', 'content', project),
    await ofEach(scope, 'facts', 'example', project),
    await ofEach(scope, 'concepts', 'fields', project),
    await ofEach(scope, 'environments', 'recording', project),
  ]
  const total = sizes.reduce((sum, size) => sum + (size?.bytes ?? 0), 0)
  if (total > ARCHIVE_BYTES)
    throw failures.refused(`the project has ${total} bytes, and an archive at most ${ARCHIVE_BYTES}`, 'too-large')
  // Charged before the read: concurrent requests could otherwise all load a project before the first charge.
  requestMemory()?.hold(total * BYTE_COST)
}

const ofEach = (
  scope: Scope,
  table: 'contracts' | 'facts' | 'concepts' | 'environments',
  column: string,
  project: string,
) => scope.read(table).selectFrom(table).select(totalBytes(column)).where('project_id', '=', project).executeTakeFirst()
