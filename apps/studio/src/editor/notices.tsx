import type { OpenGraph } from '../session/open-graph.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Editing } from './state/editing.ts'
import { UnsavedNotice } from './unsaved-notice.tsx'
import type { OtherSave } from './state/presence.ts'

interface NoticesProps {
  readonly name: string
  readonly editing: Editing
  readonly graph: OpenGraph
  readonly lastSave: OtherSave | undefined
  readonly refusal: string | undefined
  readonly dismiss: () => void
  readonly leaveSubRule: () => void
}

/** Notices above the rules, at most one line each. */
export function Notices({ name, editing, graph, lastSave, refusal, dismiss, leaveSubRule }: NoticesProps) {
  const { graph: words, common } = useTexts()
  const isBehind = lastSave !== undefined && lastSave.seq > editing.seq && editing.state !== 'saving'
  return (
    <div className="editor-notices">
      {editing.left !== undefined && (
        <UnsavedNotice work={editing.left} restore={editing.restore} discard={editing.discard} />
      )}
      {graph.within !== undefined && (
        <div className="note row" role="status">
          <Icon name="sub_rule" size={14} />
          <button type="button" className="btn" data-kind="quiet" onClick={leaveSubRule}>
            {name}
          </button>
          <span aria-hidden="true">›</span>
          <b>{graph.within}</b>
          {!graph.isOwn && <span className="muted">{words.shared}</span>}
        </div>
      )}
      {isBehind && (
        <p className="note" data-tone="warn" role="status">
          {words.savedMeanwhile(lastSave.seq)}
        </p>
      )}
      {refusal !== undefined && (
        <div className="note row" data-tone="bad" role="alert">
          <span className="grow">{refusal}</span>
          <button type="button" className="btn" onClick={dismiss}>
            {common.close}
          </button>
        </div>
      )}
    </div>
  )
}
