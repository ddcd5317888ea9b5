import type { DraftRuleset } from '@engine/authoring'
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { components } from '../api/schema.ts'
import type { Known } from '../expression-editor/complete.ts'
import { useMay } from '../frame/place.ts'
import { focusStep } from '../graph-editor/focus-step.ts'
import { openGraph, stepAt } from '../session/open-graph.ts'
import { useSession } from '../session/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Toolbar } from './toolbar.tsx'
import { EditorContext, type EditorDialog, type EditorState, useEditor } from './state/editor-context.ts'
import type { EditorSearch } from './state/search.ts'
import { useChecks } from './state/checks.ts'
import { useEditing } from './state/editing.ts'
import { useEditorKeys } from './editor-keys.ts'
import { variablesOf } from './state/edits.ts'
import { focusDetails } from './state/focus-details.ts'
import { useGraphActions } from './state/graph-actions.ts'
import { Notices } from './notices.tsx'
import { Outline } from './views/outline.tsx'
import { useSteps } from './step-commands.ts'
import { Panel, type PanelTab } from './panel.tsx'
import { ConnectBox, ExtractBox, loadAll, MergeBox, SaveCaseBox } from './lazy-parts.ts'
import { useLinkedRun } from './state/linked-run.ts'
import { useNextProblem } from './state/next-problem.ts'
import { placeOf, presentAt, usePresence } from './state/presence.ts'
import { Printed } from './views/printed.tsx'
import { selectedOf, tableOf, useFunctions, useOverlays } from './state/overlays.ts'
import { useSimulation } from './state/simulation.ts'
import { Stage } from './stage.tsx'
import { NO_CASES, useCases, useReferences } from './state/references.ts'

interface EditorProps {
  readonly draft: components['schemas']['Draft']
  readonly search: EditorSearch
  /** A selection replaces the history entry; another view adds one. */
  readonly go: (search: EditorSearch, isNew: boolean) => void
}

/** A ruleset in its three views: one session, one history, one simulation. */
export function Editor({ draft: stored, search, go: goTo }: EditorProps) {
  const { editor } = useTexts()
  const mayEdit = useMay('ruleset.edit')
  const editing = useEditing(stored, { merge: editor.merged, restore: editor.restored })
  const { session } = editing
  const draft = useSession(session, docOf)
  const { surroundings, fields, isKnown } = useReferences(draft.config.contract ?? draft.config.name)
  const { subRules } = surroundings
  const graph = useMemo(() => openGraph(draft, search.in, subRules), [draft, search.in, subRules])
  const deferred = useDeferredValue(graph)
  const { within } = graph
  const saved = useCases(stored.name)
  const cases = saved ?? NO_CASES
  const checks = useChecks(draft, surroundings, cases)
  const current = useCallback(() => session.doc, [session])
  const simulation = useSimulation(draft, current, surroundings, cases, isKnown && saved !== undefined)
  const functions = useFunctions()
  const [panel, setPanel] = useState<PanelTab>()
  const [isCovering, cover] = useState(false)
  const [dialog, ask] = useState<EditorDialog>()
  const view = search.view ?? 'flow'
  const { run: linked } = search
  // The shown execution stays with its page.
  const go = useCallback(
    (next: EditorSearch, isNew: boolean) => goTo(linked === undefined ? next : { ...next, run: linked }, isNew),
    [goTo, linked],
  )
  const selected = selectedOf(graph.draft, search.step)
  const place = useCallback(
    (next: Omit<EditorSearch, 'in'>, isNew: boolean) =>
      go({ ...next, ...(within !== undefined && { in: within }) }, isNew),
    [go, within],
  )
  const select = useCallback(
    (step: string) => place({ view: view === 'table' ? 'table' : 'flow', step }, false),
    [place, view],
  )
  const selectPath = useCallback(
    (path: string) => {
      const at = stepAt(session.doc, path)
      if (at === undefined) return
      const isTable =
        view === 'table' &&
        openGraph(session.doc, at.within, {}).draft.steps.some(({ id, type }) => id === at.id && type === 'table')
      go({ view: isTable ? 'table' : 'flow', step: at.id, ...(at.within !== undefined && { in: at.within }) }, false)
    },
    [session, go, view],
  )
  const actions = useGraphActions({
    session,
    graph,
    surroundings,
    mayEdit,
    show: (step) => {
      place({ view: 'flow', step }, false)
      focusStep(step)
    },
  })
  const { apply } = actions
  const undo = useCallback(() => mayEdit && session.undo(), [mayEdit, session])
  const redo = useCallback(() => mayEdit && session.redo(), [mayEdit, session])
  const { execute: run } = simulation
  const execute = useCallback(
    (input?: string) => {
      setPanel('simulate')
      void run(input)
    },
    [run],
  )
  const link = useLinkedRun({
    search,
    go: goTo,
    cases: saved,
    executed: simulation.run === undefined ? '' : simulation.executed,
    execute,
  })
  const executeNow = useCallback(() => execute(), [execute])
  const variables = useMemo(() => variablesOf(graph.draft), [graph.draft])
  const known = useMemo<Known>(() => ({ fields, functions, variables }), [fields, functions, variables])
  const overlays = useOverlays(deferred, simulation, checks, isCovering)
  const table = view === 'table' ? tableOf(graph.draft, selected) : undefined
  const { others, lastSave } = usePresence(stored.name, placeOf(within, (table ?? selected)?.id))
  const { steps } = deferred.draft
  const present = useMemo(() => presentAt(others, within, steps), [others, within, steps])
  const showProblem = useNextProblem(checks.problems, selectPath)
  const saveAsTest = mayEdit && simulation.run !== undefined ? () => ask('case') : undefined
  useEditorKeys({ save: editing.save, undo, redo, execute: executeNow, saveAsTest, showProblem, mayEdit })
  useSteps(graph.draft, select, executeNow)
  useEffect(loadAll, [])
  const state: EditorState = {
    name: stored.name,
    view,
    draft,
    graph,
    deferred: deferred.draft,
    selected,
    table,
    row: search.row,
    overlays,
    present,
    checks,
    simulation,
    surroundings,
    cases,
    known,
    subRules: Object.keys({ ...subRules, ...draft.subRules }),
    actions,
    session: mayEdit ? session : undefined,
    undo,
    redo,
    select,
    selectPath,
    place,
    openSubRule: (name) => go({ view: 'flow', in: name }, true),
    execute,
    ask,
  }
  return (
    <EditorContext value={state}>
      <main className="editor" id="main" tabIndex={-1}>
        <Toolbar
          name={stored.name}
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
          showProblems={() => setPanel('tests')}
        />
        <Notices
          name={stored.name}
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
            add={apply && actions.add}
          />
          <Stage />
          <Panel
            tab={panel}
            show={setPanel}
            isCovering={isCovering}
            cover={cover}
            link={link}
            saveAsTest={mayEdit ? () => ask('case') : undefined}
          />
        </div>
        <Printed name={stored.name} seq={editing.seq} view={view} draft={draft} graph={graph} table={table} />
        <Dialogs editing={editing} open={dialog} close={() => ask(undefined)} />
      </main>
    </EditorContext>
  )
}

/** The open dialog, and the one for a conflict with the save of another author. */
function Dialogs({
  editing,
  open,
  close,
}: {
  readonly editing: ReturnType<typeof useEditing>
  readonly open: EditorDialog | undefined
  readonly close: () => void
}) {
  const { name, graph, simulation, actions } = useEditor()
  return (
    <Suspense>
      {editing.clash !== undefined && (
        <MergeBox clash={editing.clash} settle={editing.settle} close={editing.postpone} />
      )}
      {open === 'case' && <SaveCaseBox name={name} simulation={simulation} close={close} />}
      {typeof open === 'object' && actions.apply !== undefined && (
        <ConnectBox draft={graph.draft} from={open.from} apply={actions.apply} close={close} />
      )}
      {open === 'extract' && <ExtractBox extract={actions.extract} close={close} />}
    </Suspense>
  )
}

const docOf = ({ doc }: { readonly doc: DraftRuleset }) => doc
