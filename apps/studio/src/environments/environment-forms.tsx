import { useId, useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { useIds, useMay, useProject } from '../frame/route-scope.ts'
import type { Environment } from '../overview/board.ts'
import { paths } from '../paths.ts'
import { TESTS, testsIn } from '../saved-tests/saved-test.ts'
import { useTexts } from '../texts/texts.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { pretty } from '../ui/json-text.ts'
import { Go, useGo } from '../ui/link.tsx'
import { Refusal } from '../ui/states.tsx'
import { masked, moved, nextStage, type StageFields, stageFields, stagesOf } from './canary-values.ts'
import { useEnvironmentTexts } from './environment-texts.ts'
import { StageBar } from './stage-bar.tsx'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const ENVIRONMENTS = `${PROJECT}/environments` as const
const ONE = `${ENVIRONMENTS}/{eid}` as const

interface PartProps {
  readonly environment: Environment
}

/** Form for the name and the rules of an environment. */
export function SettingsForm({ environment }: PartProps) {
  const texts = useEnvironmentTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const change = useSend('put', ONE, [ENVIRONMENTS, PROJECT])
  return (
    <Form
      fields={[
        { name: 'name', label: texts.name },
        { name: 'requires_release', label: texts.requiresRelease, kind: 'flag' },
        { name: 'hold_before', label: texts.holdBefore, kind: 'flag' },
        { name: 'allow_local_rulesets', label: texts.allowLocal, kind: 'flag' },
      ]}
      initial={environment}
      takesFocus={false}
      submit={texts.save}
      send={async (body) => {
        const { name } = await change.mutateAsync({ path: { oid, pid, eid: environment.id }, body })
        if (name !== environment.name) go(paths.environment(oid, pid, name), { replace: true })
      }}
    />
  )
}

/** The engines that serve an environment, in request order. */
export function EngineOrder({ environment }: PartProps) {
  const texts = useEnvironmentTexts()
  const { errors } = useTexts()
  const { oid, pid } = useIds()
  const may = useMay('server.manage')
  const servers = useList('/api/v1/servers', { query: { org_id: oid } }).items ?? []
  const bind = useSend('put', `${PROJECT}/server`, [ENVIRONMENTS])
  const [dragged, setDragged] = useState<number>()
  const { server_ids: ids } = environment
  const known = ids.flatMap((id) => servers.filter((server) => server.id === id))
  const others = servers.filter(({ id }) => !ids.includes(id))
  const set = (server_ids: readonly string[]) =>
    bind.mutate({ path: { oid, pid }, body: { environment: environment.name, server_ids: [...server_ids] } })
  if (servers.length === 0)
    return (
      <p>
        {texts.noServers} <Go to={paths.engines(oid)}>{texts.connect}</Go>
      </p>
    )
  const isOff = !may || bind.isPending
  const reason = may ? undefined : errors.needs('server.manage')
  return (
    <>
      <p className="muted">{texts.engineOrder}</p>
      <Refusal error={bind.error} />
      <ol className="engine-order">
        {[...known, ...others].map(({ id, name, status }, index) => {
          const isUsed = ids.includes(id)
          return (
            <li
              key={id}
              draggable={isUsed && !isOff}
              onDragStart={() => setDragged(index)}
              onDragOver={(event) => dragged !== undefined && isUsed && event.preventDefault()}
              onDrop={() => {
                if (dragged !== undefined && dragged !== index) set(moved(ids, dragged, index - dragged))
                setDragged(undefined)
              }}
              onDragEnd={() => setDragged(undefined)}
            >
              <label className="check">
                <input
                  type="checkbox"
                  aria-label={texts.useEngine(name)}
                  checked={isUsed}
                  disabled={isOff}
                  title={reason}
                  onChange={() => set(isUsed ? ids.filter((one) => one !== id) : [...ids, id])}
                />
                {name}
              </label>
              {isUsed && index === 0 && <span className="tag">{texts.first}</span>}
              <span className="tag" data-tone={status === 'online' ? 'ok' : 'warn'}>
                {status}
              </span>
              <span className="grow" />
              {isUsed && ids.length > 1 && (
                <>
                  <button
                    type="button"
                    className="btn icon"
                    data-kind="quiet"
                    aria-label={texts.up(name)}
                    disabled={isOff || index === 0}
                    onClick={() => set(moved(ids, index, -1))}
                  >
                    <Icon name="up" size={14} />
                  </button>
                  <button
                    type="button"
                    className="btn icon"
                    data-kind="quiet"
                    aria-label={texts.down(name)}
                    disabled={isOff || index === ids.length - 1}
                    onClick={() => set(moved(ids, index, 1))}
                  >
                    <Icon name="down" size={14} />
                  </button>
                </>
              )}
            </li>
          )
        })}
      </ol>
    </>
  )
}

const FAILURES = ['rollback', 'pause'] as const
const INCONCLUSIVES = ['hold', 'promote'] as const

/** Form for the stages of a rollout and its guards. */
export function CanaryForm({ environment: { id: eid, canary } }: PartProps) {
  const texts = useEnvironmentTexts()
  const { oid, pid } = useIds()
  const [stages, setStages] = useState(() => stageFields(canary.stages))
  const change = useSend('put', `${ONE}/canary`, [ENVIRONMENTS])
  return (
    <Form
      fields={[
        {
          name: 'on_failure',
          label: texts.onFailure,
          kind: 'select',
          options: FAILURES.map((value) => ({ value, label: texts.onFailures[value] })),
        },
        {
          name: 'on_inconclusive',
          label: texts.onInconclusive,
          kind: 'select',
          options: INCONCLUSIVES.map((value) => ({ value, label: texts.onInconclusives[value] })),
        },
        { name: 'alpha', label: texts.alpha, kind: 'number' },
      ]}
      initial={{ on_failure: canary.on_failure, on_inconclusive: canary.on_inconclusive, alpha: String(canary.alpha) }}
      takesFocus={false}
      submit={texts.save}
      send={({ on_failure, on_inconclusive, alpha }) =>
        change.mutateAsync({
          path: { oid, pid, eid },
          body: { stages: stagesOf(stages), on_failure, on_inconclusive, alpha: Number(alpha) },
        })
      }
    >
      <p className="muted">{texts.canaryText}</p>
      <StageBar stages={stagesOf(stages)} />
      <StageList stages={stages} change={setStages} />
    </Form>
  )
}

function StageList({
  stages,
  change,
}: {
  readonly stages: readonly StageFields[]
  readonly change: (stages: readonly StageFields[]) => void
}) {
  const texts = useEnvironmentTexts()
  const id = useId()
  const names = ['percent', 'minutes', 'requests'] as const
  return (
    <div className="stage-fields">
      {stages.map((stage, index) => (
        <fieldset key={index}>
          <legend className="label">{texts.stage(index + 1)}</legend>
          {names.map((name) => (
            <div key={name} className="field">
              <label htmlFor={`${id}${index}${name}`}>{texts[name]}</label>
              <input
                id={`${id}${index}${name}`}
                className="input"
                type="number"
                step="any"
                min={0}
                required={name !== 'requests'}
                value={stage[name]}
                onChange={({ target }) =>
                  change(stages.map((one, at) => (at === index ? { ...one, [name]: target.value } : one)))
                }
              />
            </div>
          ))}
          <button
            type="button"
            className="btn icon"
            data-kind="quiet"
            aria-label={texts.removeStage(index + 1)}
            onClick={() => change(stages.filter((_, at) => at !== index))}
          >
            <Icon name="trash" size={14} />
          </button>
        </fieldset>
      ))}
      <button type="button" className="btn" onClick={() => change([...stages, nextStage(stages)])}>
        <Icon name="plus" />
        {texts.addStage}
      </button>
    </div>
  )
}

/** Form for the share of recorded decisions, their retention time and the masked fields, with an example. */
export function RecordingForm({ environment: { id: eid, recording } }: PartProps) {
  const texts = useEnvironmentTexts()
  const { oid, pid } = useIds()
  const change = useSend('put', `${ONE}/recording`, [ENVIRONMENTS])
  return (
    <>
      <Form
        fields={[
          { name: 'rate', label: texts.rate, kind: 'number', hint: texts.rateHint },
          { name: 'retention_days', label: texts.days, kind: 'number' },
          { name: 'mask', label: texts.mask, kind: 'area', hint: texts.maskHint, isOptional: true },
          { name: 'answers', label: texts.answers, kind: 'flag', hint: texts.answersHint },
        ]}
        initial={{
          rate: String(recording.rate),
          retention_days: String(recording.retention_days),
          mask: recording.mask.join('\n'),
          answers: recording.answers === true,
        }}
        takesFocus={false}
        submit={texts.save}
        send={({ rate, retention_days, mask, answers }) =>
          change.mutateAsync({
            path: { oid, pid, eid },
            body: {
              rate: Number(rate),
              retention_days: Number(retention_days),
              mask: mask.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])),
              answers,
            },
          })
        }
      />
      <MaskExample mask={recording.mask} />
    </>
  )
}

/** The input of a saved test, masked as in a recording. */
function MaskExample({ mask }: { readonly mask: readonly string[] }) {
  const texts = useEnvironmentTexts()
  const ids = useIds()
  const name = useGet(`${PROJECT}/rulesets`, { path: ids, query: { limit: 1 } }).data?.items[0]?.name
  const suites = useGet(TESTS, { path: { ...ids, name: name ?? '' } }, { enabled: name !== undefined }).data
  const [example] = testsIn(suites?.items ?? [])
  if (name === undefined || example === undefined || mask.length === 0) return null
  return (
    <figure className="mask-example">
      <figcaption className="muted">{texts.maskExampleText(name)}</figcaption>
      <pre className="scroll" tabIndex={0} role="region" aria-label={texts.maskExample}>
        {pretty(masked(example.input, mask))}
      </pre>
    </figure>
  )
}

/** The live rulesets of an environment. */
export function LiveHere({ environment }: PartProps) {
  const texts = useEnvironmentTexts()
  const { oid, pid } = useIds()
  const { rulesets } = useTexts()
  const drafts = useList(`${PROJECT}/rulesets`, { path: { oid, pid } }).items ?? []
  const current = useProject().data
  const live = drafts.flatMap(({ name, live: all }) =>
    all.filter((one) => one.environment === environment.name).map((one) => ({ ...one, name })),
  )
  if (live.length === 0) return <p className="muted">{texts.nothingLive}</p>
  return (
    <table className="list stacked" aria-label={`${texts.liveHere}: ${environment.name}, ${current?.name ?? ''}`}>
      <thead>
        <tr>
          <th scope="col">{rulesets.name}</th>
          <th scope="col">{texts.version}</th>
          <th scope="col">{texts.by}</th>
        </tr>
      </thead>
      <tbody>
        {live.map(({ name, version, release_number: number }) => (
          <tr key={name}>
            <td data-title={rulesets.name}>
              <Go to={paths.ruleset(oid, pid, name)}>{name}</Go>
            </td>
            <td data-title={texts.version}>
              <code>{version}</code>
            </td>
            <td data-title={texts.by}>
              {number === null ? (
                texts.published
              ) : (
                <Go to={paths.release(oid, pid, number)}>{texts.releaseNumber(number)}</Go>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
