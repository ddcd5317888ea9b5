import { type DragEvent, useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { useIds, useMay, useProject } from '../frame/route-scope.ts'
import { cellsOf, type Environment } from '../overview/board.ts'
import { isRunning } from '../releases/executions.ts'
import { enginesOf } from '../overview/project-state.ts'
import { paths } from '../paths.ts'
import { policyOf } from '../policies/policy.ts'
import { usePolicyTexts } from '../policies/policy-texts.ts'
import { useNumbers } from '../texts/texts.tsx'
import { EnvironmentName, weightAt } from '../ui/environment-name.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Refusal } from '../ui/states.tsx'
import { moved } from './canary-values.ts'
import { useEnvironmentTexts } from './environment-texts.ts'
import { StageBar } from './stage-bar.tsx'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const ENVIRONMENTS = `${PROJECT}/environments` as const

/** The environments in the order of releases. Cards can be dragged, or moved with their arrow buttons. */
export function EnvironmentCards({ environments }: { readonly environments: readonly Environment[] }) {
  const { oid, pid } = useIds()
  const mayChange = useMay('environment.manage')
  const change = useSend('put', `${ENVIRONMENTS}/{eid}`, [ENVIRONMENTS])
  const [dragged, setDragged] = useState<number>()
  const move = async (from: number, by: number) => {
    const ordered = moved(environments, from, by)
    for (const [order, { id: eid, order: old }] of ordered.entries())
      if (order !== old) await change.mutateAsync({ path: { oid, pid, eid }, body: { order } })
  }
  const drag = (index: number) => ({
    draggable: mayChange,
    onDragStart: ({ dataTransfer }: DragEvent) => {
      dataTransfer.effectAllowed = 'move'
      setDragged(index)
    },
    onDragOver: (event: DragEvent) => dragged !== undefined && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      if (dragged !== undefined && dragged !== index) move(dragged, index - dragged).catch(() => undefined)
      setDragged(undefined)
    },
    onDragEnd: () => setDragged(undefined),
  })
  return (
    <>
      <Refusal error={change.error} />
      <ol className="environments">
        {environments.map((environment, index) => (
          <li key={environment.id} {...drag(index)} data-dragged={dragged === index ? '' : undefined}>
            <Card
              environment={environment}
              environments={environments}
              index={index}
              {...(mayChange &&
                !change.isPending && { move: (by: number) => void move(index, by).catch(() => undefined) })}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

interface CardProps {
  readonly environment: Environment
  readonly environments: readonly Environment[]
  readonly index: number
  /** Undefined if the user may not change the order, or while it is changing. */
  readonly move?: (by: number) => void
}

function Card({ environment, environments, index, move }: CardProps) {
  const texts = useEnvironmentTexts()
  const { percent } = useNumbers()
  const { oid, pid } = useIds()
  const current = useProject().data?.current_environment
  const servers = useGet('/api/v1/servers', { query: { org_id: oid, limit: 100 } }).data?.items ?? []
  const { own, online, all } = enginesOf(environment, servers)
  const { name, canary, recording } = environment
  const ordered = environment.server_ids.flatMap((id) => own.filter((server) => server.id === id))
  const weight = weightAt(index, environments.length)
  return (
    <article className="card environment" data-weight={weight} aria-label={name}>
      <header>
        <h2>
          <Go to={paths.environment(oid, pid, name)}>
            <EnvironmentName name={name} weight={weight} />
          </Go>
        </h2>
        {name === current && <span className="tag">{texts.current}</span>}
        {environment.hold_before && (
          <span className="tag">
            <Icon name="pause" size={12} />
            {texts.holds}
          </span>
        )}
        <span className="grow" />
        <span className="tag" data-tone={all === 0 ? undefined : online === all ? 'ok' : 'warn'}>
          {online < all && <Icon name="alert" size={12} />}
          {all === 0 ? texts.noEngine : texts.engineCount(online, all)}
        </span>
      </header>
      <dl>
        <dt>{texts.release}</dt>
        <dd>
          <Needed environment={environment} />
        </dd>
        <dt>{texts.engines}</dt>
        <dd>
          {ordered.length === 0
            ? texts.noEnginesText
            : ordered.map(({ id, name: engine, status }, place) => (
                <span key={id}>
                  {place > 0 && ', '}
                  {status === 'online' ? engine : <span className="warn">{texts.silent(engine)}</span>}
                </span>
              ))}
        </dd>
        <dt>{texts.rollout}</dt>
        <dd>
          <StageBar stages={canary.stages} />
        </dd>
        <dt>{texts.recording}</dt>
        <dd>
          {recording.rate === 0
            ? texts.notRecorded
            : texts.recorded(percent(recording.rate / 100), recording.retention_days, recording.mask.length)}
        </dd>
        <dt>{texts.live}</dt>
        <dd>
          <LiveCount environment={environment} environments={environments} />
        </dd>
      </dl>
      {move !== undefined && environments.length > 1 && (
        <footer>
          <button
            type="button"
            className="btn icon"
            data-kind="quiet"
            aria-label={texts.earlier(name)}
            disabled={index === 0}
            onClick={() => move(-1)}
          >
            <Icon name="back" size={14} />
          </button>
          <button
            type="button"
            className="btn icon"
            data-kind="quiet"
            aria-label={texts.later(name)}
            disabled={index === environments.length - 1}
            onClick={() => move(1)}
          >
            <Icon name="onward" size={14} />
          </button>
        </footer>
      )}
    </article>
  )
}

/** Whether changes require a release, and how many approvals. */
function Needed({ environment }: { readonly environment: Environment }) {
  const texts = useEnvironmentTexts()
  const { sentences } = usePolicyTexts()
  const policies = useGet(`${PROJECT}/release-policies`, { path: useIds() }).data?.items ?? []
  if (!environment.requires_release) return texts.releaseNotNeeded
  const policy = policyOf(environment, policies)
  if (policy === undefined) return texts.releaseNeeded(texts.oneApproval)
  const { min_count: count, roles } = policy.approvers
  return texts.releaseNeeded(count === 0 ? sentences.noApproval : sentences.approvals(count, roles.join(sentences.or)))
}

/** The number of live rulesets, of those that differ from the previous environment, and of those in a canary. */
function LiveCount({ environment, environments }: Pick<CardProps, 'environment' | 'environments'>) {
  const texts = useEnvironmentTexts()
  const path = useIds()
  const drafts = useList(`${PROJECT}/rulesets`, { path }).items ?? []
  const releases = useList(`${PROJECT}/releases`, { path, query: { limit: 50 } }).items ?? []
  const index = environments.indexOf(environment)
  const cells = drafts.map((draft) => cellsOf(draft, environments, releases, [])[index])
  const live = cells.filter((cell) => cell?.live !== undefined).length
  const behind =
    index === 0 ? 0 : cells.filter((cell) => cell?.drift.kind === 'behind' || cell?.drift.kind === 'different').length
  const running = releases
    .filter((release) => isRunning(release) && release.environments.includes(environment.name))
    .flatMap(({ rulesets }) => rulesets).length
  return [
    texts.liveCount(live),
    ...(behind > 0 ? [texts.behind(behind, environments[index - 1]?.name ?? '')] : []),
    ...(running > 0 ? [texts.inCanary(running)] : []),
  ].join(', ')
}

/** Describes the reactions to a worse candidate. */
export function GuardSentences({ canary, name }: { readonly canary: Environment['canary']; readonly name: string }) {
  const texts = useEnvironmentTexts()
  const { number } = useNumbers()
  return (
    <section className="card" aria-label={texts.guards(name)}>
      <header>
        <h2>{texts.guards(name)}</h2>
      </header>
      <ul className="guards">
        <li>
          <Icon name={canary.on_failure === 'rollback' ? 'undo' : 'pause'} />
          {texts.guardFail[canary.on_failure]} {texts.falseAlarms(number(Math.round(1 / canary.alpha)))}
        </li>
        <li>
          <Icon name="pause" />
          {texts.guardOpen[canary.on_inconclusive]}
        </li>
      </ul>
    </section>
  )
}
