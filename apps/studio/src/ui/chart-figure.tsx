import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import '../styles/chart.css'
import { useTexts } from '../texts/texts.tsx'
import { type PointRange, rangeOf } from './chart-scale.ts'

/** The values of a chart as rows, for its table. */
export interface ChartTable {
  readonly columns: readonly string[]
  /** Computed when the table is opened. */
  readonly rows: () => readonly (readonly string[])[]
}

/** The range of a chart that the user has selected, and can change. */
interface Choice {
  readonly range: PointRange | undefined
  readonly choose: (range: PointRange | undefined) => void
  /** Padding of the selection before its first and after its last point, in drawing units. */
  readonly margin: number
}

interface ChartFigureProps {
  /** A sentence that describes the drawing for screen readers. */
  readonly label: string
  readonly width: number
  readonly height: number
  /** X positions of the points in drawing units, from left to right. */
  readonly places: readonly number[]
  /** Describes the values at a point. */
  readonly valuesAt: (index: number) => string
  readonly table: ChartTable
  /** Enables selection: dragging, or Shift with arrow keys, selects a range; Escape clears it. */
  readonly choice?: Choice
  readonly children: ReactNode
}

/** The next point for a key; undefined for keys that the chart does not use. */
function pointAt(key: string, at: number | undefined, count: number): number | undefined {
  const last = count - 1
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, (at ?? last + 1) - 1)
    case 'ArrowRight':
      return Math.min(last, (at ?? -1) + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

/** A drawing with its description, the values under the pointer or the keyboard cursor, and all values as a table. */
export function ChartFigure(props: ChartFigureProps) {
  const { label, width, height, places, valuesAt, table, choice, children } = props
  const [at, setAt] = useState<number>()
  const count = places.length
  const anchor = useRef<number>(undefined)
  const under = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const { left, width: shown } = currentTarget.getBoundingClientRect()
    return nearest(places, ((clientX - left) / shown) * width)
  }
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const point = under(event)
    setAt(point)
    if (choice === undefined || anchor.current === undefined || point === undefined || event.buttons !== 1) return
    choice.choose(rangeOf(anchor.current, point, count))
  }
  const begin = (event: PointerEvent<SVGSVGElement>) => {
    if (choice === undefined) return
    event.currentTarget.setPointerCapture(event.pointerId)
    anchor.current = under(event)
    choice.choose(undefined)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && choice?.range !== undefined) choice.choose(undefined)
    const next = count === 0 ? undefined : pointAt(event.key, at, count)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
    anchor.current = event.shiftKey ? (anchor.current ?? at ?? next) : undefined
    if (anchor.current !== undefined) choice?.choose(rangeOf(anchor.current, next, count))
  }
  const place = at === undefined ? undefined : places[at]
  return (
    <figure className="chart-figure">
      <div className="chart-drawing" data-chooses={choice === undefined ? undefined : ''}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={label}
          tabIndex={0}
          onPointerMove={follow}
          onPointerDown={begin}
          onPointerUp={() => (anchor.current = undefined)}
          onPointerLeave={() => setAt(undefined)}
          onBlur={() => setAt(undefined)}
          onKeyDown={press}
        >
          {children}
          {choice?.range !== undefined && (
            <rect
              className="chosen"
              x={(places[choice.range[0]] ?? 0) - choice.margin}
              width={Math.max(2, (places[choice.range[1]] ?? 0) - (places[choice.range[0]] ?? 0) + 2 * choice.margin)}
              y={0}
              height={height - 18}
            />
          )}
          {place !== undefined && <line className="pointer" x1={place} x2={place} y1={4} y2={height - 18} />}
        </svg>
        <output
          className="chart-values tnum"
          data-side={place !== undefined && place > width / 2 ? 'start' : 'end'}
          hidden={at === undefined}
        >
          {at !== undefined && valuesAt(at)}
        </output>
      </div>
      <ValueTable label={label} table={table} />
    </figure>
  )
}

/** All values as a table, shown on request. */
function ValueTable({ label, table }: Pick<ChartFigureProps, 'label' | 'table'>) {
  const { chart: texts } = useTexts()
  const [isOpen, open] = useState(false)
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{texts.table}</summary>
      {isOpen && (
        <div className="scroll" tabIndex={0} role="region" aria-label={label}>
          <table className="list">
            <thead>
              <tr>
                {table.columns.map((column, index) => (
                  <th key={column} scope="col" className={index === 0 ? undefined : 'num'}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows().map(([first, ...others], index) => (
                <tr key={index}>
                  <th scope="row">{first}</th>
                  {others.map((value, column) => (
                    <td key={column} className="num">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

/** The index of the position nearest to `x`; positions are ascending. */
function nearest(places: readonly number[], x: number): number | undefined {
  let [low, high] = [0, places.length - 1]
  if (high < 0) return undefined
  while (low < high) {
    const middle = (low + high) >> 1
    const [one = 0, next = 0] = [places[middle], places[middle + 1]]
    if (x - one > next - x) low = middle + 1
    else high = middle
  }
  return low
}
