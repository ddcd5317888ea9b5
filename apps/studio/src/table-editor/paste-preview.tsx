import type { TableStep } from '@engine/authoring'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { cellParts } from './cell-display.ts'
import { CELL_TYPES, type CellType } from './cell-type.ts'
import type { LostText } from './paste-form.tsx'
import type { PasteColumn, PastePlan, PasteTarget } from './paste-plan.ts'

export interface PreviewProps {
  readonly step: TableStep
  readonly plan: PastePlan
  readonly lost: readonly LostText[]
  readonly setType: (column: number, type: CellType) => void
  readonly setTarget: (column: number, target: PasteTarget) => void
  readonly correct: (row: number, column: number, text: string) => void
}

/** Maximum number of rows in the preview; later cells that need a decision are also shown. */
const MAX_COUNT = 60
const NEW = ['input', 'output', 'next', 'note', 'none'] as const

/** The resulting rows; a converted cell also shows its original text. */
export function PastePreview({ step, plan, lost, setType, setTarget, correct }: PreviewProps) {
  const { paste } = useTexts()
  const { columns, given, unread } = plan
  const first = plan.hasHeader ? 1 : 0
  const bad = new Set([
    ...unread.map(({ row, column }) => `${row} ${column}`),
    ...lost.map(({ row, column }) => `${row - first} ${column}`),
  ])
  const later = [...new Set(unread.map(({ row }) => row))].filter((row) => row >= MAX_COUNT).slice(0, 20)
  const shown = [...given.slice(0, MAX_COUNT).keys(), ...later]
  return (
    <div className="paste-preview" tabIndex={0} role="region" aria-label={paste.preview}>
      <table>
        <thead>
          <tr>
            <td className="rn" />
            {columns.map((column, at) => (
              <th key={at} scope="col" data-kind={column.target === 'none' ? undefined : column.kind}>
                <b>{column.title}</b>
                <TargetSelect
                  step={step}
                  column={column}
                  title={column.title}
                  choose={(target) => setTarget(at, target)}
                />
                {column.target !== 'next' && column.target !== 'note' && column.target !== 'none' && (
                  <select
                    className="input"
                    aria-label={paste.typeOf(column.title)}
                    value={column.type}
                    onChange={({ target }) =>
                      setType(at, CELL_TYPES.find((one) => one === target.value) ?? column.type)
                    }
                  >
                    {CELL_TYPES.map((type) => (
                      <option key={type} value={type}>
                        {paste.types[type]}
                        {type === 'number' && column.unit !== undefined ? `, ${column.unit}` : ''}
                      </option>
                    ))}
                  </select>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row}>
              <th scope="row" className="rn">
                {row + 1}
              </th>
              {columns.map((column, at) => {
                const was = (given[row]?.[at] ?? '').trim()
                return bad.has(`${row} ${at}`) && column.target !== 'none' ? (
                  <td key={at} className="open">
                    <input
                      className="input"
                      aria-label={paste.fix(row + 1, column.title)}
                      aria-invalid="true"
                      defaultValue={was}
                      onBlur={({ target }) => target.value !== was && correct(row, at, target.value)}
                    />
                  </td>
                ) : (
                  <PreviewCell key={at} column={column} was={was} text={column.cells[row]?.text ?? ''} />
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {given.length > shown.length && <p className="muted">{paste.more(given.length - shown.length)}</p>}
    </div>
  )
}

interface CellProps {
  readonly column: PasteColumn
  readonly was: string
  readonly text: string
}

function PreviewCell({ column: { kind, type, target }, was, text }: CellProps) {
  const { paste, cellForms, table } = useTexts()
  if (target === 'none') return <td className="off">{was}</td>
  if (target === 'next' || target === 'note') return <td>{was}</td>
  const parts = cellParts(text, { kind, type }, cellForms)
  const words = parts?.map((part) => part.text).join('')
  const isSame = (words ?? text) === was || (text === '' && was === '')
  return (
    <td data-read={isSame || text === '' ? undefined : ''} data-type={type}>
      {!isSame && text !== '' && (
        <s>
          <span className="vh">{paste.was} </span>
          {was}
        </s>
      )}
      {text === '' ? (
        kind === 'input' && <i>{table.any}</i>
      ) : parts === undefined ? (
        <code>
          <Expression text={text} />
        </code>
      ) : (
        parts.map((part, at) => (part.isValue ? <b key={at}>{part.text}</b> : <span key={at}>{part.text}</span>))
      )}
    </td>
  )
}

interface TargetSelectProps {
  readonly step: TableStep
  readonly column: PasteColumn
  readonly title: string
  readonly choose: (target: PasteTarget) => void
}

const valueOf = (target: PasteTarget) => (typeof target === 'string' ? target : `=${target.id}`)

/** The target column of a pasted column. */
function TargetSelect({ step, column, title, choose }: TargetSelectProps) {
  const { paste } = useTexts()
  const words = {
    input: paste.newInput,
    output: paste.newOutput,
    next: paste.next,
    note: paste.note,
    none: paste.none,
  }
  return (
    <select
      className="input"
      aria-label={paste.columnOf(title)}
      value={valueOf(column.target)}
      onChange={({ target: { value } }) =>
        choose(value.startsWith('=') ? { id: value.slice(1) } : (NEW.find((one) => one === value) ?? 'none'))
      }
    >
      {step.columns.map(({ id, label, field = '' }) => (
        <option key={id} value={`=${id}`}>
          {label ?? field}
        </option>
      ))}
      {NEW.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  )
}
