import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Concept, Contract, DraftGraph } from '@engine/authoring'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import { keyOf, useGet, useList } from '../../api/data.ts'
import { ApiError } from '../../api/errors.ts'
import type { KnownField } from '../../expression-editor/complete.ts'
import { useIds } from '../../frame/route-scope.ts'
import type { Surroundings } from '../../language/tasks.ts'
import { type SavedTest, testsIn } from '../../saved-tests/saved-test.ts'
import { short } from '../../ui/json-text.ts'

const CONTRACT = '/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}'

/** A contract by name; null: unknown. */
function useContract(name: string) {
  const path = { ...useIds(), name }
  return useQuery({
    queryKey: keyOf(CONTRACT, { path }),
    queryFn: async (): Promise<Contract | null> => {
      try {
        return (await call('get', CONTRACT, { path })) as Contract
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    placeholderData: keepPreviousData,
  })
}

/** The references of a draft for checks and executions: its contract, and the concepts and sub-rules of its project. */
export function useReferences(contract: string): {
  readonly surroundings: Surroundings
  readonly fields: readonly KnownField[]
  /** True once everything has been loaded or has failed to load. */
  readonly isKnown: boolean
} {
  const place = { path: useIds() }
  const contracts = useContract(contract)
  const found = contracts.data ?? undefined
  const { items: concepts, isPending: isConceptPending } = useList('/api/v1/orgs/{oid}/projects/{pid}/concepts', place)
  const { items: subRules, isPending: isSubRulePending } = useList('/api/v1/orgs/{oid}/projects/{pid}/sub-rules', place)
  const isKnown = !contracts.isPending && !isConceptPending && !isSubRulePending
  const facts = useList('/api/v1/orgs/{oid}/projects/{pid}/facts', place).items
  const known = useMemo(() => {
    const surroundings: Surroundings = {
      contract: found,
      concepts: (concepts ?? []).map(({ name, fields }): Concept => ({ name, fields })),
      subRules: Object.fromEntries((subRules ?? []).map(({ name, graph }) => [name, graph as unknown as DraftGraph])),
    }
    const declared = (found?.input.fields ?? []).map((field): KnownField => {
      const { name, type, enum: values = [] } = field
      const { description = '' } = field as { readonly description?: string }
      return { path: name, type, description, values: values.map((value) => short(value)) }
    })
    const names = new Set(declared.map(({ path }) => path))
    const others = (facts ?? [])
      .filter(({ name }) => !names.has(name))
      .map(({ name, type, description }): KnownField => ({ path: name, type, description, values: [] }))
    return { surroundings, fields: [...declared, ...others] }
  }, [found, concepts, subRules, facts])
  return { ...known, isKnown }
}

export const NO_CASES: readonly SavedTest[] = []

/** The saved cases of a ruleset; undefined while loading. */
export function useCases(name: string): readonly SavedTest[] | undefined {
  const { data, isPending } = useGet('/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests', {
    path: { ...useIds(), name },
  })
  const cases = useMemo(() => data && testsIn(data.items), [data])
  return cases ?? (isPending ? undefined : NO_CASES)
}
