import type { DraftRuleset } from '@engine/authoring'
import { useMemo } from 'react'
import { useSave } from './compared-drafts.ts'

/** The unit of each output of a save, such as `EUR`, taken from the table column that sets it. */
export function useUnits(ruleset: string, seq: number | null): (output: string) => string {
  const { draft } = useSave(ruleset, seq)
  return useMemo(() => unitsIn(draft), [draft])
}

/** The unit of each output of a draft and of its sub-rules; empty if it has none. */
export function unitsIn(draft: DraftRuleset | undefined): (output: string) => string {
  const graphs = draft === undefined ? [] : [draft, ...Object.values(draft.subRules ?? {})]
  const columns = graphs
    .flatMap(({ steps }) => steps)
    .flatMap((step) => (step.type === 'table' ? step.columns : []))
    .filter(({ kind }) => kind === 'output')
  const ofField = new Map(columns.flatMap(({ field, unit }) => (unit === undefined ? [] : [[field, unit] as const])))
  // An output that only returns a variable has the unit of the variable.
  const passed = new Map(
    graphs
      .flatMap(({ steps }) => steps)
      .flatMap((step) => (step.type === 'terminal' ? (step.output ?? []) : []))
      .flatMap(({ name, value }) => (value?.startsWith('$') === true ? [[name, value.slice(1)] as const] : [])),
  )
  return (output) => ofField.get(passed.get(output) ?? output) ?? ''
}
