import type { DraftRuleset } from '@engine/authoring'
import { ConditionText } from '../conditions/words.tsx'
import type { LocalRun } from '../language/tasks.ts'
import { short } from '../ui/json-text.ts'

/** The steps of a decision in order, each with the branch or row that it took. */
export function PathOfDecision({ run, draft }: { readonly run: LocalRun; readonly draft: DraftRuleset }) {
  return (
    <ol className="decided-path">
      {run.steps.map((step, index) => {
        const taken = step.branches?.findIndex((branch) => branch.taken) ?? -1
        const branch = step.branches?.[taken]
        const own = draft.steps.find(({ id }) => id === step.id)
        const label = own?.type === 'decision' ? own.branches[taken]?.label : undefined
        return (
          <li key={index}>
            <b>{own?.name ?? step.name}</b>
            {label !== undefined && label !== '' && <small>{label}</small>}
            {branch !== undefined && (
              <small title={branch.condition}>
                <ConditionText text={branch.condition} />
              </small>
            )}
            {own?.type === 'terminal' && run.output !== null && (
              <small className="tnum">
                {run.code} {short(run.output, 80)}
              </small>
            )}
          </li>
        )
      })}
    </ol>
  )
}
