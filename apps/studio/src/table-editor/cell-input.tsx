import { type KeyboardEvent, useId } from 'react'

interface CellInputProps {
  readonly label: string
  readonly text: string
  readonly style: React.CSSProperties
  /** Help on the notation of values in the column. */
  readonly help: string | undefined
  /** Values of the column, offered as suggestions. */
  readonly options: readonly string[]
  readonly change: (text: string) => void
  readonly commit: (down: number, across: number) => void
  readonly cancel: () => void
}

/** The only input element of a grid, placed over the edited cell. */
export function CellInput({ label, text, style, help, options, change, commit, cancel }: CellInputProps) {
  const id = useId()
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation()
    const back = event.shiftKey ? -1 : 1
    if (event.key === 'Escape') cancel()
    else if (event.key === 'Enter') commit(back, 0)
    else if (event.key === 'Tab') commit(0, back)
    else return
    event.preventDefault()
  }
  return (
    <div className="cell-edit" style={style}>
      <input
        className="cell-input"
        autoFocus
        aria-label={label}
        aria-describedby={help === undefined ? undefined : `${id}help`}
        list={options.length === 0 ? undefined : `${id}options`}
        autoComplete="off"
        value={text}
        onChange={({ target }) => change(target.value)}
        onKeyDown={onKey}
        onBlur={() => commit(0, 0)}
      />
      {options.length > 0 && (
        <datalist id={`${id}options`}>
          {options.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {help !== undefined && (
        <p id={`${id}help`} className="cell-help">
          {help}
        </p>
      )}
    </div>
  )
}
