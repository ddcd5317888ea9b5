import type { Case, DraftRuleset } from '@engine/authoring'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Checks } from './checks.ts'
import { Problems } from './problems.tsx'
import type { Simulation } from './simulation.ts'
import { Simulator } from './simulator.tsx'

export type PanelTab = 'simulate' | 'problems'

interface PanelProps {
  /** Undefined: it is closed. */
  readonly tab: PanelTab | undefined
  readonly show: (tab: PanelTab | undefined) => void
  readonly checks: Checks
  readonly simulation: Simulation
  readonly draft: DraftRuleset
  readonly cases: readonly Case[]
  readonly select: (id: string) => void
  readonly saveAsTest: (() => void) | undefined
}

/** Below the rules: what they do with an input, and what is wrong with them. */
export function Panel({ tab, show, checks, simulation, draft, cases, select, saveAsTest }: PanelProps) {
  const { editor } = useTexts()
  const { problems } = checks
  const { run } = simulation
  const toggle = (one: PanelTab) => show(tab === one ? undefined : one)
  return (
    <section className="panel" data-open={tab === undefined ? undefined : ''} aria-label={editor.panel}>
      <div className="row bar">
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          aria-expanded={tab === 'simulate'}
          onClick={() => toggle('simulate')}
        >
          <Icon name="play" size={13} />
          {editor.simulate}
        </button>
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          aria-expanded={tab === 'problems'}
          onClick={() => toggle('problems')}
        >
          <span className="tag" data-tone={problems.length === 0 ? 'ok' : 'bad'}>
            {problems.length === 0 ? editor.noProblems : editor.problems(problems.length)}
          </span>
        </button>
        <span className="grow" />
        {run !== undefined && (
          <>
            <span className="muted">{editor.result}</span>
            <code className="result">{run.code ?? run.error?.message}</code>
            <button type="button" className="btn" data-kind="quiet" onClick={simulation.clear}>
              {editor.clear}
            </button>
          </>
        )}
      </div>
      {tab === 'simulate' && (
        <Simulator draft={draft} simulation={simulation} cases={cases} select={select} saveAsTest={saveAsTest} />
      )}
      {tab === 'problems' && (
        <div className="panel-body" tabIndex={0} role="region" aria-label={editor.problemsWord}>
          <Problems problems={problems} select={select} />
        </div>
      )}
    </section>
  )
}
