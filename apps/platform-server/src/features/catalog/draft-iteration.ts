import type { Value } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'

/** A draft without its content. */
interface DraftInTurn {
  readonly id: string
  readonly name: string
  readonly seq: number
  /** Names of sub-rules that the draft does not define itself. */
  readonly uses: readonly string[]
}

/** A draft as of its last save. */
export interface DraftText extends DraftInTurn {
  /** Name of its contract, which may not exist. */
  readonly contract: string
  readonly text: string
}

/** Drafts per query. */
const DRAFTS_PER_QUERY = 200

/** The drafts of a project that follow a name, in order of name. Each text has its own query, so that only one is in memory. */
export async function* draftsBehind(scope: Scope, project: string, name: string): AsyncGenerator<DraftText> {
  for (let after = name; ;) {
    const rows = await scope
      .read('drafts')
      .selectFrom('drafts')
      .select(['id', 'name', 'seq', 'uses'])
      .where('project_id', '=', project)
      .where('deleted_at', 'is', null)
      .where('name', '>', after)
      .orderBy('name')
      .limit(DRAFTS_PER_QUERY)
      .execute()
    for (const row of rows) {
      const draft = await withText(scope, row)
      if (draft !== undefined) yield draft
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < DRAFTS_PER_QUERY) return
    after = last.name
  }
}

/** Undefined if the draft was deleted in the meantime. */
async function withText(scope: Scope, draft: DraftInTurn): Promise<DraftText | undefined> {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select((eb) => [
      eb.cast<string>('ruleset', 'text').as('text'),
      eb.fn<Value>('json_extract_path', ['config', eb.val('contract')]).as('contract'),
    ])
    .where('draft_id', '=', draft.id)
    .where('seq', '=', draft.seq)
    .executeTakeFirst()
  if (save === undefined) return undefined
  const { text, contract } = save
  return { ...draft, text, contract: typeof contract === 'string' ? contract : draft.name }
}
