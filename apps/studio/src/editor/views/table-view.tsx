import { Suspense, useMemo } from 'react'
import { withColumnChange, withColumnMoved } from '../../table-editor/columns.ts'
import { Grid } from '../../table-editor/grid.tsx'
import { withPaste, withPasted } from '../../table-editor/paste.ts'
import { WHOLE } from '../../table-editor/row-view.ts'
import { isCellColumn } from '../../table-editor/rows.ts'
import { bottomOf, cellAt, topOf } from '../../table-editor/selection.ts'
import { useTexts } from '../../texts/texts.tsx'
import { GapNote } from '../findings/gap-note.tsx'
import { CellProblem } from './cell-problem.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { FindBar } from './find-bar.tsx'
import { PasteBox } from './lazy-import.ts'
import { TableBar } from './table-bar.tsx'
import { type TableState, type TableViewProps, useTable } from './table-state.ts'

/** A decision table as a spreadsheet, with its columns and its hit policy. */
export function TableView(props: TableViewProps) {
  const { draft, step, apply, isField, seen, showSeen, gap, showFindings, showFlow } = props
  const state = useTable(props)
  const { rows, selection, active, put, openMenu, setFinding } = state
  return (
    <div className="table-view">
      <TableBar
        draft={draft}
        step={step}
        selected={rows.slice(topOf(selection), bottomOf(selection) + 1).map(({ id }) => id)}
        column={active !== undefined && isCellColumn(active) ? active.id : undefined}
        put={put}
        apply={apply}
        isField={isField}
        openMenu={(column, at) => openMenu({ column, at })}
        find={() => setFinding(true)}
        isSeen={seen !== undefined}
        showSeen={showSeen}
        showFlow={showFlow}
      />
      <Notes {...props} state={state} />
      <div className="grid-place">
        <TableGrid {...props} state={state} />
      </div>
      {gap !== undefined && <GapNote draft={draft} step={step} gap={gap} apply={apply} showFindings={showFindings} />}
      <Foot {...props} />
      <Boxes {...props} state={state} />
    </div>
  )
}

type PartProps = TableViewProps & { readonly state: TableState }

/** The search bar, and a notice if the view differs from the order of the rules. */
function Notes({ step, isField, state }: PartProps) {
  const { tableEditor } = useTexts()
  const { isFinding, setFinding, indexes, rows, columns, notation, select, change, put, setView } = state
  if (!isFinding && indexes === undefined) return null
  return (
    <div>
      {isFinding && (
        <FindBar
          rows={rows}
          columns={columns}
          notation={notation}
          isField={isField}
          go={(cell) => select(cellAt(cell.row, cell.column))}
          change={change}
          close={() => setFinding(false)}
        />
      )}
      {indexes !== undefined && (
        <div className="row view-note" role="status">
          <span>{tableEditor.view(indexes.length, step.rows.length)}</span>
          <span className="grow" />
          {put !== undefined && indexes.length === step.rows.length && (
            <button
              type="button"
              className="btn"
              onClick={() => {
                put(tableEditor.keptOrder, (old) => ({
                  ...old,
                  rows: indexes.flatMap((index) => old.rows[index] ?? []),
                }))
                setView(WHOLE)
              }}
            >
              {tableEditor.keepOrder}
            </button>
          )}
          <button type="button" className="btn" onClick={() => setView(WHOLE)}>
            {tableEditor.clearView}
          </button>
        </div>
      )}
    </div>
  )
}

function TableGrid({ step, apply, hits, cases, isField, marks, seen, state }: PartProps) {
  const { table, tableEditor, findings: words } = useTexts()
  const { put, columns, active, activeRow, problem, selection, select, shown, openMenu, setFinding, view } = state
  const head = useMemo(
    () =>
      put && {
        openMenu: (column: string, at: HTMLElement) => openMenu({ column, at }),
        resize: (column: string, width: number) =>
          put(tableEditor.change, (old) => withColumnChange(old, column, { width })),
      },
    // The actions read the draft when they are called.
    [apply, step.id, tableEditor],
  )
  const counts = useMemo(
    () =>
      seen?.counts === undefined
        ? undefined
        : { counts: seen.counts, ...words.seenIn(seen.environment, seen.total ?? 0) },
    [seen, words],
  )
  const moveColumn = (column: string, way: 1 | -1) => {
    put?.(way < 0 ? tableEditor.moveLeft : tableEditor.moveRight, (old) => withColumnMoved(old, column, way))
    const at = columns.findIndex(({ id }) => id === column) + way
    if (columns[at]?.kind === active?.kind) select(cellAt(selection.row, at))
  }
  return (
    <Grid
      name={table.name(step.name ?? step.id)}
      columns={columns}
      rows={state.rows}
      indexes={state.indexes}
      change={state.change}
      hits={hits}
      cases={cases}
      faults={state.faults}
      marks={marks}
      {...(counts !== undefined && { seen: counts })}
      {...(shown !== undefined && { shown })}
      selection={selection}
      select={select}
      isField={isField}
      head={head}
      sorted={view.sort}
      paste={state.takePaste}
      find={() => setFinding(true)}
      moveColumn={put && moveColumn}
      note={
        problem !== undefined && active !== undefined ? (
          <CellProblem step={step} row={activeRow} column={active.id} problem={problem} put={put} />
        ) : undefined
      }
    />
  )
}

function Foot({ step, seen }: TableViewProps) {
  const { table, findings: words } = useTexts()
  return (
    <div className="row foot">
      <span className="tnum">{table.rowCount(step.rows.length)}</span>
      {seen?.total === 0 && <span role="status">{words.noneSeen}</span>}
      {seen !== undefined && seen.error !== null && (
        <span className="bad" role="status">
          {seen.error.message}
        </span>
      )}
      <span>{table.help}</span>
    </div>
  )
}

/** The column menu, and the assistant for pasted cells. */
function Boxes({ draft, step, apply, isField, state }: PartProps) {
  const { paste } = useTexts()
  const { menu, openMenu, put, view, setView, pasting, setPasting } = state
  if (put === undefined || apply === undefined) return null
  return (
    <>
      {menu !== undefined && (
        <ColumnMenu
          step={step}
          id={menu.column}
          at={menu.at}
          put={put}
          apply={apply}
          view={view}
          setView={setView}
          close={() => openMenu(undefined)}
        />
      )}
      {pasting !== undefined && (
        <Suspense>
          <PasteBox
            step={step}
            cells={pasting.cells}
            at={pasting.at}
            isField={isField}
            close={() => setPasting(undefined)}
            apply={(plan, place) => {
              const pasted = withPaste(draft, step, plan, place)
              apply(paste.submit(plan.given.length), (old) => withPasted(old, pasted))
              setPasting(undefined)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
