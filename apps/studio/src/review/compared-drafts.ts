import type { DraftRuleset } from '@engine/authoring'
import { useMemo } from 'react'
import { useGet } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import { useIds } from '../frame/route-scope.ts'
import type { ReleaseDiff } from './release-parts.ts'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const RULESET = `${PROJECT}/rulesets/{name}` as const

/** A save of a ruleset; undefined while loading, if it is missing, or if it failed to load. */
export function useSave(
  name: string,
  seq: number | null,
): { readonly draft: DraftRuleset | undefined; readonly error: Error | null; readonly refetch: () => unknown } {
  const found = useGet(
    `${RULESET}/saves/{seq}`,
    { path: { ...useIds(), name, seq: String(seq) } },
    { enabled: seq !== null },
  )
  const { data, error, refetch } = found
  const draft = useMemo(() => data && rulesetOf(data), [data])
  return { draft, error, refetch }
}

/** The drafts of both sides of a change. */
export interface ComparedDrafts {
  /** Undefined while loading. A ruleset that was not live, or is removed, is an empty graph. */
  readonly before: DraftRuleset | undefined
  readonly after: DraftRuleset | undefined
  /** True if the live content has no save, since it was not published from one. */
  readonly hasNoBase: boolean
  readonly error: Error | null
  readonly refetch: () => unknown
}

const emptyDraft = (name: string): DraftRuleset => ({ config: { name, version: '' }, steps: [] })

/**
 * The live and the released draft of a change. The live draft is the save of its release or, if it was published
 * without a release, of the deployment with the same content.
 */
export function useComparedDrafts(
  { ruleset: name, environment, base, removed }: ReleaseDiff,
  seq: number | null,
): ComparedDrafts {
  const ids = useIds()
  const baseRelease = base?.release_id ?? null
  const release = useGet(
    `${PROJECT}/releases/{rid}`,
    { path: { ...ids, rid: baseRelease ?? '' } },
    { enabled: baseRelease !== null },
  )
  const deployments = useGet(
    `${RULESET}/deployments`,
    { path: { ...ids, name } },
    { enabled: base !== null && baseRelease === null },
  )
  const baseSeq =
    release.data?.rulesets.find((one) => one.name === name)?.from_seq ??
    deployments.data?.items.find((one) => one.environment === environment && one.digest === base?.digest)?.seq ??
    null
  const [before, after] = [useSave(name, baseSeq), useSave(name, removed ? null : seq)]
  const isSearched = base === null || release.data !== undefined || deployments.data !== undefined
  const empty = useMemo(() => emptyDraft(name), [name])
  return {
    before: base === null ? empty : before.draft,
    after: removed ? empty : after.draft,
    hasNoBase: base !== null && isSearched && baseSeq === null,
    error: release.error ?? deployments.error ?? before.error ?? after.error,
    refetch: () => Promise.all([release.refetch(), deployments.refetch(), before.refetch(), after.refetch()]),
  }
}
