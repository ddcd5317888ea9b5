import { Suspense, useCallback, useEffect, useMemo } from 'react'
import { useTick } from '../first-steps/progress.ts'
import { ConnectBox, ExtractBox, loadAll, MergeBox, SaveCaseBox } from './lazy-parts.ts'
import { Notices } from './notices.tsx'
import { Panel } from './simulation/panel.tsx'
import { SidePanel } from './side/side-panel.tsx'
import { Stage } from './stage.tsx'
import type { useEditing } from './state/editing.ts'
import { EditorContext, type EditorDialog, useEditor } from './state/editor-context.ts'
import { type EditorModelParts, useEditorModel } from './state/editor-model.ts'
import { useEditorKeys } from './editor-keys.ts'
import { focusDetails } from './forms/focus-details.ts'
import { useNextProblem } from './next-problem.ts'
import { tableOf } from './state/overlays.ts'
import { useSteps } from './step-commands.ts'
import { Toolbar } from './toolbar.tsx'
import { Outline } from './views/outline.tsx'
import { ReadFields } from './views/read-fields.tsx'
import { Printed } from './views/print-view.tsx'

/** A ruleset in its three views: one session, one history, one simulation. */
export function Editor(props: EditorModelParts) {
  const model = useEditorModel(props)
  const { state, mayEdit, editing, go, link, others, lastSave, panel, setPanel, isCovering, cover, dialog, setDialog } =
    model
  const { name, view, draft, graph, selected, table, overlays, present, checks, actions } = state
  const { undo, redo, select, selectPath, place, execute, ask } = state
  const executeNow = useCallback(() => execute(), [execute])
  const showProblem = useNextProblem(checks.problems, selectPath)
  const saveAsTest = mayEdit && state.simulation.run !== undefined ? () => ask('case') : undefined
  useEditorKeys({ save: editing.save, undo, redo, execute: executeNow, saveAsTest, showProblem, mayEdit })
  useSteps(graph.draft, select, executeNow)
  useTick('test', editing.state !== 'saved' && checks.cases?.some(({ failures }) => failures.length > 0) === true)
  useEffect(loadAll, [])
  const { contract } = state.surroundings
  const codes = useMemo(() => contract?.outputs.map(({ code }) => code), [contract])
  return (
    <EditorContext value={state}>
      <main className="editor" id="main" tabIndex={-1}>
        <Toolbar
          name={name}
          editing={editing}
          view={view}
          others={others}
          hasTable={graph.draft.steps.some(({ type }) => type === 'table')}
          show={(next) => {
            const step = next === 'table' ? tableOf(graph.draft, selected) : selected
            place({ view: next, ...(step !== undefined && { step: step.id }) }, true)
          }}
          undo={undo}
          redo={redo}
          execute={executeNow}
          checks={checks}
          showTests={() => setPanel(panel === 'tests' ? undefined : 'tests')}
          hasTests={panel === 'tests'}
        />
        <Notices
          name={name}
          editing={editing}
          graph={graph}
          lastSave={lastSave}
          refusal={actions.refusal}
          dismiss={actions.dismiss}
          leaveSubRule={() => go({ view: 'flow' }, true)}
        />
        <div className="work" data-view={view}>
          <Outline
            draft={graph.draft}
            selected={(table ?? selected)?.id}
            visits={overlays.visits}
            problems={overlays.counts}
            present={present}
            select={select}
            open={(id) => focusDetails(id, select)}
            add={actions.apply && actions.add}
            codes={codes}
          >
            <ReadFields draft={draft} surroundings={state.surroundings} />
          </Outline>
          <Stage />
          <SidePanel />
          <Panel
            tab={panel}
            show={setPanel}
            isCovering={isCovering}
            cover={cover}
            link={link}
            saveAsTest={mayEdit ? () => ask('case') : undefined}
          />
        </div>
        <Printed name={name} seq={editing.seq} view={view} draft={draft} graph={graph} table={table} />
        <Dialogs editing={editing} open={dialog} close={() => setDialog(undefined)} />
      </main>
    </EditorContext>
  )
}

/** The open dialog, and the merge dialog for a conflict with another author's save. */
function Dialogs({
  editing,
  open,
  close,
}: {
  readonly editing: ReturnType<typeof useEditing>
  readonly open: EditorDialog | undefined
  readonly close: () => void
}) {
  const { name, graph, simulation, cases, actions } = useEditor()
  return (
    <Suspense>
      {editing.clash !== undefined && (
        <MergeBox clash={editing.clash} settle={editing.settle} close={editing.postpone} />
      )}
      {open === 'case' && <SaveCaseBox name={name} simulation={simulation} cases={cases} close={close} />}
      {typeof open === 'object' && actions.apply !== undefined && (
        <ConnectBox draft={graph.draft} from={open.from} apply={actions.apply} close={close} />
      )}
      {open === 'extract' && <ExtractBox extract={actions.extract} close={close} />}
    </Suspense>
  )
}
