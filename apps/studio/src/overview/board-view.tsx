import { useState } from 'react'
import { useSend } from '../api/data.ts'
import { Author } from '../frame/author.tsx'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { EnvironmentName, weightAt } from '../ui/environment-name.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { useAgo } from '../texts/ago.ts'
import { type BoardCell, cellsOf, type DraftItem, type Environment } from './board.ts'
import { useOverviewTexts } from './overview-texts.ts'
import { enginesOf, type ProjectState } from './project-state.ts'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Drafts and live contents, in the order of releases from left to right. */
export function Board({ state }: { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const { environments, drafts, servers } = state
  const [publishing, setPublishing] = useState<{ readonly draft: DraftItem; readonly environment: string }>()
  return (
    <section className="card scroll board" tabIndex={0} role="region" aria-label={texts.board}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.ruleset}</th>
            <th scope="col">
              <span className="row">
                <Icon name="edit" size={14} />
                {texts.draft}
              </span>
              <small>{texts.draftText}</small>
            </th>
            {environments.map((environment, index) => (
              <th key={environment.id} scope="col">
                <EnvironmentName name={environment.name} weight={weightAt(index, environments.length)} />
                <EngineCount environment={environment} servers={servers} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drafts.map((draft) => (
            <Row
              key={draft.name}
              draft={draft}
              state={state}
              publish={(environment) => setPublishing({ draft, environment })}
            />
          ))}
        </tbody>
      </table>
      {publishing !== undefined && <PublishBox {...publishing} close={() => setPublishing(undefined)} />}
    </section>
  )
}

function EngineCount({
  environment,
  servers,
}: {
  readonly environment: Environment
  readonly servers: ProjectState['servers']
}) {
  const texts = useOverviewTexts()
  const { online, all } = enginesOf(environment, servers)
  return (
    <small className={all > 0 && online < all ? 'warn' : undefined}>
      {all === 0 ? texts.noEngines : texts.engines(online, all)}
    </small>
  )
}

interface RowProps {
  readonly draft: DraftItem
  readonly state: ProjectState
  readonly publish: (environment: string) => void
}

function Row({ draft, state, publish }: RowProps) {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  const ago = useAgo()
  const { environments, releases, rolling, tests, forMe } = state
  const red = tests?.rulesets.find(({ name }) => name === draft.name)?.failed ?? 0
  const cells = cellsOf(draft, environments, releases, rolling)
  return (
    <tr>
      <th scope="row">
        <Go to={paths.ruleset(oid, pid, draft.name)}>{draft.name}</Go>
        <small title={draft.description}>{draft.description}</small>
      </th>
      <td data-title={texts.draft}>
        <span className="row">
          <b className="tnum">{texts.draftNumber(draft.seq)}</b>
          {red > 0 && (
            <span className="tag" data-tone="bad">
              {texts.redTag(red)}
            </span>
          )}
        </span>
        <small>
          <Author id={draft.updated_by} />, {ago(draft.updated_at)}
        </small>
      </td>
      {cells.map((cell, index) => (
        <td key={cell.environment.id} data-title={cell.environment.name}>
          <StepMark draft={draft} cell={cell} publish={publish} />
          <Cell cell={cell} before={environments[index - 1]?.name} forMe={forMe} />
        </td>
      ))}
    </tr>
  )
}

function Cell({
  cell: { live, drift, waiting, rolling },
  before,
  forMe,
}: {
  readonly cell: BoardCell
  /** The previous environment; undefined for the draft. */
  readonly before: string | undefined
  readonly forMe: ReadonlySet<string>
}) {
  const texts = useOverviewTexts()
  const ago = useAgo()
  const since =
    live === undefined
      ? texts.notLive
      : live.release_number === null
        ? texts.since(ago(live.since))
        : texts.sinceRelease(ago(live.since), live.release_number)
  const words =
    waiting !== undefined
      ? forMe.has(waiting.id)
        ? texts.waitsForYou(waiting.number)
        : waiting.status === 'approved'
          ? texts.waitsForStart(waiting.number)
          : texts.waitsForApproval(waiting.number)
      : drift.kind === 'behind'
        ? before === undefined
          ? texts.ahead(drift.saves)
          : texts.behind(drift.saves, before)
        : drift.kind === 'different'
          ? texts.differs(before ?? texts.theDraft)
          : since
  return (
    <div>
      <span className="row">
        <b className="tnum">{live?.version ?? '–'}</b>
        {rolling?.percent !== undefined && (
          <span className="tag" data-tone="candidate">
            {texts.candidate(rolling.percent)}
          </span>
        )}
      </span>
      <small title={since} data-drift={drift.kind === 'behind' || drift.kind === 'different' ? '' : undefined}>
        {words}
      </small>
    </div>
  )
}

/** The transition from the content on the left to this one. */
function StepMark({
  draft,
  cell: { environment, step, waiting, rolling },
  publish,
}: {
  readonly draft: DraftItem
  readonly cell: BoardCell
  readonly publish: (environment: string) => void
}) {
  const texts = useOverviewTexts()
  const { errors } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const right = step === 'publish' ? 'ruleset.publish' : 'release.create'
  const may = useMay(right)
  const release = (rolling?.release ?? waiting)?.number
  if (step === 'none') return <span className="step" />
  if (step === 'same')
    return (
      <span className="step">
        <Icon name="check" size={14} />
        <span className="vh">{texts.steps.same}</span>
      </span>
    )
  if ((step === 'rolling' || step === 'waiting') && release !== undefined)
    return (
      <Go className="step" data-step={step} to={paths.release(oid, pid, release)} title={texts.steps[step]}>
        <Icon name={step === 'rolling' ? 'terminal' : 'clock'} size={14} />
        <span className="vh">{texts.steps[step]}</span>
      </Go>
    )
  const label =
    step === 'publish'
      ? texts.publish(draft.name, draft.seq, environment.name)
      : texts.release(draft.name, environment.name)
  return (
    <button
      type="button"
      className="btn icon step"
      disabled={!may}
      title={may ? label : errors.needs(right)}
      aria-label={label}
      onClick={() =>
        step === 'publish'
          ? publish(environment.name)
          : go(paths.newRelease(oid, pid), { search: { ruleset: draft.name, environment: environment.name } })
      }
    >
      <Icon name="onward" size={14} />
    </button>
  )
}

function PublishBox({
  draft: { name, seq },
  environment,
  close,
}: {
  readonly draft: DraftItem
  readonly environment: string
  readonly close: () => void
}) {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  const send = useSend('post', `${RULESETS}/{name}/publish`, [RULESETS])
  return (
    <FormBox
      title={texts.publish(name, seq, environment)}
      fields={[]}
      submit={texts.publishNow}
      close={close}
      send={async () => {
        await send.mutateAsync({ path: { oid, pid, name }, body: { environment, seq } })
        close()
      }}
    >
      <p>{texts.publishText}</p>
    </FormBox>
  )
}
