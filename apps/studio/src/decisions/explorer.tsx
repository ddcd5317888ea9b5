import type { Value } from '@engine/expression'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { keyOf, useGet } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import { ApiError } from '../api/errors.ts'
import { readLines } from '../api/read-lines.ts'
import { BASE } from '../api/client.ts'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { ask } from '../language/language.ts'
import type { ReplayedOutcome } from '../language/tasks.ts'
import { useCodeColours } from '../overview/decision-charts.tsx'
import { paths } from '../paths.ts'
import { useSave } from '../review/compared-drafts.ts'
import { useNumbers } from '../texts/texts.tsx'
import { TimeChart } from '../ui/time-charts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { LinesDownload } from '../ui/lines-download.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { useClock } from './clock.ts'
import { DecisionDrawer } from './decision-drawer.tsx'
import {
  type Change,
  changeGroups,
  changeOf,
  commonPaths,
  numericPaths,
  countsByCode,
  type Decision,
  decisionIn,
  type FieldFilter,
  filtered,
  isMasked,
  valueAt,
} from './decision-fields.ts'
import { useDecisionTexts } from './decision-texts.ts'
import { FieldValue } from './field-value.tsx'
import { useContents, useSurroundings } from './deciding-content.ts'
import { type Span, SPAN_MS, startOf } from './search.ts'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'
/** Maximum length of a value in the table. */
const MAX_CELL_LENGTH = 28
/** Maximum number of decisions to read, the newest first. */
const MAX_DECISIONS = 20_000
/** Decisions per message to the worker, between which the page can be left. */
const REPLAY_BATCH_SIZE = 1000
const STEPS = 60
const FIRST_ROWS = 50
const INPUT_COLUMNS = 4
/** Milliseconds between two polls: engines send decisions with their heartbeats. */
const POLL_INTERVAL_MS = 20_000

interface Place {
  readonly ruleset: string
  readonly environment: string
  readonly span: Span
}

/** Outcomes of a replay by the id of the decision. */
type Replay = ReadonlyMap<string, ReplayedOutcome>

/** Recorded decisions of a ruleset: chart, filters, replay, table, and details of one decision. */
export function Explorer({ ruleset, environment, span }: Place) {
  const texts = useDecisionTexts()
  const { number } = useNumbers()
  const { oid, pid } = useIds()
  const environments = useEnvironments().data?.items ?? []
  const from = useMemo(() => startOf(span), [span])
  const path = RULESET.replace('{oid}', oid).replace('{pid}', pid).replace('{name}', encodeURIComponent(ruleset))
  const query = { environment, from }
  const found = useQuery({
    queryKey: keyOf(`${RULESET}/decisions`, { oid, pid, ruleset, ...query }),
    queryFn: async ({ signal }) => {
      const { values, isWhole } = await readLines(`${path}/decisions`, query, MAX_DECISIONS, signal)
      return { decisions: values.flatMap((value) => decisionIn(value) ?? []), isWhole }
    },
    refetchInterval: POLL_INTERVAL_MS,
  })
  if (found.data === undefined) {
    const isForbidden = found.error instanceof ApiError && found.error.status === 403
    return (
      <div className="card">
        <Pending of={found} lines={9} />
        {isForbidden && <p className="body muted">{texts.forbiddenText}</p>}
      </div>
    )
  }
  const { decisions, isWhole } = found.data
  const own = environments.find(({ name }) => name === environment)
  if (decisions.length === 0)
    return (
      <div className="card">
        <Empty
          picture="signal"
          title={texts.none}
          text={own?.recording.rate === 0 ? texts.notRecorded(environment) : texts.noneText}
        >
          <Go className="btn" to={paths.environment(oid, pid, environment)}>
            {texts.setRecording}
          </Go>
        </Empty>
      </div>
    )
  const title = (isWhole ? texts.count : texts.newest)(number(decisions.length))
  const href = `${BASE}${path}/decisions?${new URLSearchParams(query).toString()}`
  return <Found key={`${ruleset} ${environment} ${span}`} {...{ ruleset, span, decisions, title, href }} />
}

interface FoundProps {
  readonly ruleset: string
  readonly span: Span
  readonly decisions: readonly Decision[]
  readonly title: string
  /** URL of all decisions as NDJSON. */
  readonly href: string
}

function Found({ ruleset, span, decisions, title, href }: FoundProps) {
  const texts = useDecisionTexts()
  const { number } = useNumbers()
  const [codes, setCodes] = useState<readonly string[]>([])
  const [fields, setFields] = useState<readonly FieldFilter[]>([])
  const [range, setRange] = useState<readonly [number, number]>()
  const [isOnlyChanged, setOnlyChanged] = useState(false)
  const [shownId, show] = useState<string>()
  const [most, setMost] = useState(FIRST_ROWS)
  const [replay, setReplay] = useState<{ readonly words: string; readonly outcomes: Replay }>()
  const colours = useCodeColours(ruleset)
  const bounds = useMemo(() => {
    const last = decisions[0]?.at ?? Date.now()
    // If little of the time range is recorded, the chart begins with the first decision.
    const first = Math.max(last - SPAN_MS[span], decisions.at(-1)?.at ?? 0)
    return [first, Math.max(first + 60_000, last + 1)] as const
  }, [decisions, span])
  const matching = useMemo(() => filtered(decisions, codes, fields), [decisions, codes, fields])
  const chart = useMemo(() => countsByCode(matching, bounds[0], bounds[1], STEPS), [matching, bounds])
  const step = (bounds[1] - bounds[0]) / STEPS
  const changes = useChanges(decisions, replay?.outcomes)
  const listed = matching.filter(
    ({ at, id }) =>
      (range === undefined || (at >= bounds[0] + range[0] * step && at < bounds[0] + (range[1] + 1) * step)) &&
      (!isOnlyChanged || changes.has(id)),
  )
  const index = listed.findIndex(({ id }) => id === shownId)
  const shown = listed[index]
  const knownCodes = [...new Set(decisions.map(({ code }) => code))].toSorted()
  return (
    <>
      <Filters
        decisions={decisions}
        knownCodes={knownCodes}
        codes={codes}
        setCodes={setCodes}
        fields={fields}
        setFields={setFields}
        onlyChanged={replay === undefined ? undefined : isOnlyChanged}
        setOnlyChanged={setOnlyChanged}
        range={range && [bounds[0] + range[0] * step, bounds[0] + (range[1] + 1) * step]}
        clearRange={() => setRange(undefined)}
        href={href}
      />
      <ReplayBanner
        ruleset={ruleset}
        decisions={decisions}
        replay={replay}
        changes={changes}
        setReplay={(next) => {
          setReplay(next)
          setOnlyChanged(next !== undefined)
        }}
        colours={colours}
      />
      <div className="explorer" data-open={shown === undefined ? undefined : ''}>
        <section className="card" aria-label={title}>
          <CountChart {...{ title, count: matching.length, chart, colours, range, setRange }} />
          {listed.length === 0 ? (
            <p className="body muted">{texts.noneMatches}</p>
          ) : (
            <DecisionTable
              ruleset={ruleset}
              decisions={listed.slice(0, most)}
              all={decisions}
              changes={changes}
              outcomes={replay?.outcomes}
              colours={colours}
              shown={shownId}
              show={show}
            />
          )}
          {listed.length > most && (
            <div className="body row">
              <button type="button" className="btn" onClick={() => setMost(most * 2)}>
                {texts.more}
              </button>
              <span className="muted tnum">{texts.shown(number(most), number(listed.length))}</span>
            </div>
          )}
        </section>
        {shown !== undefined && (
          <DecisionDrawer
            ruleset={ruleset}
            decision={shown}
            outcome={replay?.outcomes.get(shown.id)}
            candidate={replay?.words ?? ''}
            colours={colours}
            place={texts.place(index + 1, listed.length)}
            previous={index > 0 ? () => show(listed[index - 1]?.id) : undefined}
            next={index < listed.length - 1 ? () => show(listed[index + 1]?.id) : undefined}
            close={() => show(undefined)}
          />
        )}
      </div>
    </>
  )
}

/** Decisions that a replay changes, by id. */
function useChanges(decisions: readonly Decision[], outcomes: Replay | undefined): ReadonlyMap<string, Change> {
  return useMemo(() => {
    const found = new Map<string, Change>()
    for (const decision of decisions) {
      const outcome = outcomes?.get(decision.id)
      const change = outcome && changeOf(decision, outcome)
      if (change !== undefined) found.set(decision.id, change)
    }
    return found
  }, [decisions, outcomes])
}

interface CountChartProps {
  readonly title: string
  readonly count: number
  readonly chart: ReturnType<typeof countsByCode>
  readonly colours: ReadonlyMap<string, string>
  readonly range: readonly [number, number] | undefined
  readonly setRange: (range: readonly [number, number] | undefined) => void
}

/** Decisions by result over time, with the names of the results. */
function CountChart({ title, count, chart, colours, range, setRange }: CountChartProps) {
  const texts = useDecisionTexts()
  const { number } = useNumbers()
  return (
    <>
      <header>
        <h2 className="tnum">{title}</h2>
        <span className="grow" />
        <ul className="code-legend">
          {[...chart.codes.keys()].toSorted().map((code) => (
            <li key={code}>
              <CodeTag name={code} colour={colours.get(code)} />
            </li>
          ))}
        </ul>
      </header>
      <div className="body">
        <TimeChart
          label={texts.chart(number(count))}
          mark="bars"
          height={104}
          times={chart.times}
          series={[...chart.codes]
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([code, values]) => ({
              name: code,
              color: `var(${colours.get(code) ?? '--c-other'})`,
              values,
            }))}
          range={range}
          choose={setRange}
        />
      </div>
    </>
  )
}

interface FiltersProps {
  readonly decisions: readonly Decision[]
  readonly knownCodes: readonly string[]
  readonly codes: readonly string[]
  readonly setCodes: (codes: readonly string[]) => void
  readonly fields: readonly FieldFilter[]
  readonly setFields: (fields: readonly FieldFilter[]) => void
  /** Undefined without a replay. */
  readonly onlyChanged: boolean | undefined
  readonly setOnlyChanged: (isOn: boolean) => void
  readonly range: readonly [number, number] | undefined
  readonly clearRange: () => void
  readonly href: string
}

function Filters(props: FiltersProps) {
  const {
    decisions,
    knownCodes,
    codes,
    setCodes,
    fields,
    setFields,
    onlyChanged,
    setOnlyChanged,
    range,
    clearRange,
    href,
  } = props
  const texts = useDecisionTexts()
  const clock = useClock()
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="row wrap filters">
      <label className="row">
        <span className="label">{texts.codes}</span>
        <select
          className="input"
          value={codes[0] ?? ''}
          onChange={({ target }) => setCodes(target.value === '' ? [] : [target.value])}
        >
          <option value="">{texts.anyCode}</option>
          {knownCodes.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </label>
      {fields.map(({ path, values }) => (
        <Chip
          key={path}
          text={texts.isOneOf(path, values.join(texts.or))}
          remove={() => setFields(fields.filter((one) => one.path !== path))}
        />
      ))}
      {range !== undefined && <Chip text={texts.partSpan(clock(range[0]), clock(range[1]))} remove={clearRange} />}
      {onlyChanged !== undefined && (
        <label className="check">
          <input type="checkbox" checked={onlyChanged} onChange={({ target }) => setOnlyChanged(target.checked)} />
          {texts.onlyChanges}
        </label>
      )}
      <button type="button" className="btn" data-kind="quiet" onClick={() => setAdding(true)}>
        <Icon name="plus" size={14} />
        {texts.filter}
      </button>
      <span className="grow" />
      <LinesDownload href={href} file="decisions.ndjson" label={texts.export} title={texts.exportText} />
      {isAdding && (
        <FormBox
          title={texts.filter}
          close={() => setAdding(false)}
          fields={[
            {
              name: 'path',
              label: texts.field,
              kind: 'select',
              options: commonPaths(decisions, 100).map((path) => ({ value: path, label: path })),
            },
            { name: 'values', label: texts.values, hint: texts.valuesHint, isOptional: true },
          ]}
          submit={texts.apply}
          send={({ path, values }) => {
            const added = { path, values: values.split(',').map((value) => value.trim()) }
            setFields([...fields.filter((one) => one.path !== path), added])
            setAdding(false)
            return Promise.resolve()
          }}
        />
      )}
    </div>
  )
}

function Chip({ text, remove }: { readonly text: string; readonly remove: () => void }) {
  const texts = useDecisionTexts()
  return (
    <span className="tag chip" data-tone="accent">
      {text}
      <button type="button" aria-label={texts.remove(text)} onClick={remove}>
        <Icon name="x" size={12} />
      </button>
    </span>
  )
}

interface BannerProps {
  readonly ruleset: string
  readonly decisions: readonly Decision[]
  readonly replay: { readonly words: string; readonly outcomes: Replay } | undefined
  readonly changes: ReadonlyMap<string, Change>
  readonly setReplay: (replay: { readonly words: string; readonly outcomes: Replay } | undefined) => void
  readonly colours: ReadonlyMap<string, string>
}

/** Executes the decisions with another version, in a worker, and shows the changes. */
function ReplayBanner({ ruleset, decisions, replay, changes, setReplay, colours }: BannerProps) {
  const texts = useDecisionTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const path = { oid, pid, name: ruleset }
  const current = useGet(RULESET, { path }).data
  const saves = useGet(`${RULESET}/saves`, { path, query: { limit: 30 } }).data?.items ?? []
  const [seq, setSeq] = useState<number>()
  const chosen = seq ?? current?.seq ?? null
  const save = useSave(ruleset, chosen === current?.seq ? null : chosen)
  const draft = chosen === current?.seq ? current && rulesetOf(current) : save.draft
  const surroundings = useSurroundings(draft, ruleset)
  const [state, setState] = useState<{
    readonly isRunning?: boolean
    readonly problem?: string
    readonly took?: number
  }>({})
  const nameOf = (one: number) => (one === current?.seq ? texts.draftOf(one) : texts.saveOf(one))
  const run = async () => {
    if (draft === undefined || surroundings === undefined || chosen === null) return
    setState({ isRunning: true })
    const begun = performance.now()
    const outcomes = new Map<string, ReplayedOutcome>()
    for (let at = 0; at < decisions.length; at += REPLAY_BATCH_SIZE) {
      const piece = decisions.slice(at, at + REPLAY_BATCH_SIZE)
      const found = await ask('replay', {
        draft,
        ...surroundings,
        decisions: piece.map(({ input, at: time, calls }) => ({ input, at: time, calls })),
      })
      if (found.kind === 'problems') return setState({ problem: texts.notExecutable })
      for (const [index, outcome] of found.outcomes.entries()) outcomes.set(piece[index]?.id ?? '', outcome)
    }
    setState({ took: (performance.now() - begun) / 1000 })
    setReplay({ words: nameOf(chosen), outcomes })
  }
  return (
    <section className="card replay" data-on={replay === undefined ? undefined : ''} aria-label={texts.replay}>
      {replay !== undefined && <ReplayWords {...{ decisions, replay, changes, colours, took: state.took ?? 0 }} />}
      {replay === undefined && <p className="muted">{texts.replayText}</p>}
      {state.problem !== undefined && <p className="bad">{state.problem}</p>}
      <span className="grow" />
      <div className="row wrap">
        <label className="row">
          <span className="label">{texts.replay}</span>
          <select className="input" value={chosen ?? ''} onChange={({ target }) => setSeq(Number(target.value))}>
            {[...new Set([...(current === undefined ? [] : [current.seq]), ...saves.map((one) => one.seq)])].map(
              (one) => (
                <option key={one} value={one}>
                  {nameOf(one)}
                </option>
              ),
            )}
          </select>
        </label>
        <button
          type="button"
          className="btn"
          aria-disabled={state.isRunning === true || surroundings === undefined || undefined}
          onClick={() => void run().catch((error: unknown) => setState({ problem: String(error) }))}
        >
          <Icon name="play" size={14} />
          {state.isRunning === true ? texts.replaying : texts.runReplay}
        </button>
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          onClick={() => go(paths.decisions(oid, pid), { search: { tab: 'replays', ruleset } })}
        >
          {texts.replayAll}
        </button>
        {replay !== undefined && (
          <>
            <button type="button" className="btn" onClick={() => setReplay(undefined)}>
              {texts.endReplay}
            </button>
            {chosen === current?.seq && (
              <button
                type="button"
                className="btn"
                onClick={() => go(paths.newRelease(oid, pid), { search: { ruleset } })}
              >
                <Icon name="rocket" size={14} />
                {texts.releaseIt}
              </button>
            )}
          </>
        )}
      </div>
    </section>
  )
}

interface WordsProps extends Pick<BannerProps, 'decisions' | 'changes' | 'colours'> {
  readonly replay: NonNullable<BannerProps['replay']>
  /** Duration of the replay in seconds. */
  readonly took: number
}

/** The share of decisions that change, and the most frequent changes. */
function ReplayWords({ decisions, replay, changes, colours, took }: WordsProps) {
  const texts = useDecisionTexts()
  const { number, percent } = useNumbers()
  const groups = useMemo(
    () =>
      changeGroups(
        decisions.flatMap((decision) => {
          const [change, outcome] = [changes.get(decision.id), replay.outcomes.get(decision.id)]
          return change === undefined || outcome === undefined ? [] : [{ decision, change, outcome }]
        }),
      ),
    [decisions, changes, replay],
  )
  const replayedCount = decisions.filter(({ id }) => replay.outcomes.has(id)).length
  const failed = decisions.filter(({ id }) => changes.get(id)?.to === null).length
  const hasMasks = decisions.slice(0, 200).some(({ input }) => isMasked(input))
  return (
    <div className="replay-words" role="status">
      <p>
        <b className="figure tnum">{percent(changes.size / Math.max(1, replayedCount))}</b>{' '}
        <b>{texts.wouldChange(replay.words)}</b>{' '}
        <span className="muted tnum">
          {texts.replayed(number(changes.size), number(replayedCount), `${number(took)} s`)}
        </span>
      </p>
      <ul className="change-groups">
        {groups.slice(0, 5).map(({ key, field, from, to, count }) => (
          <li key={key}>
            {field !== undefined && <span className="muted">{field}</span>}
            {field === undefined ? (
              <CodeTag name={from} colour={colours.get(from)} />
            ) : (
              <span className="tnum">{from}</span>
            )}
            <Icon name="onward" size={12} />
            {field === undefined ? (
              <CodeTag name={to ?? texts.fails} colour={colours.get(to ?? '')} isError={to === null} />
            ) : (
              <span className="tnum">{to ?? texts.fails}</span>
            )}
            <b className="tnum">{number(count)}</b>
          </li>
        ))}
        {failed > 0 && <li className="bad">{texts.failedCount(failed)}</li>}
      </ul>
      {hasMasks && <p className="muted">{texts.maskedReplay}</p>}
    </div>
  )
}

interface TableProps {
  readonly ruleset: string
  readonly decisions: readonly Decision[]
  readonly all: readonly Decision[]
  readonly changes: ReadonlyMap<string, Change>
  readonly outcomes: Replay | undefined
  readonly colours: ReadonlyMap<string, string>
  readonly shown: string | undefined
  readonly show: (id: string) => void
}

function DecisionTable({ ruleset, decisions, all, changes, outcomes, colours, shown, show }: TableProps) {
  const texts = useDecisionTexts()
  const clock = useClock()
  const contents = useContents(ruleset)
  const inputs = useMemo(() => commonPaths(all, INPUT_COLUMNS), [all])
  const [output] = useMemo(() => commonPaths(all, 1, 'output'), [all])
  const numeric = useMemo(() => numericPaths(all, inputs), [all, inputs])
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={texts.title}>
      <table className="list stacked">
        <thead>
          <tr>
            <th scope="col">{texts.when}</th>
            {inputs.map((path) => (
              <th key={path} scope="col" className={numeric.has(path) ? 'num' : undefined}>
                {path}
              </th>
            ))}
            <th scope="col">{texts.result}</th>
            {output !== undefined && <th scope="col">{output}</th>}
            <th scope="col">{texts.decidedBy}</th>
          </tr>
        </thead>
        <tbody>
          {decisions.map((decision) => {
            const { id, at, input, code, digest } = decision
            const change = changes.get(id)
            const outcome = outcomes?.get(id)
            return (
              <tr key={id} aria-current={id === shown ? 'true' : undefined}>
                <td data-title={texts.when} className="tnum">
                  <button type="button" className="link" onClick={() => show(id)}>
                    {clock(at)}
                  </button>
                </td>
                {inputs.map((path) => (
                  <td key={path} data-title={path} className={numeric.has(path) ? 'num tnum' : undefined}>
                    <InputValue value={valueAt(input, path)} />
                  </td>
                ))}
                <td data-title={texts.result}>
                  <span className="row">
                    <CodeTag name={code} colour={colours.get(code)} />
                    {change !== undefined && change.to !== code && (
                      <>
                        <Icon name="onward" size={12} />
                        <CodeTag
                          name={change.to ?? texts.fails}
                          colour={colours.get(change.to ?? '')}
                          isError={change.to === null}
                        />
                      </>
                    )}
                  </span>
                </td>
                {output !== undefined && (
                  <td data-title={output} className="tnum">
                    {change?.fields.includes(output) === true ? (
                      <>
                        <del>
                          <FieldValue value={valueAt(decision.output, output)} />
                        </del>{' '}
                        <ins>
                          <FieldValue value={outcome?.output == null ? undefined : valueAt(outcome.output, output)} />
                        </ins>
                      </>
                    ) : (
                      <FieldValue value={valueAt(decision.output, output)} />
                    )}
                  </td>
                )}
                <td data-title={texts.decidedBy} className="muted">
                  {contents.get(digest)?.version ?? texts.unknownVersion}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function InputValue({ value }: { readonly value: Value | undefined }) {
  const { missing } = useDecisionTexts()
  if (value === undefined || value === '') return <span className="muted">{missing}</span>
  return <FieldValue value={value} most={MAX_CELL_LENGTH} />
}
