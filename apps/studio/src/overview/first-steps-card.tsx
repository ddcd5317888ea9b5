import { useList } from '../api/data.ts'
import { FIRST_STEPS, type FirstStep, firstSteps, useFirstSteps, useTick } from '../first-steps/progress.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { isWaiting } from './board.ts'
import { useOverviewTexts } from './overview-texts.ts'
import type { ProjectState } from './project-state.ts'

/** A checklist for new users: each step links to its page, and is ticked by doing it. */
export function FirstStepsCard({
  state,
  isLarge = false,
}: {
  readonly state: ProjectState
  readonly isLarge?: boolean
}) {
  const texts = useOverviewTexts()
  const { done, isHidden } = useFirstSteps()
  const targets = useTargets(state)
  useTick('call', useOwnCalls())
  const next = FIRST_STEPS.find((step) => !done.includes(step))
  if (isHidden || next === undefined) return null
  return (
    <section className="card first-steps" aria-label={texts.firstSteps} data-large={isLarge ? '' : undefined}>
      <h2>{texts.firstSteps}</h2>
      <ol>
        {FIRST_STEPS.map((step) => {
          const isDone = done.includes(step)
          return (
            <li key={step} data-done={isDone ? '' : undefined} aria-current={step === next ? 'step' : undefined}>
              <Icon name={isDone ? 'ok' : step === next ? 'terminal' : 'circle'} size={14} />
              <Go to={targets[step]}>{texts.tour[step]}</Go>
              {isDone && <span className="vh">{texts.done}</span>}
            </li>
          )
        })}
      </ol>
      <button type="button" className="btn" data-kind="quiet" onClick={() => firstSteps.hide()}>
        {texts.hide}
      </button>
    </section>
  )
}

/** Whether an API key created by a person was used. */
function useOwnCalls(): boolean {
  const { oid } = useIds()
  const keys = useList('/api/v1/orgs/{oid}/api-keys', { path: { oid } }, { enabled: useMay('token.manage') }).items
  return keys?.some(({ created_by: by, last_used_at: used }) => by !== 'system' && used !== null) === true
}

/** The page of each step. */
function useTargets({ drafts, releases, rolling }: ProjectState): Readonly<Record<FirstStep, string>> {
  const { oid, pid } = useIds()
  const [draft] = drafts
  const ruleset = draft === undefined ? paths.rulesets(oid, pid) : paths.ruleset(oid, pid, draft.name)
  const waiting = releases.find(isWaiting)
  const review = waiting === undefined ? paths.releases(oid, pid) : paths.release(oid, pid, waiting.number)
  const running = rolling[0]?.release.number
  return {
    open: ruleset,
    test: ruleset,
    review,
    canary: running === undefined ? review : paths.release(oid, pid, running),
    call: paths.integrate(oid, pid),
  }
}
