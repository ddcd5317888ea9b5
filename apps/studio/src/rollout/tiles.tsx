import type { ReactNode } from 'react'
import { useNumbers } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { alarmShare, type CanaryProgress, isAlarm, type Measure, type Measures } from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

/** Three tiles: errors, slow answers and result codes of both versions, with interval, limit and evidence in words. */
export function Tiles({ canary, measures }: { readonly canary: CanaryProgress; readonly measures: Measures }) {
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const { slow_above_ms: limit } = canary
  const { errors, latency, requests } = measures
  const isProved = errors.ratio.high !== null && errors.ratio.high < 2
  return (
    <div className="tiles">
      <RateTile
        guard="errors"
        measure={errors}
        requests={requests}
        verdict={isProved ? texts.proved : texts.calm.errors}
      />
      <RateTile
        guard="latency"
        measure={latency}
        requests={requests}
        verdict={limit === null ? texts.unmeasured : texts.calm.latency}
        note={limit === null ? undefined : texts.slowAbove(`${number(limit)} ms`)}
      />
      <CodesTile canary={canary} codes={measures.codes} />
    </div>
  )
}

function Tile({
  title,
  note,
  verdict,
  measure,
  alarmTone = 'bad',
  children,
}: {
  readonly title: string
  readonly note?: string | undefined
  readonly verdict: string
  readonly measure: { readonly e: number; readonly alarm: number }
  /** The colour of an alarm. Other results hold a stage, but need not be a mistake. */
  readonly alarmTone?: 'bad' | 'warn'
  readonly children: ReactNode
}) {
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const isBad = isAlarm(measure)
  const tone = isBad ? alarmTone : undefined
  const words = texts.evidence(number(measure.e), number(Math.ceil(measure.alarm)))
  return (
    <section className="card tile" data-tone={tone} aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        {note !== undefined && <span className="muted tnum">{note}</span>}
      </div>
      <p className="tile-verdict">
        <Icon name={isBad ? 'alert' : 'shield'} size={15} />
        {verdict}
      </p>
      {children}
      <div className="tile-evidence">
        <span
          role="meter"
          aria-label={texts.evidenceOf(title)}
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuenow={Number(alarmShare(measure).toFixed(2))}
          aria-valuetext={words}
        >
          <span style={{ width: `${alarmShare(measure) * 100}%` }} />
        </span>
        <span className="muted tnum">{words}</span>
      </div>
    </section>
  )
}

function RateTile({
  guard,
  measure,
  requests,
  verdict,
  note,
}: {
  readonly guard: 'errors' | 'latency'
  readonly measure: Measure
  readonly requests: Measures['requests']
  readonly verdict: string
  readonly note?: string | undefined
}) {
  const texts = useRolloutTexts()
  const { number, percent } = useNumbers()
  const rate = (side: 'canary' | 'stable') =>
    texts.rate(
      number(measure[side]),
      number(requests[side]),
      percent(requests[side] === 0 ? 0 : measure[side] / requests[side]),
    )
  const { low, high } = measure.ratio
  const range =
    high === null
      ? low === 0
        ? texts.ratio.none
        : texts.ratio.low(number(low))
      : low === 0
        ? texts.ratio.high(number(high))
        : texts.ratio.both(number(low), number(high))
  return (
    <Tile
      title={texts.tiles[guard]}
      note={note}
      verdict={isAlarm(measure) ? texts.alarms[guard] : verdict}
      measure={measure}
    >
      <dl className="tile-rates">
        <dt data-side="candidate">{texts.candidate}</dt>
        <dd className="tnum">{rate('canary')}</dd>
        <dt data-side="live">{texts.live}</dt>
        <dd className="tnum">{rate('stable')}</dd>
      </dl>
      <Interval ratio={measure.ratio} />
      <p className="tnum">
        {range} {(low !== 0 || high !== null) && <span className="muted">({texts.ratio.confidence})</span>}
      </p>
    </Tile>
  )
}

const [WIDTH, HEIGHT] = [320, 38] as const
/** The drawn ratios: a quarter to eight times. */
const [LEAST, MOST] = [1 / 4, 8] as const

/** A ratio with its interval on a logarithmic scale; the sentence below it has the same numbers. */
function Interval({ ratio: { estimate, low, high } }: { readonly ratio: Measure['ratio'] }) {
  const texts = useRolloutTexts()
  const x = (ratio: number) => {
    const inside = Math.min(MOST, Math.max(LEAST, ratio))
    return (Math.log(inside / LEAST) / Math.log(MOST / LEAST)) * (WIDTH - 8) + 4
  }
  return (
    <svg className="interval" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <line className="axis" x1={4} x2={WIDTH - 4} y1={12} y2={12} />
      <line className="equal" x1={x(1)} x2={x(1)} y1={4} y2={20} />
      <line className="limit" x1={x(2)} x2={x(2)} y1={2} y2={22} />
      <text x={x(1)} y={HEIGHT - 1} textAnchor="middle">
        1 ×
      </text>
      <text x={x(2)} y={HEIGHT - 1} textAnchor="start">
        {`2 × (${texts.limit})`}
      </text>
      <line
        className="range"
        data-open={low === 0 && high === null ? '' : undefined}
        x1={x(low)}
        x2={x(high ?? MOST)}
        y1={12}
        y2={12}
      />
      {estimate !== null && <circle cx={x(estimate)} cy={12} r={4.5} />}
    </svg>
  )
}

function CodesTile({ canary, codes }: { readonly canary: CanaryProgress; readonly codes: Measures['codes'] }) {
  const texts = useRolloutTexts()
  const { number, percent } = useNumbers()
  const rows = codeRows(canary, codes)
  const { predicted } = canary
  return (
    <Tile
      title={texts.tiles.codes}
      verdict={isAlarm(codes) ? texts.alarms.codes : texts.calm.codes}
      measure={codes}
      alarmTone="warn"
    >
      <table className="tile-codes">
        <thead>
          <tr>
            <th scope="col">{texts.code}</th>
            <th scope="col">{texts.live}</th>
            <th scope="col">{texts.candidate}</th>
            {predicted !== null && <th scope="col">{texts.predictedShare}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ code, live, candidate, expected }) => (
            <tr key={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td className="tnum">{percent(live)}</td>
              <td className="tnum">{percent(candidate)}</td>
              {predicted !== null && <td className="tnum">{percent(expected)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">{predicted === null ? texts.notPredicted : texts.predicted(number(predicted.replayed))}</p>
    </Tile>
  )
}

/** Codes that a tile lists: the most frequent ones. */
const MAX_CODES = 6

function codeRows({ predicted }: CanaryProgress, { counts }: Measures['codes']) {
  const all = Object.entries(counts)
  const sum = (side: 'canary' | 'stable') =>
    Math.max(
      1,
      all.reduce((total, [, sides]) => total + sides[side], 0),
    )
  const [live, candidate] = [sum('stable'), sum('canary')]
  const replayed = Math.max(1, predicted?.replayed ?? 0)
  return all
    .map(([code, { canary, stable }]) => ({
      code,
      live: stable / live,
      candidate: canary / candidate,
      expected: (predicted?.codes[code]?.after ?? 0) / replayed,
    }))
    .toSorted((one, other) => other.live + other.candidate - one.live - one.candidate)
    .slice(0, MAX_CODES)
}
