import type { DraftRuleset } from '@engine/authoring'
import { useQuery } from '@tanstack/react-query'
import { useGet } from '../api/data.ts'
import { useReferences } from '../editor/state/references.ts'
import { useIds } from '../frame/route-scope.ts'
import { ask } from '../language/language.ts'
import type { LocalRun, Surroundings } from '../language/tasks.ts'
import { useSave } from '../review/compared-drafts.ts'
import type { Value } from '@engine/expression'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** The contents of a ruleset that were published or released, by digest: version and sequence number of the save. */
export function useContents(name: string) {
  const found = useGet(
    `${RULESET}/deployments`,
    { path: { ...useIds(), name }, query: { limit: 200 } },
    { enabled: name !== '' },
  )
  return new Map((found.data?.items ?? []).toReversed().map(({ digest, version, seq }) => [digest, { version, seq }]))
}

/** The contract, concepts and sub-rules of a ruleset. */
export function useSurroundings(draft: DraftRuleset | undefined, name: string): Surroundings | undefined {
  const { surroundings, isKnown } = useReferences(draft?.config.contract ?? name)
  return draft !== undefined && isKnown ? surroundings : undefined
}

/** A decision, executed again with the content that made it; undefined if that is unknown or still loading. */
export function useDecidedAgain(
  name: string,
  { digest, input }: { readonly digest: string; readonly input: Value },
): { readonly run: LocalRun | undefined; readonly draft: DraftRuleset | undefined; readonly isUnknown: boolean } {
  const contents = useContents(name)
  const seq = contents.get(digest)?.seq ?? null
  const { draft } = useSave(name, seq)
  const surroundings = useSurroundings(draft, name)
  const { data: run } = useQuery({
    queryKey: ['decided again', name, seq, input],
    queryFn: async () => {
      if (draft === undefined || surroundings === undefined) throw new Error('the content is not loaded')
      const outcome = await ask('run', { draft, ...surroundings, input })
      return outcome.kind === 'ran' ? outcome.run : null
    },
    enabled: draft !== undefined && surroundings !== undefined,
    staleTime: Infinity,
    queryKeyHashFn: (key) =>
      JSON.stringify(key, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  })
  return { run: run ?? undefined, draft, isUnknown: contents.size > 0 && seq === null }
}
