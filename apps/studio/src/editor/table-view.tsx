import type { Column, DraftRuleset, HitPolicy, Problem, Row, TableStep } from '@engine/authoring'
import { useMemo, useState } from 'react'
import type { Visit } from '../graph-editor/trace.ts'
import { freshId } from '../session/new-draft.ts'
import { Grid } from '../table-editor/grid.tsx'
import { columnsOf, emptyRow } from '../table-editor/rows.ts'
import { bottomOf, cellAt, type Selection, topOf } from '../table-editor/selection.ts'
import { useTexts } from '../texts/texts.tsx'
import { FormBox, textOf } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { withStep } from './edits.ts'

interface TableViewProps {
  readonly step: TableStep
  readonly problems: readonly Problem[]
  readonly visit: Visit | undefined
  /** Undefined: nothing may be changed. */
  readonly apply: ((label: string, change: (draft: DraftRuleset) => DraftRuleset, key?: string) => void) | undefined
  readonly showFlow: () => void
}

const POLICIES: readonly HitPolicy[] = ['first', 'unique', 'collect']

/** A decision table as a spreadsheet, with its columns and its hit policy. */
export function TableView({ step, problems, visit, apply, showFlow }: TableViewProps) {
  const { table } = useTexts()
  const [selection, select] = useState<Selection>(() => cellAt(0, 0))
  const [isAdding, setAdding] = useState(false)
  const columns = useMemo(() => columnsOf(step, table.kinds), [step, table])
  const faults = useMemo(() => faultsOf(problems, step), [problems, step])
  const put = (label: string, change: (old: TableStep) => TableStep) =>
    apply?.(label, (draft) => {
      const old = draft.steps.find(({ id }) => id === step.id)
      return old?.type === 'table' ? withStep(draft, change(old)) : draft
    })
  const changeRows =
    apply &&
    ((label: string, change: (rows: readonly Row[]) => readonly Row[]) =>
      put(label, (old) => ({ ...old, rows: change(old.rows) })))
  const [first, last] = [topOf(selection), bottomOf(selection)]
  const column = step.columns.find(({ id }) => id === columns[selection.column]?.id)
  const isOff = step.rows[first]?.disabled === true
  return (
    <div className="table-view">
      <div className="row bar">
        <span style={{ color: 'var(--k-table)' }}>
          <Icon name="table" />
        </span>
        <h2>{step.name ?? step.id}</h2>
        <label className="row">
          <span className="label">{table.policy}</span>
          <select
            className="input"
            value={step.hitPolicy}
            disabled={apply === undefined}
            onChange={({ target }) =>
              put(table.changePolicy, (old) => ({ ...old, hitPolicy: target.value as HitPolicy }))
            }
          >
            {POLICIES.map((policy) => (
              <option key={policy} value={policy}>
                {table.policies[policy]}
              </option>
            ))}
          </select>
        </label>
        <span className="grow" />
        {changeRows !== undefined && (
          <>
            <button
              type="button"
              className="btn"
              data-kind="quiet"
              onClick={() =>
                changeRows(table.insertRow, (rows) => [
                  ...rows.slice(0, last + 1),
                  emptyRow(rows),
                  ...rows.slice(last + 1),
                ])
              }
            >
              <Icon name="plus" size={14} />
              {table.insertRow}
            </button>
            <button
              type="button"
              className="btn"
              data-kind="quiet"
              disabled={step.rows.length === 0}
              onClick={() => changeRows(table.removeRows, (rows) => rows.toSpliced(first, last - first + 1))}
            >
              <Icon name="trash" size={14} />
              {table.removeRows}
            </button>
            <button
              type="button"
              className="btn"
              data-kind="quiet"
              disabled={step.rows.length === 0}
              onClick={() =>
                changeRows(isOff ? table.enable : table.disable, (rows) =>
                  rows.map((row, at) => (at < first || at > last ? row : switched(row, !isOff))),
                )
              }
            >
              {isOff ? table.enable : table.disable}
            </button>
            <button type="button" className="btn" data-kind="quiet" onClick={() => setAdding(true)}>
              <Icon name="plus" size={14} />
              {table.addColumn}
            </button>
            {column !== undefined && (
              <button
                type="button"
                className="btn"
                data-kind="quiet"
                onClick={() => put(table.removeColumn(column.field ?? ''), (old) => withoutColumn(old, column.id))}
              >
                <Icon name="trash" size={14} />
                {table.removeColumn(column.field ?? '')}
              </button>
            )}
          </>
        )}
        <button type="button" className="btn" data-kind="quiet" onClick={showFlow}>
          {table.showFlow}
        </button>
      </div>
      <div className="grid-place">
        <Grid
          name={table.name(step.name ?? step.id)}
          columns={columns}
          rows={step.rows}
          change={changeRows}
          hit={visit?.row}
          faults={faults}
          selection={selection}
          select={select}
        />
      </div>
      <div className="row foot">
        <span className="tnum">{table.rowCount(step.rows.length)}</span>
        <span>{table.help}</span>
      </div>
      {isAdding && (
        <FormBox
          title={table.addColumn}
          close={() => setAdding(false)}
          fields={[
            { name: 'field', label: table.field, hint: table.fieldHint },
            {
              name: 'kind',
              label: table.kind,
              kind: 'select',
              options: [
                { value: 'input', label: table.kinds.input },
                { value: 'output', label: table.kinds.output },
              ],
            },
          ]}
          submit={table.addColumn}
          send={async (values) => {
            put(table.addColumn, (old) =>
              withColumn(old, textOf(values, 'field'), textOf(values, 'kind') === 'output' ? 'output' : 'input'),
            )
            setAdding(false)
          }}
        />
      )}
    </div>
  )
}

function switched(row: Row, isOff: boolean): Row {
  const { disabled: _old, ...rest } = row
  return isOff ? { ...rest, disabled: true } : rest
}

/** Inputs come before outputs. */
function withColumn(step: TableStep, field: string, kind: Column['kind']): TableStep {
  const column: Column = {
    id: freshId(
      'c',
      step.columns.map(({ id }) => id),
    ),
    kind,
    field,
  }
  const inputs = step.columns.filter((one) => one.kind === 'input')
  const outputs = step.columns.filter((one) => one.kind === 'output')
  return { ...step, columns: kind === 'input' ? [...inputs, column, ...outputs] : [...inputs, ...outputs, column] }
}

function withoutColumn(step: TableStep, id: string): TableStep {
  const rows = step.rows.map((row) => {
    const { [id]: _cell, ...cells } = row.cells
    return { ...row, cells }
  })
  return { ...step, columns: step.columns.filter((column) => column.id !== id), rows }
}

/** Columns with a problem by the index of the row, from the places of problems in the draft. */
function faultsOf(problems: readonly Problem[], step: TableStep): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const { path, step_id: id } of problems) {
    const [, row, column] = /\/rows\/(\d+)(?:\/cells\/([^/]+))?/.exec(path) ?? []
    if (id !== step.id || row === undefined) continue
    const index = Number(row)
    found.set(index, [found.get(index), column].filter((one) => one !== undefined).join())
  }
  return found
}
