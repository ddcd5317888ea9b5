import type { TableStep } from '@engine/authoring'
import { tableKeys } from '@engine/expression'
import { useEffect, useMemo, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Cells } from './clipboard.ts'
import { isBlank, type PasteChoice, type PastePlan, planPaste } from './paste-plan.ts'
import { PastePreview, type PreviewProps } from './paste-preview.tsx'
import { type PastePlace } from './paste.ts'

/** A cell of a file whose displayed text differs from its content. */
export interface LostText {
  readonly row: number
  readonly column: number
  readonly message: string
}

export interface PasteFormProps {
  readonly step: TableStep
  /** All cells, including the first row. */
  readonly cells: Cells
  readonly lost?: readonly LostText[]
  /** The active cell; undefined to append rows. */
  readonly at: { readonly row: number; readonly column: number } | undefined
  readonly isField: (word: string) => boolean
  /** Called with the number of rows below the header. */
  readonly count?: (rows: number) => void
  readonly apply: (plan: PastePlan, place: PastePlace) => void
  readonly close: () => void
}

/** Texts corrected by the author, by row and column. */
type Corrections = Readonly<Record<string, string>>
const keyAt = (row: number, column: number) => `${row} ${column}`

/** Previews how cells are converted to rows of a table, before anything changes. */
export function PasteForm({ step, cells, lost = [], at, isField, count, apply, close }: PasteFormProps) {
  const { paste, common } = useTexts()
  const [choice, setChoice] = useState<PasteChoice>({})
  const [corrected, correct] = useState<Corrections>({})
  const blank = isBlank(step)
  const [isReplacing, replace] = useState(at === undefined)
  const given = useMemo(
    () => cells.map((row, index) => row.map((text, column) => corrected[keyAt(index, column)] ?? text)),
    [cells, corrected],
  )
  const plan = useMemo(
    () => planPaste(given, step, at?.column ?? 0, choice, isField),
    [given, step, at?.column, choice, isField],
  )
  const change = (more: PasteChoice) => setChoice((old) => ({ ...old, ...more }))
  const first = plan.hasHeader ? 1 : 0
  const send = (asWritten: boolean) =>
    apply(plan, {
      mode: isReplacing ? 'replace' : at === undefined ? 'add' : 'at',
      row: at?.row ?? 0,
      ...(asWritten && { asWritten }),
    })
  const setType: PreviewProps['setType'] = (column, type) => change({ types: { ...choice.types, [column]: type } })
  const [open] = plan.unread
  const rows = plan.given.length
  useEffect(() => count?.(rows), [count, rows])
  return (
    <form
      className="paste"
      onSubmit={(event) => {
        event.preventDefault()
        if (rows > 0) send(false)
      }}
    >
      <div className="paste-body">
        <fieldset className="paste-readings">
          <legend className="vh">{paste.readings}</legend>
          <Readings plan={plan} choice={choice} change={change} />
          {!blank && (
            <Reading title={paste.replace(step.rows.length)} hint={paste.replaceHint}>
              <input type="checkbox" checked={isReplacing} onChange={({ target }) => replace(target.checked)} />
            </Reading>
          )}
          {lost.length > 0 && (
            <details className="paste-lost">
              <summary>{paste.lost(lost.length)}</summary>
              <ul>
                {lost.slice(0, 50).map(({ row, column, message }) => (
                  <li key={keyAt(row, column)}>
                    <b>{paste.unreadAt(row + 1 - first, plan.columns[column]?.title ?? '', message)}</b>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </fieldset>
        <PastePreview
          step={step}
          plan={plan}
          lost={lost}
          setType={setType}
          setTarget={(column, target) => change({ targets: { ...choice.targets, [column]: target } })}
          correct={(row, column, text) => correct((old) => ({ ...old, [keyAt(row + first, column)]: text }))}
        />
      </div>
      <footer>
        {open !== undefined && (
          <span className="paste-open" role="status">
            <Icon name="alert" size={14} />
            <b>{paste.unread(plan.unread.length)}:</b>
            {paste.unreadAt(open.row + 1, plan.columns[open.column]?.title ?? '', open.text)}
            <button type="button" className="btn" data-kind="quiet" onClick={() => setType(open.column, 'text')}>
              {paste.readAsText(plan.columns[open.column]?.title ?? '')}
            </button>
          </span>
        )}
        <span className="grow" />
        <button type="button" className="btn" data-kind="quiet" onClick={close}>
          {common.cancel}
        </button>
        <button type="button" className="btn" disabled={rows === 0} onClick={() => send(true)}>
          {paste.asIs}
        </button>
        <button type="submit" className="btn" data-kind="primary" disabled={rows === 0} autoFocus>
          {paste.submit(rows)}
        </button>
      </footer>
    </form>
  )
}

interface ReadingProps {
  readonly title: string
  readonly hint?: string
  readonly children: React.ReactNode
}

function Reading({ title, hint, children }: ReadingProps) {
  return (
    <label className="paste-reading">
      {children}
      <span>
        <b>{title}</b>
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </label>
  )
}

interface ReadingsProps {
  readonly plan: PastePlan
  readonly choice: PasteChoice
  readonly change: (choice: PasteChoice) => void
}

/** The header, the undecided choices, and the conversions by kind. */
function Readings({ plan, choice, change }: ReadingsProps) {
  const { paste } = useTexts()
  const { notes, hasHeader, matched, columns, asksDecimal, asksDate, isClosed } = plan
  return (
    <>
      <Reading title={paste.header} {...(hasHeader && { hint: paste.matched(matched, columns.length) })}>
        <input type="checkbox" checked={hasHeader} onChange={({ target }) => change({ hasHeader: target.checked })} />
      </Reading>
      {asksDecimal && (
        <Options
          title={paste.decimalSign}
          value={choice.decimal ?? '.'}
          options={{ '.': paste.point, ',': paste.comma }}
          choose={(decimal) => change({ decimal })}
        />
      )}
      {asksDate && (
        <Options
          title={paste.dates}
          value={choice.dayFirst === false ? 'month' : 'day'}
          options={{ day: paste.dayFirst, month: paste.monthFirst }}
          choose={(order) => change({ dayFirst: order === 'day' })}
        />
      )}
      {notes.ranges > 0 && (
        <Reading title={paste.ranges(isClosed)} hint={`${paste.both}, ${paste.inCells(notes.ranges)}`}>
          <input type="checkbox" checked={isClosed} onChange={({ target }) => change({ isClosed: target.checked })} />
        </Reading>
      )}
      {(['decimals', 'limits', 'units', 'texts'] as const).map((note) =>
        notes[note] === 0 ? null : (
          <p key={note} className="paste-reading">
            <Icon name="check" size={14} />
            <span>
              <b>{paste[note]}</b>
              <small>{paste.inCells(notes[note])}</small>
            </span>
          </p>
        ),
      )}
    </>
  )
}

interface OptionsProps<Value extends string> {
  readonly title: string
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly choose: (value: Value) => void
}

function Options<Value extends string>({ title, value, options, choose }: OptionsProps<Value>) {
  return (
    <label className="field paste-options">
      <span className="label">{title}</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => {
          const chosen = tableKeys(options).find((one) => one === target.value)
          if (chosen !== undefined) choose(chosen)
        }}
      >
        {tableKeys(options).map((one) => (
          <option key={one} value={one}>
            {options[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
