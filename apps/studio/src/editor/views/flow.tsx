import { connect, type DraftStep } from '@engine/authoring'
import { Canvas } from '../../graph-editor/canvas.tsx'
import { shapeOf } from '../../graph-editor/shape.ts'
import { useTexts } from '../../texts/texts.tsx'
import { withLabel, withPlaces, withoutPlaces } from '../state/edits.ts'
import { focusDetails } from '../forms/focus-details.ts'
import { useEditor } from '../state/editor-context.ts'

/** The open graph on its canvas. */
export function Flow() {
  const { graph, deferred, selected, overlays, present, actions, select, place, openSubRule, ask } = useEditor()
  const { editor } = useTexts()
  const { apply } = actions
  const stepOf = (id: string) => graph.draft.steps.find((step) => step.id === id)
  const open = (id: string) => {
    const step = stepOf(id)
    if (step?.type === 'table') place({ view: 'table', step: id }, true)
    else if (step?.type === 'sub_rule' && step.refName !== undefined) openSubRule(step.refName)
    else focusDetails(id, select)
  }
  return (
    <Canvas
      // The key resets the viewport for each graph.
      key={graph.within ?? ''}
      draft={deferred}
      selected={selected?.id}
      marked={actions.marked}
      mark={actions.mark}
      visits={overlays.visits}
      problems={overlays.counts}
      coverage={overlays.covered}
      present={present}
      isReadOnly={apply === undefined}
      select={select}
      open={open}
      move={(moves) => apply?.(editor.move, (old) => withPlaces(old, moves), `move ${[...moves.keys()].join(' ')}`)}
      connect={(id, exit, target) => apply?.(editor.connect, (old) => connect(old, { step: id, exit }, target))}
      remove={actions.remove}
      insert={(id) => actions.insert(id, { kind: stepOf(id)?.type === 'decision' ? 'default' : 'next' })}
      insertOn={actions.insert}
      askConnection={(id) => hasExits(stepOf(id)) && ask({ from: id })}
      tidy={() => apply?.(editor.tidy, withoutPlaces)}
      rename={(id, branch, text) =>
        apply?.(branch === undefined ? editor.rename : editor.label, (old) => withLabel(old, id, branch, text))
      }
      duplicate={actions.duplicate}
      copy={actions.copy}
      paste={(text) => void actions.paste(text)}
      extract={apply && (() => ask('extract'))}
    />
  )
}

const hasExits = (step: DraftStep | undefined) => step !== undefined && shapeOf(step).ports.length > 0
