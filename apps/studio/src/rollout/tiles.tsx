import type { ReactNode } from 'react'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useNumbers } from '../texts/texts.tsx'
import { codeOf } from '../releases/results.ts'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { CodeMix } from '../ui/small-charts.tsx'
import { IntervalChart } from '../ui/time-charts.tsx'
import {
  alarmShare,
  type CanaryProgress,
  type ExpectedTransition,
  codeShares,
  isAlarm,
  isPredicted,
  limitOf,
  looksOf,
  type Measures,
  measureState,
  type MeasureState,
  rangesOf,
} from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

interface TilesProps {
  readonly canary: CanaryProgress
  readonly measures: Measures
  /** Changes of results that do not hold a stage in this environment. */
  readonly expected: readonly ExpectedTransition[]
  readonly events: readonly ReleaseEvent[]
  readonly now: number
  /** True once the comparison has ended. */
  readonly hasEnded: boolean
  /** The colour of each result code. */
  readonly colours: ReadonlyMap<string, string>
  readonly versions: { readonly live: string; readonly candidate: string }
}

/**
 * Three tiles: errors, slow answers and result codes of both versions, with interval, limit and evidence, explained in
 * words.
 */
export function Tiles(props: TilesProps) {
  return (
    <div className="tiles">
      <RateTile guard="errors" {...props} />
      <RateTile guard="latency" {...props} />
      <CodesTile {...props} />
    </div>
  )
}

const TONES: Readonly<Record<MeasureState | 'shifts', 'ok' | 'warn' | 'bad' | undefined>> = {
  collecting: undefined,
  safe: 'ok',
  alarm: 'bad',
  shifts: 'warn',
}
const ICONS: Readonly<Record<MeasureState | 'shifts', IconName>> = {
  collecting: 'dashed',
  safe: 'ok',
  alarm: 'alert',
  shifts: 'shown',
}

function Tile({
  title,
  state,
  word,
  measure,
  rule,
  children,
}: {
  readonly title: string
  readonly state: MeasureState | 'shifts'
  /** Describes the state. */
  readonly word: string
  readonly measure: { readonly e: number; readonly alarm: number }
  /** The reaction of the guard, if it is not a rollback. */
  readonly rule?: string
  readonly children: ReactNode
}) {
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const share = alarmShare(measure)
  const far = isAlarm(measure)
    ? texts.far.alarm
    : share >= 0.75
      ? texts.far.close
      : share >= 0.4
        ? texts.far.half
        : texts.far.far
  return (
    <section className="card tile" data-tone={TONES[state]} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="grow" />
        <span className="tag" data-tone={TONES[state]}>
          <Icon name={ICONS[state]} size={12} />
          {word}
        </span>
      </header>
      <div className="tile-body">{children}</div>
      <footer className="tile-evidence">
        <span
          className="meter-of"
          role="meter"
          aria-label={texts.evidenceOf(title)}
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuenow={Number(share.toFixed(2))}
          aria-valuetext={far}
        >
          <span style={{ insetInlineStart: `${share * 100}%` }} />
        </span>
        <span className="tile-far">{far}</span>
        <details>
          <summary>{texts.details}</summary>
          <p className="muted tnum">{texts.evidence(number(measure.e), number(Math.ceil(measure.alarm)))}</p>
          {rule !== undefined && <p className="muted">{rule}</p>}
        </details>
      </footer>
    </section>
  )
}

/** After its end, a rollout collects no more requests: it had too few. */
const wordOf = <State extends MeasureState | 'shifts'>(state: State, hasEnded: boolean): State | 'few' =>
  state === 'collecting' && hasEnded ? 'few' : state

function RateTile({
  guard,
  canary,
  measures,
  events,
  now,
  hasEnded,
}: TilesProps & { readonly guard: 'errors' | 'latency' }) {
  const texts = useRolloutTexts()
  const { number, signed, percent } = useNumbers()
  const { requests, [guard]: measure } = measures
  const { slow_above_ms: slow, on_failure: onFailure } = canary
  const isUnmeasured = guard === 'latency' && slow === null
  const ranges = isUnmeasured ? [] : rangesOf(looksOf(events, canary, now), (one) => one[guard])
  const last = ranges.at(-1)
  const limit = limitOf(measure, requests)
  const state = isUnmeasured ? 'collecting' : measureState(measure, requests)
  const share = (side: 'canary' | 'stable') => percent(requests[side] === 0 ? 0 : measure[side] / requests[side])
  const isProved = guard === 'errors' && measure.ratio.high !== null && measure.ratio.high < 2
  const unit = guard === 'errors' || slow === null ? texts.points : texts.pointsSlower(`${number(slow)} ms`)
  return (
    <Tile title={texts.tiles[guard]} state={state} word={texts.states[wordOf(state, hasEnded)]} measure={measure}>
      {last === undefined ? (
        <p className="muted">{isUnmeasured ? texts.unmeasured : texts.noRequests}</p>
      ) : (
        <>
          <p className="figure tnum">
            {signed(last.estimate)}{' '}
            <small>
              {unit}
              {texts.between(signed(last.low), signed(last.high))}
            </small>
          </p>
          <p className="muted tnum">
            {texts.shares[guard](share('canary'), share('stable'))}
            {isProved && ` ${texts.proved}`}
          </p>
          <IntervalChart
            label={texts.chart(texts.tiles[guard], signed(last.estimate), signed(last.low), signed(last.high))}
            ranges={ranges}
            limit={limit === undefined ? undefined : { value: limit, word: texts.limitWord[onFailure] }}
          />
          {limit === undefined && <p className="muted">{texts.noLimit}</p>}
        </>
      )}
    </Tile>
  )
}

function CodesTile({ canary, measures, expected, events, now, hasEnded, colours, versions }: TilesProps) {
  const texts = useRolloutTexts()
  const { number, signed, percent } = useNumbers()
  const { codes, requests } = measures
  const shares = codeShares(canary, codes)
  const [first] = shares
  const isShift = isAlarm(codes)
  const state = isShift ? 'shifts' : measureState(codes, requests)
  const word = isShift && isPredicted(shares) ? texts.states.asReviewed : texts.states[wordOf(state, hasEnded)]
  const ordered = [...colours.keys(), ...shares.map(({ code }) => code)]
  const mix = (side: 'live' | 'candidate') =>
    shares
      .map(({ code, [side]: share }) => ({ code, share, color: colours.get(code) ?? '--c-other' }))
      .toSorted((one, other) => ordered.indexOf(one.code) - ordered.indexOf(other.code))
  return (
    <Tile title={texts.tiles.codes} state={state} word={word} measure={codes} rule={texts.codesHold}>
      {first === undefined ? (
        <p className="muted">{texts.noRequests}</p>
      ) : (
        <>
          <p className="figure tnum">
            {signed(first.difference.estimate)}{' '}
            <small>
              {texts.pointsOf(first.code)}
              {texts.between(signed(first.difference.low), signed(first.difference.high))}
            </small>
          </p>
          <p className="muted tnum">
            {first.predicted === undefined
              ? texts.notPredicted
              : texts.predictedBy(signed(first.predicted), number(canary.predicted?.replayed ?? 0))}
          </p>
          {expected.map(({ from, to, share }) => (
            <p key={`${from}\n${to}`} className="muted tnum">
              {texts.expected(codeOf(from), to, share === null ? undefined : percent(share))}
            </p>
          ))}
          <CodeMix
            rows={[
              { name: versions.candidate || texts.candidate, isCandidate: true, shares: mix('candidate') },
              { name: versions.live || texts.live, isCandidate: false, shares: mix('live') },
            ]}
          />
          <ul className="code-legend">
            {mix('candidate')
              .slice(0, MAX_CODES)
              .map(({ code, color, share }) => (
                <li key={code}>
                  <CodeTag name={code} colour={color} />
                  <span className="tnum">
                    {texts.codeShare(percent(share), percent(shares.find((one) => one.code === code)?.live ?? 0))}
                  </span>
                </li>
              ))}
          </ul>
          <IntervalChart
            label={texts.chart(
              first.code,
              signed(first.difference.estimate),
              signed(first.difference.low),
              signed(first.difference.high),
            )}
            ranges={rangesOf(looksOf(events, canary, now), (one) => one.codes[first.code])}
            predicted={first.predicted}
            height={110}
          />
        </>
      )}
    </Tile>
  )
}

/** Maximum number of codes in the legend of a tile. */
const MAX_CODES = 6
