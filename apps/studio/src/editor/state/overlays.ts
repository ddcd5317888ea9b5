import type { DraftRuleset, DraftStep, Problem } from '@engine/authoring'
import { useEffect, useMemo, useState } from 'react'
import type { Known } from '../../expression-editor/complete.ts'
import { coverageIn } from '../../graph-editor/coverage.ts'
import { visitsOf } from '../../graph-editor/trace.ts'
import { ask } from '../../language/language.ts'
import { type OpenGraph, stepAt, usesSubRule } from '../../session/open-graph.ts'
import type { Checks } from './checks.ts'
import type { Simulation } from './simulation.ts'

/** Overlays on the steps of the open graph: the path of an execution, problems, and the coverage of saved cases. */
export function useOverlays(
  graph: OpenGraph,
  { run, shown }: Simulation,
  { problems, coverage }: Checks,
  isCovering: boolean,
) {
  const visits = useMemo(() => run && visitsOf(graph, run.steps.slice(0, shown)), [graph, run, shown])
  const counts = useMemo(() => countProblems(problems, graph), [problems, graph])
  const covered = useMemo(
    () => (isCovering && coverage !== undefined ? coverageIn(graph, coverage) : undefined),
    [isCovering, coverage, graph],
  )
  const own = useMemo(
    () => problems.filter(({ path }) => path.startsWith(`${graph.prefix}/steps/`)),
    [problems, graph.prefix],
  )
  return { visits, counts, covered, problems: own }
}

/** Problems by step; those within a sub-rule count for each step that uses it. */
function countProblems(problems: readonly Problem[], { draft, prefix }: OpenGraph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const { path, step_id: id } of problems) {
    const within = stepAt(draft, path)?.within
    if (path.startsWith(`${prefix}/steps/`)) {
      if (id !== undefined) add(id)
    } else if (within !== undefined)
      for (const step of draft.steps)
        if (step.type === 'sub_rule' && usesSubRule(draft, step.refName ?? '', within)) add(step.id)
  }
  return counts
}

/** The functions that expressions may call. */
export function useFunctions(): Known['functions'] {
  const [functions, setFunctions] = useState<Known['functions']>([])
  useEffect(() => {
    void ask('functions', undefined).then(setFunctions, () => undefined)
  }, [])
  return functions
}

/** The step in the URL, otherwise the first one. */
export function selectedOf({ steps, startStepId }: DraftRuleset, id: string | undefined): DraftStep | undefined {
  return steps.find((step) => step.id === id) ?? steps.find((step) => step.id === startStepId) ?? steps[0]
}

/** The selected table, otherwise the first one. */
export function tableOf({ steps }: DraftRuleset, selected: DraftStep | undefined) {
  return selected?.type === 'table' ? selected : steps.find((step) => step.type === 'table')
}
