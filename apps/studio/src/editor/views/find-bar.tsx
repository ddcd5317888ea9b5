import type { Row } from '@engine/authoring'
import { useMemo, useState } from 'react'
import type { ChangeRows } from '../../table-editor/cell-editing.ts'
import { editText } from '../../table-editor/cell-display.ts'
import { findCells, type FoundCell, replacedText } from '../../table-editor/find.ts'
import type { Notation } from '../../ui/notation.ts'
import { cellText, type GridColumn, isCellColumn, readCells, withCells } from '../../table-editor/rows.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'

interface FindBarProps {
  /** The visible rows. */
  readonly rows: readonly Row[]
  readonly columns: readonly GridColumn[]
  readonly notation: Notation
  readonly isField: (word: string) => boolean
  readonly go: (cell: FoundCell) => void
  /** Undefined: read-only. */
  readonly change: ChangeRows | undefined
  readonly close: () => void
}

/** Finds and replaces text in the visible cells. */
function useFind({ rows, columns, notation, isField, go, change }: FindBarProps) {
  const { tableEditor: texts, cellForms } = useTexts()
  const [wanted, setWanted] = useState('')
  const [by, setBy] = useState('')
  const [at, setAt] = useState(-1)
  const [done, setDone] = useState('')
  const shown = (row: Row, column: GridColumn) =>
    isCellColumn(column)
      ? editText(cellText(row, column), column, notation === 'words' ? cellForms : undefined)
      : cellText(row, column)
  const cells = useMemo(() => columns.filter(({ kind }) => kind !== 'next'), [columns])
  const found = findCells(rows, cells, wanted, shown)
  const indexOf = (index: number) => ((index % found.length) + found.length) % found.length
  const show = (next: number) => {
    setAt(next)
    const cell = found[indexOf(next)]
    const column = cell && columns.findIndex(({ id }) => id === cells[cell.column]?.id)
    if (cell !== undefined && column !== undefined) go({ row: cell.row, column })
  }
  const replace = (some: readonly FoundCell[]) => {
    change?.(texts.replace, (old) =>
      some.reduce((all, { row, column }) => {
        const [one, target] = [rows[row], cells[column]]
        const index = one === undefined ? -1 : all.findIndex(({ id }) => id === one.id)
        if (one === undefined || target === undefined || index < 0) return all
        const text = replacedText(shown(one, target), wanted, by)
        return withCells(all, cells, { row: index, column }, readCells([[text]], cells, column, isField))
      }, old),
    )
    setDone(texts.replaced(some.length))
  }
  const find = (text: string) => {
    setWanted(text)
    setAt(-1)
    setDone('')
  }
  const position = at < 0 ? 0 : indexOf(at) + 1
  const said = done !== '' ? done : wanted === '' ? '' : texts.found(position, found.length)
  const current = found[indexOf(Math.max(at, 0))]
  return { wanted, find, by, setBy, at, found, current, show, replace, said }
}

/** Finds text in cells as displayed, and replaces it. */
export function FindBar(props: FindBarProps) {
  const { tableEditor: texts } = useTexts()
  const { change, close } = props
  const { wanted, find, by, setBy, at, found, current, show, replace, said } = useFind(props)
  return (
    <form
      className="row find-bar"
      role="search"
      aria-label={texts.findIn}
      onSubmit={(event) => {
        event.preventDefault()
        show(at + 1)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <Icon name="search" size={14} />
      <input
        className="input"
        aria-label={texts.find}
        placeholder={texts.find}
        value={wanted}
        autoFocus
        onChange={({ target }) => find(target.value)}
      />
      <span className="muted tnum" role="status">
        {said}
      </span>
      <button
        type="button"
        className="btn"
        data-kind="quiet"
        disabled={found.length === 0}
        onClick={() => show(Math.max(at, 0) - 1)}
      >
        {texts.previous}
      </button>
      <button type="submit" className="btn" data-kind="quiet" disabled={found.length === 0}>
        {texts.next}
      </button>
      {change !== undefined && (
        <>
          <input
            className="input"
            aria-label={texts.replaceBy}
            placeholder={texts.replaceBy}
            value={by}
            onChange={({ target }) => setBy(target.value)}
          />
          <button
            type="button"
            className="btn"
            disabled={found.length === 0}
            onClick={() => current !== undefined && replace([current])}
          >
            {texts.replace}
          </button>
          <button type="button" className="btn" disabled={found.length === 0} onClick={() => replace(found)}>
            {texts.replaceAll}
          </button>
        </>
      )}
      <span className="grow" />
      <button type="button" className="btn icon" data-kind="quiet" aria-label={texts.close} onClick={close}>
        <Icon name="x" size={14} />
      </button>
    </form>
  )
}
