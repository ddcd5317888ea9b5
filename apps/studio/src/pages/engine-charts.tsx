import { tableKeys } from '@engine/expression'
import { useMemo, useState } from 'react'
import { useGet } from '../api/data.ts'
import { filled, largest, type Series, timesOf } from '../ui/chart-scale.ts'
import { CodeTag } from '../ui/code-tag.tsx'
import { useNumbers } from '../texts/texts.tsx'
import { Pending } from '../ui/states.tsx'
import { TimeChart } from '../ui/time-charts.tsx'
import { useEngineTexts } from '../engines/engine-texts.ts'

const MINUTE_MS = 60_000
/** Selectable time ranges, with the step of each. */
const SPANS = {
  hour: { ms: 60 * MINUTE_MS, step: 60 },
  day: { ms: 24 * 60 * MINUTE_MS, step: 900 },
  week: { ms: 7 * 24 * 60 * MINUTE_MS, step: 7200 },
} as const
type Span = keyof typeof SPANS
const NAMES = tableKeys(SPANS)
/** Engines send counts with each heartbeat. */
const POLL_INTERVAL_MS = 15_000

/** Executions and errors of an engine over time, by ruleset. */
export function EngineCharts({ id }: { readonly id: string }) {
  const texts = useEngineTexts()
  const [span, setSpan] = useState<Span>('hour')
  const { ms, step } = SPANS[span]
  // Fixed at the first poll, so that later ones request the same range.
  const from = useMemo(() => new Date(Math.floor((Date.now() - ms) / MINUTE_MS) * MINUTE_MS).toISOString(), [ms])
  const found = useGet(
    '/api/v1/servers/{id}/metrics',
    { path: { id }, query: { from, step } },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  return (
    <section aria-label={texts.metrics} className="stack">
      <div className="row wrap">
        <h2>{texts.metrics}</h2>
        <span className="grow" />
        <div className="seg" role="group" aria-label={texts.span}>
          {NAMES.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === span}
              aria-current={name === span ? 'true' : undefined}
              onClick={() => setSpan(name)}
            >
              {texts.spans[name]}
            </button>
          ))}
        </div>
      </div>
      {found.data === undefined ? <Pending of={found} /> : <Charts series={found.data.series} ms={ms} step={step} />}
    </section>
  )
}

interface ChartsProps {
  readonly series: readonly {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly points: readonly { readonly at: string; readonly value: number }[]
  }[]
  readonly ms: number
  readonly step: number
}

function Charts({ series, ms, step }: ChartsProps) {
  const texts = useEngineTexts()
  const now = Date.now()
  const times = timesOf(now - ms, now, step * 1000)
  const of = (name: string) => {
    const all = series
      .filter((one) => one.name === name)
      .map(({ labels, points }) => ({ name: labels['ruleset'] ?? '', values: filled(points, times) }))
    return largest(all, COLOURS.length, texts.others)
  }
  if (series.length === 0) return <p className="muted">{texts.noCounts}</p>
  return (
    <div className="charts">
      <RulesetChart title={texts.executions} times={times} series={of('executions')} />
      <RulesetChart title={texts.errors} times={times} series={of('errors')} />
    </div>
  )
}

/** Colours of the largest rulesets, shared with result codes, which charts of engines do not show. */
const COLOURS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'] as const

interface RulesetChartProps {
  readonly title: string
  readonly times: readonly number[]
  readonly series: readonly Series[]
}

/** Counts over time as stacked bars by ruleset, with totals. */
function RulesetChart({ title, times, series }: RulesetChartProps) {
  const { number } = useNumbers()
  const sumOf = ({ values }: Series) => values.reduce((total, value) => total + value, 0)
  return (
    <section className="card" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span className="grow" />
        <ul className="code-legend">
          {series.map((one, index) => (
            <li key={one.name}>
              <CodeTag name={`${one.name} ${number(sumOf(one))}`} colour={COLOURS[index]} />
            </li>
          ))}
        </ul>
      </header>
      <div className="body">
        <TimeChart
          label={title}
          mark="bars"
          times={times}
          series={series.map((one, index) => ({ ...one, color: `var(${COLOURS[index] ?? '--c-other'})` }))}
        />
      </div>
    </section>
  )
}
