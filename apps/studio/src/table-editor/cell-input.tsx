import type { KeyboardEvent } from 'react'

interface CellInputProps {
  readonly label: string
  readonly text: string
  readonly style: React.CSSProperties
  readonly change: (text: string) => void
  readonly commit: (down: number, across: number) => void
  readonly cancel: () => void
}

/** The only input of a grid, over the edited cell. */
export function CellInput({ label, text, style, change, commit, cancel }: CellInputProps) {
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
    <input
      className="cell-input"
      autoFocus
      aria-label={label}
      style={style}
      value={text}
      onChange={({ target }) => change(target.value)}
      onKeyDown={onKey}
      onBlur={() => commit(0, 0)}
    />
  )
}
