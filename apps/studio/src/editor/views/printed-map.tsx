import type { DraftStep } from '@engine/authoring'
import { routeOf } from '../../graph-editor/curves.ts'
import type { Layout } from '../../graph-editor/layout.ts'
import { shapeOf, WIDTH } from '../../graph-editor/shape.ts'

interface PrintedMapProps {
  readonly steps: readonly DraftStep[]
  readonly placed: Layout
  readonly numbers: ReadonlyMap<string, number>
}

const MARGIN = 8
const ENTRY_Y = 20

/** The whole flow as a picture of numbered boxes: texts would be too small here and follow below. */
export function PrintedMap({ steps, placed, numbers }: PrintedMapProps) {
  const { width, height, boxes, routes } = placed
  return (
    <svg
      className="map"
      viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
      aria-hidden="true"
    >
      {steps.flatMap((step) =>
        shapeOf(step).ports.flatMap(({ target = '', y, id }, index) => {
          const [from, to] = [boxes.get(step.id), boxes.get(target)]
          if (from === undefined || to === undefined) return []
          const via = routes.get(`${step.id}:${index}`) ?? []
          const path = routeOf({ x: from.x + WIDTH, y: from.y + y }, via, { x: to.x, y: to.y + ENTRY_Y })
          return [<path key={step.id + id} d={path} />]
        }),
      )}
      {steps.map((step) => {
        const { x, y } = boxes.get(step.id) ?? { x: 0, y: 0 }
        const tall = shapeOf(step).height
        return (
          <g key={step.id} transform={`translate(${x} ${y})`} style={{ color: `var(--k-${step.type})` }}>
            <rect width={WIDTH} height={tall} rx={9} />
            <text x={WIDTH / 2} y={tall / 2}>
              {numbers.get(step.id)}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
