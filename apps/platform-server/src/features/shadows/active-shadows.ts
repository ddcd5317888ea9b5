import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { sensitivePaths } from '../recording/mask.ts'
import { shadowsUnderWay } from './repository.ts'

/** A running shadow, for the proxy. */
export interface ActiveShadow {
  readonly org: OrgId
  readonly id: string
  readonly environment: string
  readonly ruleset: string
  readonly digest: string
  readonly percent: number
  /** Milliseconds since 1970. */
  readonly endsAt: number
  readonly mask: readonly string[]
}

/** The running shadows of a project. One query if there are none. */
export async function activeShadows(scope: Scope, project: string): Promise<readonly ActiveShadow[]> {
  const rows = await shadowsUnderWay(scope, project, new Date())
  if (rows.length === 0) return []
  const sensitive = await sensitivePaths(scope, project, [...new Set(rows.map(({ ruleset_name }) => ruleset_name))])
  const settings = await scope
    .read('environments')
    .selectFrom('environments')
    .select(['id', 'recording'])
    .where('project_id', '=', project)
    .execute()
  const masks = new Map(settings.map(({ id, recording }) => [id, recording.mask]))
  return rows.map(({ id, environment_id, ruleset_name, digest, percent, ends_at }) => ({
    org: scope.org,
    id,
    environment: environment_id,
    ruleset: ruleset_name,
    digest,
    percent,
    endsAt: ends_at.getTime(),
    mask: [...(masks.get(environment_id) ?? []), ...(sensitive.get(ruleset_name) ?? [])],
  }))
}
