import { useReactFlow, useStore } from '@xyflow/react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

export function Zoom({ fit }: { readonly fit: () => void }) {
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
