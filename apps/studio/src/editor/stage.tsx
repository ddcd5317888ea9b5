import type { DraftRuleset } from '@engine/authoring'
import { Suspense, useCallback, useMemo, useState } from 'react'
import type { Known } from '../expression-editor/complete.ts'
import { rowsIn } from '../graph-editor/trace.ts'
import { useTexts } from '../texts/texts.tsx'
import { Skeleton } from '../ui/states.tsx'
import { marksOf } from './findings/marks.ts'
import { Flow, TableView, TextView } from './lazy-parts.ts'
import { useEditor } from './state/editor-context.ts'
import { useSeen } from './state/seen.ts'

/** The open graph as a flow, a table or text. */
export function Stage() {
  const { view, draft, session } = useEditor()
  return (
    <div className="stage">
      <Suspense fallback={<Skeleton />}>
        {view === 'flow' && <Flow />}
        {view === 'table' && <Table />}
        {view === 'text' && <TextView draft={draft} apply={session?.apply.bind(session)} />}
      </Suspense>
    </div>
  )
}

function Table() {
  const {
    name,
    draft,
    surroundings,
    graph,
    table,
    overlays,
    findings,
    simulation,
    actions,
    known,
    row,
    place,
    showFindings,
    editing,
  } = useEditor()
  const { findings: words } = useTexts()
  const { run } = simulation
  const hits = useMemo(
    () =>
      run === undefined || table === undefined || overlays.visits?.has(table.id) !== true
        ? NONE
        : rowsIn(graph, table.id, run.parts),
    [graph, table, run, overlays.visits],
  )
  const [isSeen, showSeen] = useState(false)
  const seen = useSeen(
    name,
    draft,
    surroundings,
    graph,
    table,
    editing.state === 'saved' ? editing.seq : undefined,
    isSeen,
  )
  const marks = useMemo(
    () =>
      table === undefined ? NO_MARKS : marksOf(graph, table.id, [...findings.findings, ...findings.remarks], words),
    [graph, table, findings.findings, findings.remarks, words],
  )
  const fields = useMemo(() => fieldsOf(graph.draft, known), [graph.draft, known])
  const isField = useCallback((word: string) => fields.has(word), [fields])
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
      isField={isField}
      marks={marks}
      seen={isSeen ? seen : undefined}
      showSeen={showSeen}
      gap={findings.findings.find(
        ({ kind, path }) =>
          kind === 'gap' &&
          path === `${graph.prefix}/steps/${graph.draft.steps.findIndex(({ id }) => id === table.id)}`,
      )}
      showFindings={showFindings}
      row={row}
      showRow={(id) => place({ view: 'table', step: table.id, row: id }, false)}
      showFlow={() => place({ view: 'flow', step: table.id }, true)}
    />
  )
}

const NONE: ReadonlySet<number> = new Set()
const NO_MARKS: ReturnType<typeof marksOf> = new Map()

/** The fields known from the contract, the facts and the conditions of tables, and the objects that contain them. */
function fieldsOf({ steps }: DraftRuleset, { fields }: Known): ReadonlySet<string> {
  const columns = steps.flatMap((step) =>
    step.type === 'table' ? step.columns.flatMap(({ kind, field }) => (kind === 'input' ? [field ?? ''] : [])) : [],
  )
  return new Set([...fields.map(({ path }) => path), ...columns].flatMap((path) => [path, path.split('.')[0] ?? path]))
}
