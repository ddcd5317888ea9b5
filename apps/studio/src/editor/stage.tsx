import type { DraftStep } from '@engine/authoring'
import { Suspense, useMemo } from 'react'
import { rowsIn } from '../graph-editor/trace.ts'
import { Skeleton } from '../ui/states.tsx'
import { Details, Flow, TableView, TextView } from './lazy-parts.ts'
import { useEditor } from './state/editor-context.ts'

/** The open graph as flow, table or text, with the details of the selected step. */
export function Stage() {
  const { view, draft, selected, session } = useEditor()
  return (
    <>
      <div className="stage">
        <Suspense fallback={<Skeleton />}>
          {view === 'flow' && <Flow />}
          {view === 'table' && <Table />}
          {view === 'text' && <TextView draft={draft} apply={session?.apply.bind(session)} />}
        </Suspense>
      </div>
      {view === 'flow' && selected !== undefined && <Selected step={selected} />}
    </>
  )
}

function Table() {
  const { graph, table, overlays, simulation, actions, row, place } = useEditor()
  const { run } = simulation
  const hits = useMemo(
    () =>
      run === undefined || table === undefined || overlays.visits?.has(table.id) !== true
        ? NONE
        : rowsIn(graph, table.id, run.parts),
    [graph, table, run, overlays.visits],
  )
  if (table === undefined) return null
  return (
    <TableView
      key={table.id}
      draft={graph.draft}
      step={table}
      problems={overlays.problems}
      hits={hits}
      cases={overlays.covered?.get(table.id)?.rows}
      apply={actions.apply}
      row={row}
      showRow={(id) => place({ view: 'table', step: table.id, row: id }, false)}
      showFlow={() => place({ view: 'flow', step: table.id }, true)}
    />
  )
}

const NONE: ReadonlySet<number> = new Set()

function Selected({ step }: { readonly step: DraftStep }) {
  const { graph, actions, known, overlays, subRules, undo, redo, place, openSubRule } = useEditor()
  return (
    <Suspense fallback={<aside className="details" aria-busy="true" />}>
      <Details
        key={step.id}
        draft={graph.draft}
        step={step}
        known={known}
        visit={overlays.visits?.get(step.id)}
        subRules={subRules}
        apply={actions.apply}
        undo={undo}
        redo={redo}
        openTable={() => place({ view: 'table', step: step.id }, true)}
        openSubRule={openSubRule}
        inline={() => void actions.inline(step.id)}
        insert={(exit) => actions.insert(step.id, exit)}
        remove={() => actions.remove([step.id])}
      />
    </Suspense>
  )
}
