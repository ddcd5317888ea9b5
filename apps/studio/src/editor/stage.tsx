import type { DraftRuleset, DraftStep, TableStep } from '@engine/authoring'
import { Suspense, useMemo } from 'react'
import type { Known } from '../expression-editor/complete.ts'
import { rowsIn } from '../graph-editor/trace.ts'
import type { OpenGraph } from '../session/open-graph.ts'
import type { Session } from '../session/session.ts'
import { Skeleton } from '../ui/states.tsx'
import type { View } from './toolbar.tsx'
import type { useGraphActions } from './state/graph-actions.ts'
import { Details, Flow, TableView, TextView } from './lazy-parts.ts'
import type { useOverlays } from './state/overlays.ts'
import type { Simulation } from './state/simulation.ts'

export interface StageProps {
  readonly view: View
  /** The whole draft, for its text. */
  readonly draft: DraftRuleset
  readonly graph: OpenGraph
  /** The open graph as the canvas draws it: it may be late while one types. */
  readonly deferred: DraftRuleset
  readonly selected: DraftStep | undefined
  readonly table: TableStep | undefined
  readonly shown: ReturnType<typeof useOverlays>
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
  readonly place: (
    search: { readonly view: View; readonly step: string; readonly row?: string },
    isNew: boolean,
  ) => void
  /** Id of the row of the address. */
  readonly row: string | undefined
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
        <Suspense fallback={<Skeleton />}>
          {view === 'flow' && <Flow {...props} />}
          {view === 'table' && <Table {...props} />}
          {view === 'text' && <TextView draft={draft} apply={session?.apply.bind(session)} />}
        </Suspense>
      </div>
      {view === 'flow' && selected !== undefined && <Selected {...props} selected={selected} />}
    </>
  )
}

function Table({ graph, table, shown, simulation, actions, row, place }: StageProps) {
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
      row={row}
      showRow={(id) => place({ view: 'table', step: table.id, row: id }, false)}
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
