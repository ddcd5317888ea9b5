import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { useReplayProgress } from '../api/replay-progress.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useCodeColours } from '../overview/decision-charts.tsx'
import { Amounts, Spread } from '../review/amounts.tsx'
import { ExampleInput } from '../review/example-input.tsx'
import { codeOf, isError } from '../releases/results.ts'
import { matrixOf, transitionsOf } from '../review/transitions.ts'
import { useUnits } from '../review/units.ts'
import { useNumbers, useTime } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ListTable } from '../ui/list.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { TransitionTable } from '../ui/transition-table.tsx'
import { useDecisionTexts } from './decision-texts.ts'

const REPLAYS = '/api/v1/orgs/{oid}/projects/{pid}/replays'
type Replay = components['schemas']['Replay']
type ReplayReport = components['schemas']['ReplayReport']

/** Replay jobs of the platform over all recorded decisions of a ruleset, and the results of one job. */
export function Replays({ ruleset }: { readonly ruleset: string }) {
  const texts = useDecisionTexts()
  const { oid, pid } = useIds()
  const time = useTime()
  const { number, percent } = useNumbers()
  const found = useList(REPLAYS, { path: { oid, pid }, query: { q: ruleset } })
  const items = found.items?.filter((one) => one.ruleset === ruleset)
  const list = { ...found, items }
  const [shown, show] = useState<string>()
  const [ending, setEnding] = useState<Replay>()
  const remove = useSend('delete', `${REPLAYS}/{id}`, [REPLAYS])
  const opened = items?.find(({ id }) => id === shown) ?? items?.[0]
  return (
    <>
      <ListTable
        name={texts.tabs.replays}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.candidate,
            cell: (replay) => (
              <button
                type="button"
                className="link"
                aria-current={replay.id === opened?.id}
                onClick={() => show(replay.id)}
              >
                {candidateOf(replay, texts)}
              </button>
            ),
          },
          { title: texts.environment, cell: ({ environment }) => environment },
          {
            title: texts.started,
            cell: (replay) => (
              <>
                <span className="tnum">{time(replay.created_at)}</span> <State of={replay} />
              </>
            ),
          },
          {
            title: texts.replayedDecisions,
            kind: 'number',
            cell: ({ done, total }) => (done === total ? number(total) : texts.ofAll(number(done), number(total))),
          },
          {
            title: texts.changed,
            kind: 'number',
            cell: ({ replayed, changed }) =>
              replayed === 0 ? number(changed) : `${number(changed)} (${percent(changed / replayed)})`,
          },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (replay) => (
              <PermissionButton right="audit.read" kind="quiet" run={() => setEnding(replay)}>
                {replay.status === 'running' ? texts.cancelReplay : texts.deleteReplay}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="scales" title={texts.noReplays} text={texts.noReplaysText} />}
      />
      {opened !== undefined && <Report key={opened.id} replay={opened} />}
      {ending !== undefined && (
        <Confirm
          title={ending.status === 'running' ? texts.cancelReplay : texts.deleteReplay}
          text={ending.status === 'running' ? texts.cancelReplayText : texts.deleteReplayText}
          submit={ending.status === 'running' ? texts.cancelReplay : texts.deleteReplay}
          close={() => setEnding(undefined)}
          send={() => remove.mutateAsync({ path: { oid, pid, id: ending.id } })}
        />
      )}
    </>
  )
}

const candidateOf = ({ from_seq: seq }: Replay, { saveOf, ofRelease }: ReturnType<typeof useDecisionTexts>): string =>
  seq === null ? ofRelease : saveOf(seq)

const TONES = { running: 'candidate', completed: undefined, failed: 'bad' } as const

function State({ of: { status } }: { readonly of: Pick<Replay, 'status'> }) {
  const texts = useDecisionTexts()
  return (
    <span className="tag" data-tone={TONES[status]}>
      {texts.replayStates[status]}
    </span>
  )
}

/** One replay: progress, share of changed results, matrix with examples, and skipped decisions. */
function Report({ replay }: { readonly replay: Replay }) {
  const texts = useDecisionTexts()
  const ids = useIds()
  const { id, ruleset, environment, status } = replay
  useReplayProgress(ids, id, status === 'running')
  const found = useGet(`${REPLAYS}/{id}`, { path: { ...ids, id } })
  if (found.data === undefined)
    return (
      <div className="card">
        <Pending of={found} />
      </div>
    )
  return (
    <section className="card" aria-label={texts.replayResults}>
      <header>
        <h2>{texts.replayResults}</h2>
        <span className="muted">
          {ruleset} · {candidateOf(replay, texts)} · {environment}
        </span>
        <span className="grow" />
        <State of={found.data} />
      </header>
      <div className="body stack">
        <ShareWords report={found.data} />
        <Changes report={found.data} />
        <NotReplayed report={found.data} />
      </div>
    </section>
  )
}

/** The share of changed decisions as a sentence, with its confidence interval and the progress of the replay. */
function ShareWords({ report }: { readonly report: ReplayReport }) {
  const texts = useDecisionTexts()
  const { number, percent } = useNumbers()
  const { status, error, done, total, records, base } = report
  const { replayed, changed, share, interval } = records
  const [low = 0, high = 1] = interval
  return (
    <div className="replay-words" role="status">
      {error !== null && <p className="bad">{texts.replayFailed(error)}</p>}
      {status === 'running' && (
        <p className="row wrap">
          <progress value={done} max={Math.max(1, total)} aria-label={texts.replayResults} />
          <span className="muted tnum">{texts.ofAll(number(done), number(total))}</span>
        </p>
      )}
      <p>
        <b className="figure tnum">{percent(share)}</b>{' '}
        <b>{texts.wouldChange(texts.insteadOf(base.version === '' ? texts.live : base.version))}</b>{' '}
        <span className="muted tnum">
          {texts.replayedJob(number(changed), number(replayed))}
          {replayed > 0 && ` ${texts.shareInterval(percent(low), percent(high))}`}
        </span>
      </p>
    </div>
  )
}

/** The changed results as a matrix with examples, and the effect on numbers. */
function Changes({ report: { records, ruleset, from_seq: seq, status } }: { readonly report: ReplayReport }) {
  const texts = useDecisionTexts()
  const colours = useCodeColours(ruleset)
  const unitOf = useUnits(ruleset, seq)
  const [chosen, choose] = useState<{ readonly from: string; readonly to: string }>()
  const transitions = transitionsOf([], records, true)
  if (transitions.length === 0)
    return status === 'completed' && records.replayed > 0 ? <p className="muted">{texts.sameReplayed}</p> : null
  const matrix = matrixOf(transitions, records, [...colours.keys()])
  const nameOf = (result: string) => (isError(result) ? texts.errorOf(codeOf(result)) : result)
  const [worst] = transitions
  const shown = chosen ?? worst
  const open = shown && matrix.cell(shown.from, shown.to)
  const changedAmounts = records.amounts.filter(
    ({ before, after, largest }) => before.sum !== after.sum || largest.change !== 0,
  )
  return (
    <>
      <div className="matrix-and-spread">
        <TransitionTable
          name={texts.transitions}
          before={texts.live}
          after={texts.candidate}
          results={matrix.results}
          most={matrix.most}
          cell={(from, to) => matrix.cell(from, to)}
          kept={(result) => matrix.kept(result)}
          head={(result) => <CodeTag name={nameOf(result)} colour={colours.get(result)} isError={isError(result)} />}
          label={(from, to, count) => texts.pick(nameOf(from), nameOf(to), count)}
          possible=""
          selected={shown}
          select={(from, to) => choose({ from, to })}
        />
        <Spread amounts={records.amounts} unitOf={unitOf} />
      </div>
      {open !== undefined && (
        <>
          <h3>{texts.examplesOf(nameOf(open.from), nameOf(open.to))}</h3>
          <div className="replay-examples">
            {open.examples.map((input, index) => (
              <ExampleInput key={index} input={input} />
            ))}
          </div>
        </>
      )}
      {changedAmounts.length > 0 && <Amounts amounts={changedAmounts} unitOf={unitOf} />}
    </>
  )
}

/** The reasons why decisions were not replayed, with counts. */
function NotReplayed({ report: { records } }: { readonly report: ReplayReport }) {
  const texts = useDecisionTexts()
  const { number } = useNumbers()
  if (records.not_replayed.length === 0) return null
  const reasons: Readonly<Record<string, string>> = texts.notReplayedReasons
  return (
    <>
      <h3>{texts.notReplayed}</h3>
      <ul className="reasons">
        {records.not_replayed.map(({ reason, count }) => (
          <li key={reason}>
            <b className="tnum">{number(count)}</b> {reasons[reason] ?? reason}
          </li>
        ))}
      </ul>
    </>
  )
}
