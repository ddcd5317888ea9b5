import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { CanvasProps } from './canvas.tsx'

/** A bar of actions on several selected steps. */
export function MarkedBar({ marked, mark, extract, duplicate, remove, isReadOnly }: CanvasProps) {
  const { canvas } = useTexts()
  if (marked.size < 2) return null
  return (
    <div className="marked row" role="toolbar" aria-label={canvas.marked(marked.size)}>
      <span className="tnum">{canvas.marked(marked.size)}</span>
      {!isReadOnly && (
        <>
          {extract !== undefined && (
            <button type="button" className="btn" onClick={extract}>
              <Icon name="sub_rule" size={14} />
              {canvas.extract}
            </button>
          )}
          <button type="button" className="btn" onClick={() => duplicate([...marked])}>
            <Icon name="copy" size={14} />
            {canvas.duplicate}
          </button>
          <button type="button" className="btn" onClick={() => remove([...marked])}>
            <Icon name="trash" size={14} />
            {canvas.remove}
          </button>
        </>
      )}
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={canvas.unmark}
        onClick={() => mark(new Set())}
      >
        <Icon name="x" size={14} />
      </button>
    </div>
  )
}
