import { compareRulesets } from '@engine/authoring'
import type { Database } from '../../database/database.ts'
import { contentsOf } from '../engines/contents.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Copy } from './copies.ts'
import type { Live } from './live.ts'
import type { Diff } from './model.ts'

/** What a release makes of one ruleset in one environment. */
export interface Target {
  readonly environment: EnvironmentRow
  readonly name: string
  readonly live: Live | undefined
  /** Undefined: it is taken out. */
  readonly copy: Copy | undefined
}

/** What changes where, for reviewers. */
export async function diffsOf(database: Database, targets: readonly Target[]): Promise<readonly Diff[]> {
  const bare = targets.flatMap(({ live }) => (live === undefined || live.ruleset !== undefined ? [] : [live.digest]))
  const documents = await contentsOf(database, bare)
  return targets.map(({ environment, name, live, copy }) => {
    const isDraft = live?.ruleset !== undefined || live === undefined
    const base = live === undefined ? undefined : (live.ruleset ?? documents.get(live.digest))
    // Of a content that was published without a release only the engine's format is known: then both are compared in that.
    const next = copy === undefined ? undefined : isDraft ? copy.ruleset : copy.document
    const contracts = { base: live?.contract, next: copy?.contract }
    return {
      environment: environment.name,
      ruleset: name,
      base: live === undefined ? null : { version: live.version, digest: live.digest, release_id: live.releaseId },
      removed: copy === undefined,
      ...compareRulesets(base, next, contracts),
    } as unknown as Diff
  })
}
