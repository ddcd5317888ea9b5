import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useNumbers, useTexts } from '../texts/texts.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { barsOf, bandOf, lineOf, scaleOf, ticksAround } from './chart-paths.ts'
import { type PointRange, sums, ticksTo } from './chart-scale.ts'
import { useMoment } from './moment.ts'

const [TOP, BOTTOM, RIGHT] = [8, 20, 8] as const

interface TimeAxisProps {
  readonly times: readonly number[]
  readonly x: (time: number) => number
  readonly y: number
}

/** Labels for the first, the middle and the last time. */
function TimeAxis({ times, x, y }: TimeAxisProps) {
  const moment = useMoment(times)
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  const marks = from === to ? [from] : [from, (from + to) / 2, to]
  const anchors = marks.length === 1 ? (['middle'] as const) : (['start', 'middle', 'end'] as const)
  return marks.map((time, index) => (
    <text key={index} x={x(time)} y={y} textAnchor={anchors[index]}>
      {moment(time)}
    </text>
  ))
}

/** Counts at the times of a chart. */
export interface TimeSeries {
  readonly name: string
  /** A CSS colour. */
  readonly color: string
  readonly values: readonly number[]
}

interface TimeChartProps {
  /** A sentence that describes the drawing for screen readers. */
  readonly label: string
  /** Epoch milliseconds, ascending and evenly spaced. */
  readonly times: readonly number[]
  /** `bars` are stacked; of `lines`, the first is filled, and the others, for earlier periods, are dashed. */
  readonly mark: 'bars' | 'lines'
  readonly series: readonly TimeSeries[]
  readonly height?: number
  /** The first and the last selected point, for a chart with selection. */
  readonly range?: PointRange | undefined
  readonly choose?: (range: PointRange | undefined) => void
}

/** Counts over time on an axis from 0, as wide as the container. */
export function TimeChart({ label, times, mark, series, height = 124, range, choose }: TimeChartProps) {
  const { chart: texts } = useTexts()
  const { number } = useNumbers()
  const moment = useMoment(times)
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const isBars = mark === 'bars'
  const left = isBars ? 0 : LEFT
  const floor = height - BOTTOM
  const step = width / Math.max(1, times.length)
  const along = scaleOf(times[0] ?? 0, times.at(-1) ?? 0, left, isBars ? width : width - RIGHT)
  const places = isBars ? times.map((_, at) => (at + 0.5) * step) : times.map(along)
  const values = (at: number) => series.map(({ name, values: own }) => `${name} ${number(own[at] ?? 0)}`).join(', ')
  const marks = { series, places, height, width }
  return (
    <div ref={box} className="time-chart">
      <ChartFigure
        label={label}
        width={width}
        height={height}
        places={places}
        valuesAt={(at) => `${moment(times[at])} · ${values(at)}`}
        table={{
          columns: [texts.time, ...series.map(({ name }) => name)],
          rows: () => times.map((time, at) => [moment(time), ...series.map((one) => number(one.values[at] ?? 0))]),
        }}
        {...(choose !== undefined && { choice: { range, choose, margin: isBars ? step / 2 : 0 } })}
      >
        {isBars ? <Bars {...marks} step={step} /> : <Lines {...marks} />}
        {isBars && <line className="grid-line" x1={0} x2={width} y1={floor} y2={floor} />}
        <TimeAxis times={times} x={along} y={height - 4} />
      </ChartFigure>
    </div>
  )
}

const LEFT = 38

interface MarksProps {
  readonly series: readonly TimeSeries[]
  readonly places: readonly number[]
  readonly width: number
  readonly height: number
}

/** Lines over a grid with round values. */
function Lines({ series, places, width, height }: MarksProps) {
  const { number } = useNumbers()
  const ticks = ticksTo(series.reduce((most, { values }) => values.reduce((high, one) => Math.max(high, one), most), 0))
  const y = scaleOf(0, ticks.at(-1) ?? 1, height - BOTTOM, TOP)
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid-line" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 3.5} textAnchor="end">
            {number(tick)}
          </text>
        </g>
      ))}
      {series.map(({ name, values, color }, index) => {
        const points = values.map((value, at): [number, number] => [places[at] ?? 0, y(value)])
        return (
          <g key={name} style={{ '--c': color }}>
            {index === 0 && <path className="area" d={bandOf(points, onFloor(points, y(0)))} />}
            <path className="line" data-earlier={index > 0 ? '' : undefined} d={lineOf(points)} />
          </g>
        )
      })}
    </>
  )
}

const onFloor = (points: readonly (readonly [number, number])[], y: number) =>
  points.map(([x]): [number, number] => [x, y])

/** Stacked bars. */
function Bars({ series, places, height, step }: MarksProps & { readonly step: number }) {
  const floor = height - BOTTOM
  const count = places.length
  const paths = useMemo(() => {
    const most = sums(series, count).reduce((high, one) => Math.max(high, one), 1)
    const tops = Array.from({ length: count }, () => floor)
    const gap = Math.min(2, step / 4)
    return series.map(({ values }) =>
      barsOf(
        tops.flatMap((top, at) => {
          const part = ((values[at] ?? 0) / most) * (floor - 4)
          if (part <= 0) return []
          tops[at] = top - part
          return [{ x: at * step + gap / 2, y: top - part, width: step - gap, height: Math.max(0.6, part - 0.8) }]
        }),
      ),
    )
  }, [series, count, floor, step])
  return series.map(({ name, color }, index) => (
    <path key={name} className="bars" style={{ '--c': color }} d={paths[index]} />
  ))
}

/** Width in pixels until the element is measured. */
const FIRST_WIDTH = 420

/** The width of an element in pixels: text and lines keep their size in a chart of any width. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(FIRST_WIDTH)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const read = () => setWidth(Math.max(1, Math.round(current.clientWidth)))
    read()
    const observer = new ResizeObserver(read)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** A difference with its interval at one time. */
export interface RangeAt {
  /** Epoch milliseconds. */
  readonly at: number
  readonly low: number
  readonly estimate: number
  readonly high: number
}

interface IntervalChartProps {
  readonly label: string
  readonly ranges: readonly RangeAt[]
  /** The difference at which a guard objects, and a word for its effect. */
  readonly limit?: { readonly value: number; readonly word: string } | undefined
  /** The predicted difference, drawn as a dotted line. */
  readonly predicted?: number | undefined
  readonly width?: number
  readonly height?: number
}

/** A difference over time with its interval, the zero line, and the limit at which a guard objects. */
export function IntervalChart({ label, ranges, limit, predicted, width = 340, height = 150 }: IntervalChartProps) {
  const { chart: texts } = useTexts()
  const { signed } = useNumbers()
  const times = useMemo(() => ranges.map(({ at }) => at), [ranges])
  const moment = useMoment(times)
  const left = 40
  const ticks = useMemo(() => ticksOf(ranges, [limit?.value, predicted]), [ranges, limit?.value, predicted])
  const [low = -1, high = 1] = [ticks[0], ticks.at(-1)]
  const x = scaleOf(times[0] ?? 0, times.at(-1) ?? 0, left, width - RIGHT)
  const y = scaleOf(low, high, height - BOTTOM, TOP)
  const inside = (value: number) => y(Math.min(high, Math.max(low, value)))
  const places = times.map(x)
  const pointsOf = (part: 'low' | 'estimate' | 'high') =>
    ranges.map((range, at): [number, number] => [places[at] ?? 0, inside(range[part])])
  const [last] = ranges.slice(-1)
  const end = places.at(-1) ?? left
  return (
    <ChartFigure
      label={label}
      width={width}
      height={height}
      places={places}
      valuesAt={(at) => {
        const range = ranges[at]
        if (range === undefined) return ''
        return `${moment(range.at)} · ${texts.range(signed(range.estimate), signed(range.low), signed(range.high))}`
      }}
      table={{
        columns: [texts.time, texts.difference, texts.from, texts.to],
        rows: () =>
          ranges.map((range) => [
            moment(range.at),
            ...[range.estimate, range.low, range.high].map((one) => signed(one)),
          ]),
      }}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line className={tick === 0 ? 'zero-line' : 'grid-line'} x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={left - 6} y={y(tick) + 3.5} textAnchor="end">
            {signed(tick)}
          </text>
        </g>
      ))}
      <path className="band" d={bandOf(pointsOf('high'), pointsOf('low'))} />
      {limit !== undefined && (
        <>
          <line className="limit-line" x1={left} x2={width} y1={y(limit.value)} y2={y(limit.value)} />
          <text className="limit-word" x={width} y={y(limit.value) - 5} textAnchor="end">
            {limit.word}
          </text>
        </>
      )}
      {predicted !== undefined && (
        <line className="predicted-line" x1={left} x2={width} y1={y(predicted)} y2={y(predicted)} />
      )}
      <path className="estimate" d={lineOf(pointsOf('estimate'))} />
      {last !== undefined && (
        <>
          <line className="estimate-range" x1={end} x2={end} y1={inside(last.high)} y2={inside(last.low)} />
          <circle className="estimate-point" cx={end} cy={inside(last.estimate)} r={3.5} />
        </>
      )}
      <TimeAxis times={times} x={x} y={height - 4} />
    </ChartFigure>
  )
}

/** Intervals that are this many times as wide as the last one do not affect the axis. */
const MAX_RANGE_RATIO = 3

/**
 * The axis encloses the lines, the last interval, and the estimates of narrow intervals; the wide ones at the beginning
 * are clipped.
 */
function ticksOf(ranges: readonly RangeAt[], lines: readonly (number | undefined)[]): readonly number[] {
  let [low, high] = [0, 0]
  const enclose = (value: number | undefined) => {
    if (value === undefined) return
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const [last] = ranges.slice(-1)
  const most = last === undefined ? 0 : MAX_RANGE_RATIO * (last.high - last.low)
  for (const one of ranges) if (one.high - one.low <= most) enclose(one.estimate)
  for (const line of lines) enclose(line)
  enclose(last?.low)
  enclose(last?.high)
  return ticksAround(low, high)
}
