import type { CaseStubs } from '@engine/analysis'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { DraftRuleset } from '@engine/authoring'
import type { components } from '../../api/schema.ts'
import type { Known } from '../../expression-editor/complete.ts'
import { useMay } from '../../frame/route-scope.ts'
import { focusStep } from '../../graph-editor/focus-step.ts'
import { openGraph } from '../../session/open-graph.ts'
import { useSession } from '../../session/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { useChecks } from './checks.ts'
import { useEditing } from './editing.ts'
import { useFindings } from './findings.ts'
import type { EditorDialog, EditorState, PanelTab, SideTab } from './editor-context.ts'
import { variablesOf } from './edits.ts'
import { useGraphActions } from './graph-actions.ts'
import { useLinkedRun } from './linked-run.ts'
import { type GoTo, useNavigation } from './navigation.ts'
import { selectedOf, tableOf, useFunctions, useOverlays } from './overlays.ts'
import { placeOf, presentAt, usePresence } from './presence.ts'
import { NO_CASES, useCases, useReferences } from './references.ts'
import type { EditorSearch, View } from './search.ts'
import { useSimulation } from './simulation.ts'

export interface EditorModelParts {
  readonly draft: components['schemas']['Draft']
  readonly search: EditorSearch
  readonly go: GoTo
}

/** The state shared by the parts of an editor, and the state of its toolbar, panel and dialogs. */
export function useEditorModel({ draft: stored, search, go: goTo }: EditorModelParts) {
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
  const checks = useChecks(draft, surroundings, cases, isKnown)
  const findings = useFindings(draft, surroundings, cases, isKnown && saved !== undefined)
  const current = useCallback(() => session.doc, [session])
  const simulation = useSimulation(draft, current, surroundings, cases, isKnown && saved !== undefined)
  const functions = useFunctions()
  const [panel, setPanel] = useState<PanelTab>()
  const [isCovering, cover] = useState(false)
  const [dialog, setDialog] = useState<EditorDialog>()
  const { view, go, place, select: selectStep, selectPath } = useNavigation({ search, go: goTo, graph, session })
  const { side, showSide, select } = useSide(view, selectStep)
  const selected = selectedOf(graph.draft, search.step)
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
  const undo = useCallback(() => mayEdit && session.undo(), [mayEdit, session])
  const redo = useCallback(() => mayEdit && session.redo(), [mayEdit, session])
  const { execute: run } = simulation
  const execute = useCallback(
    (input?: string, stubs?: CaseStubs) => {
      setPanel('simulate')
      void run(input, stubs)
    },
    [run],
  )
  const saveAsTest = useCallback(
    (input: string, stubs: CaseStubs) => {
      setPanel('simulate')
      void run(input, stubs).then(() => setDialog('case'))
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
  const known = useKnown(fields, functions, graph.draft, surroundings.contract === undefined)
  const overlays = useOverlays(deferred, simulation, checks, isCovering)
  const table = view === 'table' ? tableOf(graph.draft, selected) : undefined
  const { others, lastSave } = usePresence(stored.name, placeOf(within, (table ?? selected)?.id))
  const { steps } = deferred.draft
  const present = useMemo(() => presentAt(others, within, steps), [others, within, steps])
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
    findings,
    editing,
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
    saveAsTest,
    side,
    showSide,
    showFindings: () => showSide('findings'),
    ask: setDialog,
  }
  return { state, mayEdit, editing, go, link, others, lastSave, panel, setPanel, isCovering, cover, dialog, setDialog }
}

/** The open tab next to the rules; selecting a step in the flow opens its tab. */
function useSide(view: View, selectStep: (id: string) => void) {
  const [chosen, showSide] = useState<SideTab>()
  const select = useCallback(
    (id: string) => {
      if (view === 'flow') showSide('step')
      selectStep(id)
    },
    [view, selectStep],
  )
  return { side: chosen ?? (view === 'flow' ? 'step' : 'findings'), showSide, select } as const
}

const docOf = ({ doc }: { readonly doc: DraftRuleset }) => doc

/** The names that expressions may use; the same object while none of them changes. */
function useKnown(fields: Known['fields'], functions: Known['functions'], draft: DraftRuleset, isOpen: boolean): Known {
  const variables = useMemo(() => variablesOf(draft), [draft])
  return useMemo(() => ({ fields, functions, variables, isOpen }), [fields, functions, variables, isOpen])
}
