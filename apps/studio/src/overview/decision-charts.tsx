import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { tableKeys } from '@engine/expression'
import { useMemo, useState } from 'react'
import { call } from '../api/client.ts'
import { keyOf, useGet } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import { useIds } from '../frame/route-scope.ts'
import { codeColours } from '../graph-editor/code-colours.ts'
import { useLanguage, useNumbers } from '../texts/texts.tsx'
import { timesOf } from '../ui/chart-scale.ts'
import { Sparkline } from '../ui/small-charts.tsx'
import { TimeChart } from '../ui/time-charts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Skeleton } from '../ui/states.tsx'
import { countsOf, type DecisionCounts } from './decision-counts.ts'
import { useOverviewTexts } from './overview-texts.ts'
import { enginesOf, type ProjectState } from './project-state.ts'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'
const STATS = `${RULESET}/stats` as const
const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS
/** Selectable time ranges, with the step of each in seconds. */
const SPANS = {
  hour: { ms: 60 * MINUTE_MS, step: 60 },
  day: { ms: 24 * 60 * MINUTE_MS, step: 1800 },
  week: { ms: WEEK_MS, step: 4 * 3600 },
} as const
type Span = keyof typeof SPANS
const NAMES = tableKeys(SPANS)
/** Engines send counts with their heartbeats. */
const POLL_INTERVAL_MS = 15_000
/** Maximum number of rulesets whose counts are fetched, with one request each. */
const MAX_COUNTED = 8
/** Maximum number of codes with a separate series in the chart. */
const MAX_CODES = 6

/** Counts of rulesets in an environment over a time range. */
function useCounts(names: readonly string[], environment: string, span: Span, shiftMs = 0, isOn = true) {
  const { oid, pid } = useIds()
  const { ms, step } = SPANS[span]
  // Rounded to a step, so that polls within it request the same range.
  const now = Math.ceil(Date.now() / step / 1000) * step * 1000
  const [from, to] = [now - ms - shiftMs, now - shiftMs]
  const found = useQueries({
    queries: names.map((name) => {
      const sent = {
        path: { oid, pid, name },
        query: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step },
      }
      return {
        queryKey: keyOf(STATS, sent),
        queryFn: ({ signal }: { signal: AbortSignal }) => call('get', STATS, sent, signal),
        refetchInterval: shiftMs === 0 ? POLL_INTERVAL_MS : false,
        placeholderData: keepPreviousData,
        enabled: isOn,
      } as const
    }),
  })
  const times = timesOf(from, to - 1, step * 1000)
  const isPending = isOn && found.some(({ data }) => data === undefined)
  const counts = countsOf(
    found.flatMap(({ data }) => data ?? []),
    environment,
    times,
  )
  return { counts, times, isPending, error: found.find(({ error }) => error !== null)?.error ?? null }
}

/** Decisions, result codes and health of one environment. */
export function DecisionCharts({ state }: { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const { drafts, environments } = state
  const served = environments.filter(({ name }) =>
    drafts.some(({ live }) => live.some((one) => one.environment === name)),
  )
  const [chosen, choose] = useState<string>()
  const environment = served.find(({ name }) => name === chosen) ?? served.at(-1)
  const [chosenSpan, setSpan] = useState<Span>()
  const live = drafts
    .filter((draft) => draft.live.some((one) => one.environment === environment?.name))
    .toSorted((left, right) => Date.parse(right.updated_at) - Date.parse(left.updated_at))
  const names = live.slice(0, MAX_COUNTED).map(({ name }) => name)
  const day = useCounts(names, environment?.name ?? '', 'day')
  // For a new project the last hour is enough.
  const isYoung = day.counts.first >= 0 && Date.now() - (day.times[day.counts.first] ?? 0) < 3 * SPANS.hour.ms
  const span = chosenSpan ?? (isYoung ? 'hour' : 'day')
  if (environment === undefined) return null
  return (
    <>
      {live.length > MAX_COUNTED && <p className="muted">{texts.some(MAX_COUNTED, live.length)}</p>}
      <div className="overview-charts">
        <Decisions
          names={names}
          environment={environment.name}
          environments={served.map(({ name }) => name)}
          choose={choose}
          span={span}
          setSpan={setSpan}
        />
        <Codes names={names} environment={environment.name} span={span} />
        <Health names={names} environment={environment.name} span={span} state={state} />
      </div>
    </>
  )
}

interface PartProps {
  readonly names: readonly string[]
  readonly environment: string
  readonly span: Span
}

function Decisions({
  names,
  environment,
  environments,
  choose,
  span,
  setSpan,
}: PartProps & {
  readonly environments: readonly string[]
  readonly choose: (name: string) => void
  readonly setSpan: (span: Span) => void
}) {
  const texts = useOverviewTexts()
  const { number } = useNumbers()
  const { counts, times, isPending } = useCounts(names, environment, span)
  const before = useCounts(names, environment, span, WEEK_MS)
  const { language } = useLanguage()
  const clock = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { timeStyle: 'short' })
  const hasBefore = before.counts.total > 0
  const begun = counts.first > 0 ? times[counts.first] : undefined
  return (
    <section className="card overview-chart" aria-label={`${texts.decisionsIn} ${environment}`}>
      <header>
        <label className="row">
          <h2>{texts.decisionsIn}</h2>
          <select className="input" value={environment} onChange={({ target }) => choose(target.value)}>
            {environments.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <span className="grow" />
        <div className="seg" role="group" aria-label={texts.span}>
          {NAMES.map((name) => (
            <button key={name} type="button" aria-pressed={name === span} onClick={() => setSpan(name)}>
              {texts.spans[name]}
            </button>
          ))}
        </div>
      </header>
      <div className="body">
        <p className="figure-line">
          <b className="figure tnum">{isPending ? '–' : number(counts.total)}</b>{' '}
          {hasBefore ? (
            <Comparison now={counts.total} before={before.counts.total} />
          ) : (
            begun !== undefined && <span className="muted">{texts.begun(clock.format(begun))}</span>
          )}
        </p>
        {isPending ? (
          <Skeleton lines={3} />
        ) : counts.total === 0 ? (
          <p className="muted">{texts.noDecisions}</p>
        ) : (
          <TimeChart
            label={texts.chart(number(counts.total), environment)}
            mark="lines"
            times={times}
            series={[
              { name: texts.thisSpan, color: 'var(--accent)', values: counts.executions },
              ...(hasBefore
                ? [{ name: texts.weekBefore, color: 'var(--live-line)', values: before.counts.executions }]
                : []),
            ]}
          />
        )}
      </div>
    </section>
  )
}

function Comparison({ now, before }: { readonly now: number; readonly before: number }) {
  const texts = useOverviewTexts()
  const { percent } = useNumbers()
  const share = Math.abs(now / before - 1)
  if (share < 0.005) return <span className="muted">{texts.asMany}</span>
  return <span className="muted">{now > before ? texts.more(percent(share)) : texts.fewer(percent(share))}</span>
}

function Codes({ names, environment, span }: PartProps) {
  const texts = useOverviewTexts()
  const { percent } = useNumbers()
  const [chosen, choose] = useState<string>()
  const name = names.find((one) => one === chosen) ?? names[0] ?? ''
  const only = useMemo(() => [name], [name])
  const { counts, times, isPending } = useCounts(only, environment, span)
  const colours = useCodeColours(name)
  const shown = largestCodes(counts)
  return (
    <section className="card overview-chart" aria-label={texts.codes}>
      <header>
        <label className="row">
          <h2>{texts.codes}</h2>
          <select className="input" value={name} onChange={({ target }) => choose(target.value)}>
            {names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </header>
      <div className="body">
        <ul className="code-legend">
          {shown.map(({ code, total }) => (
            <li key={code}>
              <CodeTag
                name={`${code} ${percent(total / Math.max(1, counts.total - counts.failed))}`}
                colour={colours.get(code)}
              />
            </li>
          ))}
        </ul>
        {isPending ? (
          <Skeleton lines={3} />
        ) : counts.total === 0 ? (
          <p className="muted">{texts.noDecisions}</p>
        ) : (
          <TimeChart
            label={texts.codesChart(name)}
            mark="bars"
            times={times}
            series={shown.map(({ code, values }) => ({
              name: code,
              color: `var(${colours.get(code) ?? '--c-other'})`,
              values,
            }))}
          />
        )}
      </div>
    </section>
  )
}

const largestCodes = ({ codes }: DecisionCounts) => codes.slice(0, MAX_CODES)

/** The colours of the codes of a ruleset, the same in all views. */
export function useCodeColours(name: string): ReadonlyMap<string, string> {
  const { oid, pid } = useIds()
  const found = useGet(RULESET, { path: { oid, pid, name } }, { enabled: name !== '' }).data
  const draft = found && rulesetOf(found)
  const contract = useGet(
    '/api/v1/orgs/{oid}/projects/{pid}/contracts',
    { path: { oid, pid }, query: { limit: 100 } },
    { enabled: name !== '' },
  ).data
  return useMemo(() => {
    const own = contract?.items.find((one) => one.name === (draft?.config.contract ?? name))
    return codeColours(
      draft?.steps ?? [],
      own?.outputs.map(({ code }) => code),
    )
  }, [draft, contract, name])
}

function Health({ names, environment, span, state }: PartProps & { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const { number, percent } = useNumbers()
  const { counts, isPending } = useCounts(names, environment, span)
  const found = state.environments.find(({ name }) => name === environment)
  const { online, all } = found === undefined ? { online: 0, all: 0 } : enginesOf(found, state.servers)
  const errors = counts.total === 0 ? 0 : counts.failed / counts.total
  return (
    <section className="card overview-chart" aria-label={`${texts.health} ${environment}`}>
      <header>
        <h2>{texts.health}</h2>
      </header>
      <div className="body">
        <dl className="health">
          <dt>{texts.errors}</dt>
          <dd className="tnum" data-tone={errors > 0.01 ? 'bad' : undefined}>
            {isPending ? '–' : percent(errors)}
          </dd>
          {counts.failed > 0 && (
            <dd className="wide">
              <Sparkline label={texts.errorsChart} values={counts.errors} color="--bad-line" />
            </dd>
          )}
          <dt>{texts.slowest}</dt>
          <dd className="tnum">{counts.p99 === null ? '–' : durationText(counts.p99, number)}</dd>
          <dt>{texts.onlineEngines}</dt>
          <dd className="tnum" data-tone={online < all ? 'warn' : 'ok'}>
            {texts.ofEngines(online, all)}
          </dd>
        </dl>
      </div>
    </section>
  )
}

const MILLISECOND_US = 1000
const durationText = (us: number, number: (value: number) => string) =>
  us < MILLISECOND_US ? `${number(us)} µs` : `${number(us / MILLISECOND_US)} ms`
