import type { DraftRuleset, HitPolicy, Row, TableStep } from '@engine/authoring'
import { type ReactNode, useState } from 'react'
import { withColumn, withoutColumn } from '../../table-editor/columns.ts'
import type { GridColumn } from '../../table-editor/rows.ts'
import { emptyRow } from '../../table-editor/rows.ts'
import { bottomOf, type Selection, topOf } from '../../table-editor/selection.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { TableFile } from './table-file.tsx'
import type { Apply } from '../state/editing.ts'

/** Changes the open table as one undo entry; undefined: read-only. */
export type PutTable = ((label: string, change: (old: TableStep) => TableStep) => void) | undefined

interface TableBarProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly columns: readonly GridColumn[]
  readonly selection: Selection
  readonly put: PutTable
  readonly apply: Apply | undefined
  readonly showFlow: () => void
}

const POLICIES: readonly HitPolicy[] = ['first', 'unique', 'collect']

/** The hit policy, and the actions on rows, columns and files. */
export function TableBar({ draft, step, columns, selection, put, apply, showFlow }: TableBarProps) {
  const { table } = useTexts()
  return (
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
          disabled={put === undefined}
          onChange={({ target }) =>
            put?.(table.changePolicy, (old) => ({ ...old, hitPolicy: target.value as HitPolicy }))
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
      {put !== undefined && (
        <>
          <RowButtons step={step} selection={selection} put={put} />
          <ColumnButtons step={step} id={columns[selection.column]?.id} put={put} />
        </>
      )}
      <TableFile draft={draft} step={step} apply={apply} />
      <Quiet run={showFlow}>{table.showFlow}</Quiet>
    </div>
  )
}

interface QuietProps {
  readonly run: () => void
  readonly icon?: IconName
  readonly isOff?: boolean
  readonly children: ReactNode
}

function Quiet({ run, icon, isOff = false, children }: QuietProps) {
  return (
    <button type="button" className="btn" data-kind="quiet" disabled={isOff} onClick={run}>
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

interface RowButtonsProps {
  readonly step: TableStep
  readonly selection: Selection
  readonly put: Exclude<PutTable, undefined>
}

function RowButtons({ step: { rows }, selection, put }: RowButtonsProps) {
  const { table } = useTexts()
  const [first, last] = [topOf(selection), bottomOf(selection)]
  const isOff = rows[first]?.disabled === true
  const change = (label: string, by: (rows: readonly Row[]) => readonly Row[]) =>
    put(label, (old) => ({ ...old, rows: by(old.rows) }))
  const insert = () =>
    change(table.insertRow, (old) => [...old.slice(0, last + 1), emptyRow(old), ...old.slice(last + 1)])
  const remove = () => change(table.removeRows, (old) => old.toSpliced(first, last - first + 1))
  const turn = () =>
    change(isOff ? table.enable : table.disable, (old) =>
      old.map((row, at) => (at < first || at > last ? row : switched(row, !isOff))),
    )
  return (
    <>
      <Quiet icon="plus" run={insert}>
        {table.insertRow}
      </Quiet>
      <Quiet icon="trash" isOff={rows.length === 0} run={remove}>
        {table.removeRows}
      </Quiet>
      <Quiet isOff={rows.length === 0} run={turn}>
        {isOff ? table.enable : table.disable}
      </Quiet>
    </>
  )
}

function switched(row: Row, isOff: boolean): Row {
  const { disabled: _old, ...rest } = row
  return isOff ? { ...rest, disabled: true } : rest
}

interface ColumnButtonsProps {
  readonly step: TableStep
  /** Id of the column of the active cell. */
  readonly id: string | undefined
  readonly put: Exclude<PutTable, undefined>
}

function ColumnButtons({ step, id, put }: ColumnButtonsProps) {
  const { table } = useTexts()
  const [isAdding, setAdding] = useState(false)
  const column = step.columns.find((one) => one.id === id)
  return (
    <>
      <Quiet icon="plus" run={() => setAdding(true)}>
        {table.addColumn}
      </Quiet>
      {column !== undefined && (
        <Quiet
          icon="trash"
          run={() => put(table.removeColumn(column.field ?? ''), (old) => withoutColumn(old, column.id))}
        >
          {table.removeColumn(column.field ?? '')}
        </Quiet>
      )}
      {isAdding && <ColumnBox put={put} close={() => setAdding(false)} />}
    </>
  )
}

function ColumnBox({ put, close }: { readonly put: ColumnButtonsProps['put']; readonly close: () => void }) {
  const { table } = useTexts()
  return (
    <FormBox
      title={table.addColumn}
      close={close}
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
        put(table.addColumn, (old) => withColumn(old, values))
        close()
      }}
    />
  )
}
