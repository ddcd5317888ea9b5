import { useNavigate, useSearch } from '@tanstack/react-router'
import '../styles/releases.css'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { Author } from '../frame/author.tsx'
import { MakeButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { isRunning, useExecutions } from '../releases/executions.ts'
import { type EnvironmentProgress, progressOf, waitingFor } from '../releases/progress.ts'
import { useReleasesListTexts } from '../releases/releases-list-texts.ts'
import type { ReleasesSearch } from '../releases/search.ts'
import { STATUSES, StatusTag } from '../releases/status-tag.tsx'
import { useAgo } from '../texts/ago.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

type Release = components['schemas']['Release']
const ORGANIZATION = '/api/v1/orgs/{oid}'
/** Engine reports and canary progress cause no project event. */
const POLL_INTERVAL_MS = 15_000

/** Releases of the project or of all projects, newest first: the progress of each, and the action that it waits for. */
export function ReleasesPage() {
  const { releases: texts } = useTexts()
  const words = useReleasesListTexts()
  const { oid, pid } = useIds()
  const time = useTime()
  const ago = useAgo()
  const go = useGo()
  const { scope, environment, q, ...rest }: ReleasesSearch = useSearch({ strict: false })
  const status = STATUSES.find((one) => one === rest.status)
  const query = { ...(q !== undefined && { q }), ...(status !== undefined && { status }) }
  const isWide = scope === 'organization'
  const polling = { refetchInterval: POLL_INTERVAL_MS }
  const own = useList(
    `${ORGANIZATION}/projects/{pid}/releases`,
    { path: { oid, pid }, query: { ...query, ...(environment !== undefined && { environment }) } },
    { ...polling, enabled: !isWide },
  )
  const all = useList(`${ORGANIZATION}/releases`, { path: { oid }, query }, { ...polling, enabled: isWide })
  const list = isWide ? all : own
  const projects = useList(`${ORGANIZATION}/projects`, { path: { oid } }, { enabled: isWide }).items ?? []
  const running = (list.items ?? []).filter(isRunning)
  const executions = useExecutions(oid, running)
  const placeOf = (release: Release) => executions[running.indexOf(release)]?.environment
  const isFiltered = q !== undefined || status !== undefined || environment !== undefined
  const action = <MakeButton right="release.create" label={texts.make} run={() => go(paths.newRelease(oid, pid))} />
  return (
    <Page title={texts.title} text={texts.text} actions={action}>
      <Filters isWide={isWide} />
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.number, kind: 'number', cell: ({ number }) => number },
          {
            title: texts.name,
            cell: ({ number, title, project_id: of }) => <Go to={paths.release(oid, of, number)}>{title}</Go>,
          },
          ...(isWide
            ? [
                {
                  title: words.project,
                  cell: ({ project_id: of }: Release) => projects.find(({ id }) => id === of)?.name ?? '',
                },
              ]
            : []),
          {
            title: texts.rulesets,
            cell: ({ rulesets }) => (
              <code>{rulesets.map(({ name, version }) => `${name} ${version ?? ''}`).join(', ')}</code>
            ),
          },
          { title: words.progress, cell: (release) => <Way progress={progressOf(release, placeOf(release))} /> },
          { title: texts.status, cell: ({ status: of }) => <StatusTag status={of} /> },
          { title: words.waitsFor, cell: (release) => <Waits release={release} /> },
          { title: words.author, cell: ({ created_by: by }) => <Author id={by} /> },
          {
            title: words.age,
            cell: ({ created_at: at }) => (
              <time className="muted" dateTime={at} title={time(at)}>
                {ago(at)}
              </time>
            ),
          },
        ]}
        empty={
          isFiltered ? (
            <Empty picture="search" title={words.noMatch} text={words.noMatchText} />
          ) : (
            <Empty picture="road" title={texts.none} text={texts.noneText} />
          )
        }
      />
    </Page>
  )
}

const ICONS = { live: 'check', running: 'clock', next: 'circle' } as const
const TONES = { live: 'ok', running: 'candidate', next: undefined } as const

/** The environments of a release, each with its state. */
function Way({ progress }: { readonly progress: readonly EnvironmentProgress[] }) {
  const { way } = useReleasesListTexts()
  return (
    <ol className="way">
      {progress.map(({ environment, state }) => (
        <li key={environment} className="tag" data-tone={TONES[state]} title={way[state](environment)}>
          <Icon name={ICONS[state]} size={12} />
          <span aria-hidden="true">{environment}</span>
          <span className="vh">{way[state](environment)}</span>
        </li>
      ))}
    </ol>
  )
}

/** The people or the action that a release waits for. */
function Waits({ release }: { readonly release: Release }) {
  const words = useReleasesListTexts()
  const waiting = waitingFor(release)
  if (waiting === undefined) return null
  if (waiting.kind === 'approval') return words.approval(waiting.missing, waiting.roles.join(words.or))
  return waiting.kind === 'you' ? <b>{words.you}</b> : words[waiting.kind]
}

/** Filters of the list, which are part of the URL. */
function Filters({ isWide }: { readonly isWide: boolean }) {
  const { releases: texts } = useTexts()
  const words = useReleasesListTexts()
  const environments = useEnvironments().data?.items ?? []
  const search: ReleasesSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = (changed: { readonly [name in keyof ReleasesSearch]?: ReleasesSearch[name] | undefined }) =>
    void navigate({ to: '.', replace: true, search: { ...search, ...changed } })
  const textOf = (value: string) => (value === '' ? undefined : value)
  return (
    <div className="row wrap">
      <label className="row">
        <span className="label">{words.search}</span>
        <input
          className="input"
          value={search.q ?? ''}
          placeholder={words.searchHint}
          onChange={({ target }) => change({ q: textOf(target.value) })}
        />
      </label>
      <label className="row">
        <span className="label">{texts.status}</span>
        <select
          className="input"
          value={search.status ?? ''}
          onChange={({ target }) => change({ status: textOf(target.value) })}
        >
          <option value="">{words.anyState}</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {texts.statuses[status]}
            </option>
          ))}
        </select>
      </label>
      {!isWide && (
        <label className="row">
          <span className="label">{texts.environment}</span>
          <select
            className="input"
            value={search.environment ?? ''}
            onChange={({ target }) => change({ environment: textOf(target.value) })}
          >
            <option value="">{words.anyEnvironment}</option>
            {environments.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <span className="grow" />
      <div className="seg" role="group" aria-label={words.scope}>
        <button type="button" aria-pressed={!isWide} onClick={() => change({ scope: undefined })}>
          {words.thisProject}
        </button>
        <button
          type="button"
          aria-pressed={isWide}
          onClick={() => change({ scope: 'organization', environment: undefined })}
        >
          {words.allProjects}
        </button>
      </div>
    </div>
  )
}
