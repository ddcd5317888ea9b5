import { type PointerEvent, useState } from 'react'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import { type Series, ticksTo } from './chart-scale.ts'

const WIDTH = 560
const HEIGHT = 180
const LEFT = 44
const RIGHT = 10
const TOP = 8
const BOTTOM = 22

/** Colour alone is not a sufficient mark: each line has a pattern, too. */
const LINES = [
  { color: 'var(--k-action)', dash: undefined },
  { color: 'var(--k-decision)', dash: '6 3' },
  { color: 'var(--k-table)', dash: '2 3' },
  { color: 'var(--k-sub_rule)', dash: '8 3 2 3' },
  { color: 'var(--k-terminal)', dash: '12 4' },
  { color: 'var(--s-variable)', dash: '4 4' },
] as const

/** Number of series that a chart can distinguish. */
export const MAX_SERIES = LINES.length

/** Counts over time. The table below names the lines, and gives screen readers their values. */
export function Chart({
  title,
  times,
  series,
}: {
  readonly title: string
  /** Epoch milliseconds, at equal distances. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
}) {
  const [at, setAt] = useState<number>()
  const format = useMoment(times)
  const ticks = ticksTo(Math.max(0, ...series.flatMap(({ values }) => values)))
  const top = ticks.at(-1) ?? 1
  const x = (index: number) => LEFT + (index / Math.max(1, times.length - 1)) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM)
  const follow = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const along = ((clientX - left) / width) * WIDTH
    const index = Math.round(((along - LEFT) / (WIDTH - LEFT - RIGHT)) * (times.length - 1))
    setAt(Math.max(0, Math.min(times.length - 1, index)))
  }
  const labels = [0, 1, 2, 3].map((part) => Math.round((part / 3) * (times.length - 1)))
  return (
    <figure className="card chart" aria-label={title}>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        aria-hidden="true"
        onPointerMove={follow}
        onPointerLeave={() => setAt(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end">
              {short(tick)}
            </text>
          </g>
        ))}
        {labels.map((index, part) => (
          <text
            key={part}
            x={x(index)}
            y={HEIGHT - 6}
            textAnchor={part === 0 ? 'start' : part === 3 ? 'end' : 'middle'}
          >
            {format(times[index])}
          </text>
        ))}
        {series.map(({ name, values }, index) => (
          <polyline
            key={name}
            points={values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
            stroke={lineOf(index).color}
            strokeDasharray={lineOf(index).dash}
          />
        ))}
        {at !== undefined && <line className="pointer" x1={x(at)} x2={x(at)} y1={TOP} y2={HEIGHT - BOTTOM} />}
      </svg>
      <Values series={series} at={at} time={format(times[at ?? times.length - 1])} />
    </figure>
  )
}

const lineOf = (index: number) => LINES[index % LINES.length] ?? LINES[0]

/** The lines by name: sum, peak, and the value at the pointer, else the last one. */
function Values({
  series,
  at,
  time,
}: {
  readonly series: readonly Series[]
  readonly at: number | undefined
  readonly time: string
}) {
  const { chart: texts } = useTexts()
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">{texts.line}</th>
          <th scope="col" className="num">
            {texts.sum}
          </th>
          <th scope="col" className="num">
            {texts.peak}
          </th>
          <th scope="col" className="num">
            {texts.at(time)}
          </th>
        </tr>
      </thead>
      <tbody>
        {series.map(({ name, values }, index) => (
          <tr key={name}>
            <td>
              <svg className="swatch" viewBox="0 0 24 6" aria-hidden="true">
                <line x1="0" x2="24" y1="3" y2="3" stroke={lineOf(index).color} strokeDasharray={lineOf(index).dash} />
              </svg>
              {name}
            </td>
            <td className="num">{values.reduce((total, value) => total + value, 0).toLocaleString()}</td>
            <td className="num">{Math.max(0, ...values).toLocaleString()}</td>
            <td className="num">{(values[at ?? values.length - 1] ?? 0).toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const THOUSAND = 1000
/** `1.5k`: a label has little space. */
const short = (value: number) =>
  value >= THOUSAND * THOUSAND
    ? `${value / THOUSAND / THOUSAND}M`
    : value >= THOUSAND
      ? `${value / THOUSAND}k`
      : String(value)

const DAY_MS = 24 * 3600 * 1000

/** The time of the day, and beyond a day the date. */
function useMoment(times: readonly number[]): (time: number | undefined) => string {
  const { language } = useLanguage()
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > DAY_MS
  const format = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(isLong && { day: '2-digit', month: '2-digit' }),
    hour: '2-digit',
    minute: '2-digit',
  })
  return (time) => (time === undefined ? '' : format.format(time))
}
