import { EnvironmentTag } from '../ui/environment-tag.tsx'
import { LinesDownload } from '../ui/lines-download.tsx'
import { CodeMix, Sparkline, SpreadChart } from '../ui/small-charts.tsx'
import { IntervalChart, TimeChart } from '../ui/time-charts.tsx'
import { Sample } from './sample.tsx'

const START = Date.UTC(2026, 10, 24, 15, 42)
const MINUTE_MS = 60_000
const timesOf = (count: number) => Array.from({ length: count }, (_, at) => START + at * MINUTE_MS)
const waves = (count: number, phase: number) =>
  Array.from({ length: count }, (_, at) => Math.round(60 + 30 * Math.sin(at / 9 + phase)))

/** A converging difference: its interval narrows with the square root of the requests. */
const settling = (count: number, end: number, width: number) =>
  timesOf(count).map((at, index) => {
    const estimate = end + (width / 4) * (Math.sin(index / 4) / (1 + index / 9))
    const half = width / Math.sqrt(0.6 + index / 3)
    return { at, low: estimate - half, estimate, high: estimate + half }
  })

const CODES = [
  { name: 'PRICED', color: '--c1' },
  { name: 'FREE', color: '--c2' },
  { name: 'ON_REQUEST', color: '--c3' },
] as const

/** Charts with few and with many points. @param count the points of the larger charts */
export function ChartSamples({ count = 2000 }: { readonly count?: number }) {
  return (
    <>
      <Sample of="TimeChart ChartFigure" title="Lines over time">
        {[48, count].map((points) => (
          <TimeChart
            key={points}
            label={`Decisions of an hour and of the same hour a week before, ${points} points`}
            mark="lines"
            times={timesOf(points)}
            series={[
              { name: 'this week', values: waves(points, 0), color: 'var(--accent)' },
              { name: 'last week', values: waves(points, 1), color: 'var(--live-line)' },
            ]}
          />
        ))}
      </Sample>
      <Sample of="" title="Result codes over time">
        {[24, count].map((points) => (
          <TimeChart
            key={points}
            label={`Result codes over time, ${points} points`}
            mark="bars"
            times={timesOf(points)}
            series={CODES.map(({ name, color }, at) => ({
              name,
              color: `var(${color})`,
              values: waves(points, at * 2),
            }))}
          />
        ))}
      </Sample>
      <Sample of="IntervalChart" title="A difference with its range">
        <IntervalChart
          label="Errors: the candidate differs by +0.01 points"
          ranges={settling(42, 0.01, 0.13)}
          limit={{ value: 0.13, word: 'rolls back' }}
        />
        <IntervalChart
          label={`Result codes: the candidate differs by +2.3 points, ${count} points`}
          ranges={settling(count, 2.3, 4.6)}
          predicted={2.1}
        />
      </Sample>
      <Sample of="SpreadChart" title="How much a change changes">
        <SpreadChart
          label="164 pay 1.50 less, 24 pay 2 more"
          change="Change of price"
          counts="Decisions"
          bars={[
            { name: '−1.5', count: 164 },
            { name: 'same', count: 30, isSame: true },
            { name: '+2', count: 24 },
          ]}
        />
      </Sample>
      <Sample of="Sparkline CodeMix EnvironmentTag" title="Small charts and environments">
        <div className="row wrap">
          <Sparkline label="Decisions of a week" values={waves(24, 0)} />
          <Sparkline label="No decisions" values={[0, 0, 0]} color="--live-line" />
        </div>
        <CodeMix
          rows={[
            {
              name: '2.2.0',
              isCandidate: true,
              shares: CODES.map(({ name, color }, at) => ({ code: name, color, share: [0.5, 0.3, 0.2][at] ?? 0 })),
            },
            {
              name: '2.1.0',
              isCandidate: false,
              shares: CODES.map(({ name, color }, at) => ({ code: name, color, share: [0.6, 0.3, 0.1][at] ?? 0 })),
            },
          ]}
        />
        <div className="row wrap">
          <EnvironmentTag name="dev" weight="first" />
          <EnvironmentTag name="staging" weight="middle" />
          <EnvironmentTag name="prod" weight="last" />
        </div>
      </Sample>
      <Sample of="LinesDownload" title="A list as a file">
        <LinesDownload href="api/v1/lines" file="lines.ndjson" label="Save as lines of JSON" />
      </Sample>
    </>
  )
}
