import type { Aggregate, DraftRuleset, HitPolicy, Row, TableStep } from '@engine/authoring'
import { type ReactNode, useState } from 'react'
import { CELL_TYPES, COLUMN_TYPE } from '../../table-editor/cell-type.ts'
import { withColumn } from '../../table-editor/columns.ts'
import { emptyRow } from '../../table-editor/rows.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { Apply } from '../state/editing.ts'
import { TableFile } from './table-file.tsx'

/** Changes the open table as one undo entry; undefined: read-only. */
export type PutTable = ((label: string, change: (old: TableStep) => TableStep) => void) | undefined

interface TableBarProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  /** Ids of the selected rows, in their order. */
  readonly selected: readonly string[]
  /** Id of the column of the active cell; undefined if that column has no menu. */
  readonly column: string | undefined
  readonly put: PutTable
  readonly apply: Apply | undefined
  readonly isField: (word: string) => boolean
  readonly openMenu: (column: string, at: HTMLElement) => void
  readonly find: () => void
  readonly isSeen: boolean
  readonly showSeen: (isShown: boolean) => void
  readonly showFlow: () => void
}

/** The hit policies, and the aggregates of `collect`. */
const POLICIES = ['first', 'unique', 'collect', 'sum', 'min', 'max', 'count'] as const
type Policy = (typeof POLICIES)[number]

const isAggregate = (policy: Policy): policy is Aggregate =>
  policy !== 'collect' && policy !== 'first' && policy !== 'unique'

function withPolicy({ aggregate: _old, ...step }: TableStep, policy: Policy): TableStep {
  const hitPolicy: HitPolicy = isAggregate(policy) ? 'collect' : policy
  return { ...step, hitPolicy, ...(isAggregate(policy) && { aggregate: policy }) }
}

/** The hit policy, and the actions on rows, columns and files. */
export function TableBar(props: TableBarProps) {
  const { draft, step, selected, column, put, apply, isField, openMenu, find, isSeen, showSeen, showFlow } = props
  const { table, tableEditor, findings } = useTexts()
  return (
    <div className="row bar">
      <h2>{step.name ?? step.id}</h2>
      <select
        className="input"
        aria-label={table.policy}
        value={step.hitPolicy === 'collect' ? (step.aggregate ?? 'collect') : step.hitPolicy}
        disabled={put === undefined}
        onChange={({ target }) => {
          const policy = POLICIES.find((one) => one === target.value)
          if (policy !== undefined) put?.(table.changePolicy, (old) => withPolicy(old, policy))
        }}
      >
        {POLICIES.map((policy) => (
          <option key={policy} value={policy}>
            {tableEditor.policies[policy]}
          </option>
        ))}
      </select>
      <span className="grow" />
      {put !== undefined && (
        <>
          <RowButtons step={step} selected={selected} put={put} />
          <ColumnButtons put={put} column={column} openMenu={openMenu} />
        </>
      )}
      <Quiet icon="search" run={find}>
        {tableEditor.find}
      </Quiet>
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={findings.seen}
        title={findings.seen}
        aria-pressed={isSeen}
        onClick={() => showSeen(!isSeen)}
      >
        <Icon name="counts" size={14} />
      </button>
      <TableFile draft={draft} step={step} apply={apply} isField={isField} />
      <Quiet icon="branch" run={showFlow} name={table.showFlow} />
    </div>
  )
}

interface QuietProps {
  readonly run: (at: HTMLElement) => void
  readonly icon?: IconName
  readonly isOff?: boolean
  /** Accessible name of a button with only an icon or a shorter label. */
  readonly name?: string
  readonly children?: ReactNode
}

function Quiet({ run, icon, isOff = false, name, children }: QuietProps) {
  return (
    <button
      type="button"
      className={children === undefined ? 'btn icon' : 'btn'}
      data-kind="quiet"
      aria-label={name}
      title={name}
      disabled={isOff}
      onClick={({ currentTarget }) => run(currentTarget)}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

interface RowButtonsProps {
  readonly step: TableStep
  readonly selected: readonly string[]
  readonly put: Exclude<PutTable, undefined>
}

function RowButtons({ step: { rows }, selected, put }: RowButtonsProps) {
  const { table } = useTexts()
  const chosen = new Set(selected)
  const found = rows.findLastIndex(({ id }) => chosen.has(id))
  const last = found < 0 ? rows.length - 1 : found
  const isOff = rows.find(({ id }) => chosen.has(id))?.disabled === true
  const change = (label: string, by: (rows: readonly Row[]) => readonly Row[]) =>
    put(label, (old) => ({ ...old, rows: by(old.rows) }))
  const insert = () =>
    change(table.insertRow, (old) => [...old.slice(0, last + 1), emptyRow(old), ...old.slice(last + 1)])
  const remove = () => change(table.removeRows, (old) => old.filter(({ id }) => !chosen.has(id)))
  const turn = () =>
    change(isOff ? table.enable : table.disable, (old) =>
      old.map((row) => (chosen.has(row.id) ? switched(row, !isOff) : row)),
    )
  return (
    <>
      <Quiet icon="plus" run={insert} name={table.insertRow}>
        {table.row}
      </Quiet>
      <Quiet icon="trash" isOff={rows.length === 0} run={remove} name={table.removeRows} />
      <Quiet
        icon={isOff ? 'shown' : 'hidden'}
        isOff={rows.length === 0}
        run={turn}
        name={isOff ? table.enable : table.disable}
      />
    </>
  )
}

function switched(row: Row, isOff: boolean): Row {
  const { disabled: _old, ...rest } = row
  return isOff ? { ...rest, disabled: true } : rest
}

interface ColumnButtonsProps extends Pick<TableBarProps, 'column' | 'openMenu'> {
  readonly put: Exclude<PutTable, undefined>
}

function ColumnButtons({ put, column, openMenu }: ColumnButtonsProps) {
  const { table, tableEditor } = useTexts()
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Quiet icon="plus" run={() => setAdding(true)} name={table.addColumn}>
        {tableEditor.column}
      </Quiet>
      <Quiet
        icon="columns"
        isOff={column === undefined}
        run={(at) => column !== undefined && openMenu(column, at)}
        name={tableEditor.column}
      />
      {isAdding && <ColumnBox put={put} close={() => setAdding(false)} />}
    </>
  )
}

function ColumnBox({ put, close }: { readonly put: ColumnButtonsProps['put']; readonly close: () => void }) {
  const { table, tableEditor, paste } = useTexts()
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
        {
          name: 'type',
          label: tableEditor.type,
          kind: 'select',
          options: [
            { value: '', label: tableEditor.untyped },
            ...CELL_TYPES.map((type) => ({ value: COLUMN_TYPE[type], label: paste.types[type] })),
          ],
          isOptional: true,
        },
      ]}
      submit={table.addColumn}
      send={async ({ type, ...values }) => {
        put(table.addColumn, (old) => withColumn(old, { ...values, ...(type !== '' && { type }) }))
        close()
      }}
    />
  )
}
