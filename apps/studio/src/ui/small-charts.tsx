import { useNumbers, useTexts } from '../texts/texts.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { bandOf, barsOf, lineOf, scaleOf } from './chart-paths.ts'

interface SparklineProps {
  /** A sentence that describes the line for screen readers. */
  readonly label: string
  readonly values: readonly number[]
  /** A custom property, by default the accent. */
  readonly color?: string
}

const [SPARK_WIDTH, SPARK_HEIGHT] = [88, 24] as const

/** A line without axes that marks its last point, for table cells. */
export function Sparkline({ label, values, color = '--accent' }: SparklineProps) {
  const x = scaleOf(0, Math.max(1, values.length - 1), 1, SPARK_WIDTH - 4)
  const most = values.reduce((high, one) => Math.max(high, one), 0)
  const y = scaleOf(0, most === 0 ? 1 : most, SPARK_HEIGHT - 3, 3)
  const points = values.map((value, at): [number, number] => [x(at), y(value)])
  const [end] = points.slice(-1)
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      role="img"
      aria-label={label}
      style={{ '--c': `var(${color})` }}
    >
      <path
        className="area"
        d={bandOf(
          points,
          points.map(([at]): [number, number] => [at, SPARK_HEIGHT]),
        )}
      />
      <path className="line" d={lineOf(points)} />
      {end !== undefined && <circle className="dot-end" cx={end[0]} cy={end[1]} r={2.2} />}
    </svg>
  )
}

/** One bar of a distribution. */
export interface SpreadBar {
  readonly name: string
  readonly count: number
  /** True for unchanged values, which are slate instead of violet. */
  readonly isSame?: boolean
}

interface SpreadChartProps {
  readonly label: string
  /** The header of the first column of the table. */
  readonly change: string
  /** The header of the counts. */
  readonly counts: string
  readonly bars: readonly SpreadBar[]
  readonly height?: number
}

/** Distance between the centres of two bars, and the maximum bar width, in drawing units. */
const [BAR_STEP, MAX_BAR] = [74, 40] as const

/** The distribution of the changes of a value. */
export function SpreadChart({ label, change, counts, bars, height = 150 }: SpreadChartProps) {
  const { number } = useNumbers()
  const { chart: texts } = useTexts()
  const width = Math.max(3, bars.length) * BAR_STEP
  const step = width / Math.max(1, bars.length)
  const floor = height - 20
  const most = bars.reduce((high, { count }) => Math.max(high, count), 1)
  const middle = (at: number) => (at + 0.5) * step
  return (
    <div style={{ maxWidth: `${width}px` }}>
      <ChartFigure
        label={label}
        width={width}
        height={height}
        places={bars.map((_, at) => middle(at))}
        valuesAt={(at) => texts.value(bars[at]?.name ?? '', number(bars[at]?.count ?? 0))}
        table={{ columns: [change, counts], rows: () => bars.map(({ name, count }) => [name, number(count)]) }}
      >
        {bars.map(({ name, count, isSame }, at) => {
          const part = count === 0 ? 0 : Math.max(2, (count / most) * (floor - 18))
          return (
            <g key={name}>
              <path
                className="bars"
                style={{ '--c': isSame === true ? 'var(--live-line)' : 'var(--cand-line)' }}
                d={barsOf([{ x: middle(at) - MAX_BAR / 2, y: floor - part, width: MAX_BAR, height: part }])}
              />
              <text className="bar-count" x={middle(at)} y={floor - part - 5} textAnchor="middle">
                {number(count)}
              </text>
              <text x={middle(at)} y={height - 4} textAnchor="middle">
                {name}
              </text>
            </g>
          )
        })}
        <line className="grid-line" x1={0} x2={width} y1={floor} y2={floor} />
      </ChartFigure>
    </div>
  )
}

/** Shares of result codes on one side. */
export interface MixRow {
  readonly name: string
  readonly isCandidate: boolean
  readonly shares: readonly { readonly code: string; readonly color: string; readonly share: number }[]
}

/** Result codes of two sides as stacked bars of shares. A legend must show the names and the numbers. */
export function CodeMix({ rows }: { readonly rows: readonly MixRow[] }) {
  const { percent } = useNumbers()
  return (
    <div className="code-mix">
      {rows.map(({ name, isCandidate, shares }) => (
        <div key={name} className="code-mix-row">
          <span className="tag" data-tone={isCandidate ? 'candidate' : undefined}>
            {name}
          </span>
          <div
            className="code-mix-bar"
            role="img"
            aria-label={`${name}: ${shares.map(({ code, share }) => `${code} ${percent(share)}`).join(', ')}`}
          >
            {shares.map(({ code, color, share }) => (
              <span key={code} style={{ flexGrow: share, '--c': `var(${color})` }} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
