import { MakeButton } from '../frame/permission-button.tsx'
import { useIds, useMe, useProject } from '../frame/route-scope.ts'
import { Attention } from '../overview/attention.tsx'
import { Board } from '../overview/board-view.tsx'
import { DecisionCharts } from '../overview/decision-charts.tsx'
import { FirstStepsCard } from '../overview/first-steps-card.tsx'
import { Latest } from '../overview/latest.tsx'
import { useOverviewTexts } from '../overview/overview-texts.ts'
import { type ProjectState, useProjectState } from '../overview/project-state.ts'
import { paths } from '../paths.ts'
import '../styles/overview.css'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'

/** The state of a project: open tasks of the user, live contents by environment, and decisions over time. */
export function OverviewPage() {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const project = useProject().data
  const { state, error, refetch } = useProjectState()
  const greeting = useGreeting()
  if (state === undefined)
    return (
      <Page title={greeting}>
        <div className="card">
          <Pending of={{ error, refetch }} lines={8} />
        </div>
      </Page>
    )
  const isEmpty = state.drafts.length === 0
  return (
    <Page
      title={greeting}
      text={project?.description === '' ? project.name : `${project?.name ?? ''} · ${project?.description ?? ''}`}
      actions={
        !isEmpty && (
          <>
            <Go to={paths.rulesets(oid, pid)} className="btn">
              {texts.makeRuleset}
            </Go>
            <MakeButton right="release.create" label={texts.makeRelease} run={() => go(paths.newRelease(oid, pid))} />
          </>
        )
      }
    >
      {isEmpty ? <EmptyProject state={state} /> : <Overview state={state} />}
    </Page>
  )
}

function Overview({ state }: { readonly state: ProjectState }) {
  return (
    <>
      <Attention state={state} />
      <Board state={state} />
      <DecisionCharts state={state} />
      <Latest state={state} />
      <FirstStepsCard state={state} />
    </>
  )
}

function EmptyProject({ state }: { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  return (
    <>
      <section className="card">
        <Empty picture="flow" title={texts.empty} text={texts.emptyText}>
          <div className="row wrap">
            <Go to={paths.rulesets(oid, pid)} className="btn" data-kind="primary">
              {texts.makeRuleset}
            </Go>
            <Go to={paths.import(oid, pid)} className="btn">
              {texts.importRules}
            </Go>
            <Go to={paths.organization(oid)} className="btn">
              {texts.templates}
            </Go>
          </div>
        </Empty>
      </section>
      <FirstStepsCard state={state} isLarge />
    </>
  )
}

const [NOON, EVENING] = [12, 18]

/** A greeting for the user's time of day. */
function useGreeting(): string {
  const { greetings, noName } = useOverviewTexts()
  const user = useMe().data?.user
  const hour = new Date().getHours()
  const greet = hour < NOON ? greetings.morning : hour < EVENING ? greetings.afternoon : greetings.evening
  const name = user?.display_name ?? ''
  return greet(name === '' ? noName : (name.split(' ')[0] ?? name))
}
