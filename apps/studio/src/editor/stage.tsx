import { connect, type DraftRuleset, type DraftStep, type TableStep } from '@engine/authoring'
import { lazy, Suspense, useMemo } from 'react'
import type { Known } from '../expression-editor/complete.ts'
import { Canvas } from '../graph-editor/canvas.tsx'
import { shapeOf } from '../graph-editor/shape.ts'
import { rowsIn } from '../graph-editor/trace.ts'
import type { OpenGraph } from '../session/open-graph.ts'
import type { Session } from '../session/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Skeleton } from '../ui/states.tsx'
import type { View } from './bar.tsx'
import { withPlaces } from './edits.ts'
import { focusDetails } from './focus-details.ts'
import type { useGraphActions } from './graph-actions.ts'
import type { useShown } from './shown.ts'
import type { Simulation } from './simulation.ts'
import { TableView } from './table-view.tsx'

const Details = lazy(() => import('./details.tsx').then(({ Details: component }) => ({ default: component })))
const TextView = lazy(() => import('./text-view.tsx').then(({ TextView: component }) => ({ default: component })))

interface StageProps {
  readonly view: View
  /** The whole draft, for its text. */
  readonly draft: DraftRuleset
  readonly graph: OpenGraph
  /** The open graph as the canvas draws it: it may be late while one types. */
  readonly deferred: DraftRuleset
  readonly selected: DraftStep | undefined
  readonly table: TableStep | undefined
  readonly shown: ReturnType<typeof useShown>
  readonly present: ReadonlyMap<string, string>
  readonly simulation: Simulation
  readonly known: Known
  readonly subRules: readonly string[]
  readonly actions: ReturnType<typeof useGraphActions>
  /** Undefined: nothing may be changed. */
  readonly session: Session<DraftRuleset> | undefined
  readonly undo: () => void
  readonly redo: () => void
  readonly select: (id: string) => void
  readonly place: (search: { readonly view: View; readonly step: string }, isNew: boolean) => void
  readonly openSubRule: (name: string) => void
  readonly extract: () => void
  readonly askConnection: (id: string) => void
}

/** The open graph as flow, table or text, with the details of the selected step. */
export function Stage(props: StageProps) {
  const { view, draft, selected, session } = props
  return (
    <>
      <div className="stage">
        {view === 'flow' && <Flow {...props} />}
        {view === 'table' && <Table {...props} />}
        {view === 'text' && (
          <Suspense fallback={<Skeleton />}>
            <TextView draft={draft} apply={session?.apply.bind(session)} />
          </Suspense>
        )}
      </div>
      {view === 'flow' && selected !== undefined && <Selected {...props} selected={selected} />}
    </>
  )
}

function Flow(props: StageProps) {
  const { graph, deferred, selected, shown, present, actions, select, place, openSubRule, extract, askConnection } =
    props
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
      // Another graph has another first view.
      key={graph.within ?? ''}
      draft={deferred}
      selected={selected?.id}
      marked={actions.marked}
      mark={actions.mark}
      visits={shown.visits}
      problems={shown.counts}
      coverage={shown.covered}
      present={present}
      isReadOnly={apply === undefined}
      select={select}
      open={open}
      move={(moves) => apply?.(editor.move, (old) => withPlaces(old, moves), `move ${[...moves.keys()].join(' ')}`)}
      connect={(id, exit, target) => apply?.(editor.connect, (old) => connect(old, { step: id, exit }, target))}
      remove={actions.remove}
      insert={(id) => actions.insert(id, { kind: stepOf(id)?.type === 'decision' ? 'default' : 'next' })}
      insertOn={actions.insert}
      askConnection={(id) => hasExits(stepOf(id)) && askConnection(id)}
      duplicate={actions.duplicate}
      copy={actions.copy}
      paste={(text) => void actions.paste(text)}
      extract={apply && extract}
    />
  )
}

const hasExits = (step: DraftStep | undefined) => step !== undefined && shapeOf(step).ports.length > 0

function Table({ graph, table, shown, simulation, actions, place }: StageProps) {
  const { run } = simulation
  const hits = useMemo(
    () =>
      run === undefined || table === undefined || shown.visits?.has(table.id) !== true
        ? NONE
        : rowsIn(graph, table.id, run.parts),
    [graph, table, run, shown.visits],
  )
  if (table === undefined) return null
  return (
    <TableView
      key={table.id}
      draft={graph.draft}
      step={table}
      problems={shown.problems}
      hits={hits}
      cases={shown.covered?.get(table.id)?.rows}
      apply={actions.apply}
      showFlow={() => place({ view: 'flow', step: table.id }, true)}
    />
  )
}

const NONE: ReadonlySet<number> = new Set()

function Selected({ graph, selected, ...props }: StageProps & { readonly selected: DraftStep }) {
  const { actions, known, shown, subRules, undo, redo, place, openSubRule } = props
  return (
    <Suspense fallback={<aside className="details" aria-busy="true" />}>
      <Details
        key={selected.id}
        draft={graph.draft}
        step={selected}
        known={known}
        visit={shown.visits?.get(selected.id)}
        subRules={subRules}
        apply={actions.apply}
        undo={undo}
        redo={redo}
        openTable={() => place({ view: 'table', step: selected.id }, true)}
        openSubRule={openSubRule}
        inline={() => void actions.inline(selected.id)}
        insert={(exit) => actions.insert(selected.id, exit)}
        remove={() => actions.remove([selected.id])}
      />
    </Suspense>
  )
}
