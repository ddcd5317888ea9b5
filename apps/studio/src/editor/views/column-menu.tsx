import { columnPath, type DraftRuleset, renameField, renameVariable, type TableStep } from '@engine/authoring'
import { useId, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'
import { CELL_TYPES, declaredType } from '../../table-editor/cell-type.ts'
import {
  withColumn,
  withColumnChange,
  withColumnCopied,
  withColumnMoved,
  withColumnType,
  withoutColumn,
} from '../../table-editor/columns.ts'
import type { RowView } from '../../table-editor/row-view.ts'
import { MAX_WIDTH, MIN_WIDTH, widthOf } from '../../table-editor/rows.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { Apply } from '../state/editing.ts'
import type { PutTable } from './table-bar.tsx'

interface ColumnMenuProps {
  readonly step: TableStep
  /** Id of the column. */
  readonly id: string
  /** The element below which the menu is placed. */
  readonly at: HTMLElement
  readonly put: Exclude<PutTable, undefined>
  readonly apply: Apply
  readonly view: RowView
  readonly setView: (view: RowView) => void
  readonly close: () => void
}

/** A menu for the name, type and width of a column, and its actions. */
export function ColumnMenu({ step, id, at, put, apply, view, setView, close }: ColumnMenuProps) {
  const { tableEditor: texts, table } = useTexts()
  const column = step.columns.find((one) => one.id === id)
  if (column === undefined) return null
  const { kind, field = '', label } = column
  const title = label ?? field
  const act = (text: string, change: (old: TableStep) => TableStep) => {
    put(text, change)
    close()
  }
  const sortBy = (isDown: boolean) => {
    setView({ ...view, sort: { column: id, isDown } })
    close()
  }
  const free = (wanted: string) => {
    const taken = new Set(step.columns.map((one) => one.field))
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
    return name
  }
  return (
    <Popover
      className="menu column-menu"
      triggerRef={{ current: at }}
      isOpen
      placement="bottom start"
      onOpenChange={(isOpen) => isOpen || close()}
    >
      <Dialog aria-label={texts.columnMenu(title)}>
        <Naming step={step} id={id} put={put} apply={apply} />
        <div className="column-acts">
          <Act icon="down" run={() => sortBy(false)}>
            {texts.sortUp}
          </Act>
          <Act icon="up" run={() => sortBy(true)}>
            {texts.sortDown}
          </Act>
          <label className="field">
            <span className="label">{texts.filter}</span>
            <input
              className="input"
              value={view.filters[id] ?? ''}
              onChange={({ target }) => setView({ ...view, filters: { ...view.filters, [id]: target.value } })}
            />
          </label>
        </div>
        <div className="column-acts">
          <Act icon="back" kbd="Alt ←" run={() => act(texts.moveLeft, (old) => withColumnMoved(old, id, -1))}>
            {texts.moveLeft}
          </Act>
          <Act icon="onward" kbd="Alt →" run={() => act(texts.moveRight, (old) => withColumnMoved(old, id, 1))}>
            {texts.moveRight}
          </Act>
          <Act
            icon="plus"
            run={() => act(texts.addAfter, (old) => withColumn(old, { kind, field: free('field') }, id))}
          >
            {texts.addAfter}
          </Act>
          <Act icon="copy" run={() => act(texts.copyColumn, (old) => withColumnCopied(old, id, free(field)))}>
            {texts.copyColumn}
          </Act>
        </div>
        <div className="column-acts">
          <Act icon="trash" run={() => act(table.removeColumn(title), (old) => withoutColumn(old, id))}>
            {table.removeColumn(title)}
          </Act>
        </div>
      </Dialog>
    </Popover>
  )
}

interface ActProps {
  readonly icon: IconName
  readonly run: () => void
  readonly kbd?: string
  readonly children: React.ReactNode
}

function Act({ icon, run, kbd, children }: ActProps) {
  return (
    <button type="button" className="btn" data-kind="quiet" onClick={run}>
      <Icon name={icon} size={14} />
      {children}
      {kbd !== undefined && <kbd>{kbd}</kbd>}
    </button>
  )
}

/** Label, field, unit, type and width; each takes effect on blur. */
function Naming({ step, id, put, apply }: Pick<ColumnMenuProps, 'step' | 'id' | 'put' | 'apply'>) {
  const { tableEditor: texts, table, paste } = useTexts()
  const errorId = useId()
  const [isEverywhere, setEverywhere] = useState(true)
  const [error, setError] = useState<string>()
  const column = step.columns.find((one) => one.id === id)
  if (column === undefined) return null
  const { kind, field = '', label = '', unit = '', type } = column
  const declared = declaredType(column)
  const change = (text: string, more: Parameters<typeof withColumnChange>[2]) =>
    put(text, (old) => withColumnChange(old, id, more))
  const rename = (to: string) => {
    const next = kind === 'output' ? to.trim().replace(/^\$/, '') : to.trim()
    if (next === field) return setError(undefined)
    const isName = kind === 'output' ? /^[\p{L}_][\p{L}\p{N}_]*$/u.test(next) : columnPath(next) !== undefined
    if (!isName) return setError(kind === 'output' ? texts.noVariable(next) : texts.noPath(next))
    setError(undefined)
    const renamed = (draft: DraftRuleset) =>
      kind === 'output' ? renameVariable(draft, field, next) : renameField(draft, field, next)
    apply(texts.rename, (draft) => {
      const whole = isEverywhere && field !== '' ? (renamed(draft) ?? draft) : draft
      return {
        ...whole,
        steps: whole.steps.map((one) =>
          one.id === step.id && one.type === 'table' ? withColumnChange(one, id, { field: next }) : one,
        ),
      }
    })
  }
  return (
    <div className="column-names">
      <Entry
        label={texts.label}
        value={label}
        change={(text) => change(texts.rename, { label: text.trim() })}
        autoFocus
      />
      <Entry label={texts.unit} value={unit} change={(text) => change(texts.change, { unit: text.trim() })} />
      <Entry
        label={kind === 'output' ? table.variable : table.inputField}
        value={field}
        isCode
        change={rename}
        error={error}
        errorId={errorId}
      />
      <label className="field">
        <span className="label">{texts.type}</span>
        <select
          className="input"
          value={declared ?? (type === undefined ? '' : 'other')}
          onChange={({ target: { value } }) =>
            put(texts.changeType, (old) =>
              withColumnType(
                old,
                id,
                CELL_TYPES.find((one) => one === value),
              ),
            )
          }
        >
          <option value="">{texts.untyped}</option>
          {declared === undefined && type !== undefined && <option value="other">{texts.otherType(type)}</option>}
          {CELL_TYPES.map((one) => (
            <option key={one} value={one}>
              {paste.types[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="check wide">
        <input type="checkbox" checked={isEverywhere} onChange={({ target }) => setEverywhere(target.checked)} />
        {texts.everywhere}
      </label>
      <label className="field">
        <span className="label">{texts.width}</span>
        <input
          className="input"
          type="number"
          min={MIN_WIDTH}
          max={MAX_WIDTH}
          step={8}
          value={widthOf(column)}
          onChange={({ target }) => change(texts.change, { width: widthOf({ width: Number(target.value) }) })}
        />
      </label>
    </div>
  )
}

interface EntryProps {
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
  readonly isCode?: boolean
  readonly autoFocus?: boolean
  readonly error?: string | undefined
  readonly errorId?: string
}

/** A text field that commits on blur or Enter. */
function Entry({ label, value, change, isCode = false, autoFocus = false, error, errorId }: EntryProps) {
  const [text, write] = useState<string>()
  const take = () => {
    if (text !== undefined && text !== value) change(text)
    if (error === undefined) write(undefined)
  }
  return (
    <label className={isCode ? 'field wide' : 'field'}>
      <span className="label">{label}</span>
      <input
        className={isCode ? 'input code-input' : 'input'}
        autoFocus={autoFocus}
        value={text ?? value}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : errorId}
        onChange={({ target }) => write(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
      />
      {error !== undefined && (
        <span id={errorId} className="bad">
          {error}
        </span>
      )}
    </label>
  )
}
