import type { DraftStep } from '@engine/authoring'
import type { Layout } from '../../graph-editor/layout.ts'
import { pathOf, type Placed, routeOf, tracksAt } from '../../graph-editor/routes.ts'
import { shapeOf, sizeOf } from '../../graph-editor/shape.ts'

interface PrintedMapProps {
  readonly steps: readonly DraftStep[]
  readonly placed: Layout
  readonly numbers: ReadonlyMap<string, number>
}

const MARGIN = 8

/** The whole flow as a picture of numbered boxes: texts would be too small in it and follow below. */
export function PrintedMap({ steps, placed, numbers }: PrintedMapProps) {
  const { width, height, boxes, direction } = placed
  const byId = new Map(steps.map((step) => [step.id, step]))
  const at = (step: DraftStep): Placed => ({
    ...(boxes.get(step.id) ?? { x: 0, y: 0 }),
    ...sizeOf(step, direction),
    isResult: step.type === 'terminal',
  })
  return (
    <svg
      className="map"
      viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
      aria-hidden="true"
    >
      {steps.flatMap((step) =>
        shapeOf(step).ports.flatMap(({ target = '', y, id }, index, ports) => {
          const to = byId.get(target)
          if (to === undefined) return []
          const [from, end] = [at(step), at(to)]
          const tracks = { from: tracksAt(placed, step.id, from), to: tracksAt(placed, target, end) }
          const exit = { y, isLast: index === ports.length - 1, bus: index }
          return [<path key={step.id + id} d={pathOf(routeOf(from, exit, end, tracks, direction))} />]
        }),
      )}
      {steps.map((step) => {
        const { x, y, width: wide, height: tall } = at(step)
        return (
          <g key={step.id} transform={`translate(${x} ${y})`} style={{ color: `var(--k-${step.type})` }}>
            <rect width={wide} height={tall} rx={9} />
            <text x={wide / 2} y={tall / 2}>
              {numbers.get(step.id)}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
