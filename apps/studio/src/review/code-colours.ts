import { useMemo } from 'react'
import { useGet } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { codeColours } from '../graph-editor/code-colours.ts'
import { useSave } from './compared-drafts.ts'

/** The colour of each result code of a save, in the order of its contract, then of its steps. */
export function useCodeColours(ruleset: string, seq: number | null): ReadonlyMap<string, string> {
  const { draft } = useSave(ruleset, seq)
  const name = draft?.config.contract
  const contract = useGet(
    '/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}',
    { path: { ...useIds(), name: name ?? '' } },
    { enabled: name !== undefined && name !== '' },
  ).data
  return useMemo(
    () =>
      codeColours(
        draft?.steps ?? [],
        contract?.outputs.map(({ code }) => code),
      ),
    [draft, contract],
  )
}
