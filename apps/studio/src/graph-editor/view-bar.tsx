import { useReactFlow, useStore } from '@xyflow/react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { chooseDirection, type Direction } from './direction.ts'

const DIRECTIONS = [
  ['down', 'down'],
  ['right', 'onward'],
] as const

interface ViewBarProps {
  readonly fit: () => void
  readonly direction: Direction
  /** Undefined: read-only. */
  readonly tidy: (() => void) | undefined
}

/** Zoom and direction of a flow. */
export function ViewBar({ fit, direction, tidy }: ViewBarProps) {
  const { canvas } = useTexts()
  return (
    <div className="view-bar">
      <Zoom fit={fit} />
      <div className="seg" role="group" aria-label={canvas.direction}>
        {DIRECTIONS.map(([one, icon]) => (
          <button key={one} type="button" aria-pressed={direction === one} onClick={() => chooseDirection(one)}>
            <Icon name={icon} size={14} />
            {canvas.directions[one]}
          </button>
        ))}
        {tidy !== undefined && (
          <button type="button" title={canvas.tidyHint} onClick={tidy}>
            <Icon name="tidy" size={14} />
            {canvas.tidy}
          </button>
        )}
      </div>
    </div>
  )
}

function Zoom({ fit }: { readonly fit: () => void }) {
  const { canvas } = useTexts()
  const flow = useReactFlow()
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100))
  return (
    <div className="zoom" role="group" aria-label={canvas.zoom}>
      <button type="button" className="btn icon" aria-label={canvas.zoomOut} onClick={() => void flow.zoomOut()}>
        <Icon name="minus" />
      </button>
      <button type="button" className="btn tnum" title={canvas.zoomFull} onClick={() => void flow.zoomTo(1)}>
        {percent} %
      </button>
      <button type="button" className="btn icon" aria-label={canvas.zoomIn} onClick={() => void flow.zoomIn()}>
        <Icon name="plus" />
      </button>
      <button type="button" className="btn icon" aria-label={canvas.fit} onClick={fit}>
        <Icon name="fit" />
      </button>
    </div>
  )
}
