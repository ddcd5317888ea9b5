import { memo, type PointerEvent, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { SEEN_WIDTH, type SeenHead } from './grid-row.tsx'
import { type GridColumn, widthOf } from './rows.ts'

/** The actions of a column header. */
export interface HeadActions {
  /** Opens the menu of a column, anchored at an element. */
  readonly openMenu: (column: string, at: HTMLElement) => void
  /** Pixels. */
  readonly resize: (column: string, width: number) => void
}

interface HeaderProps {
  readonly columns: readonly GridColumn[]
  /** The first rendered column; a spacer replaces the columns before it. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
  readonly head: HeadActions | undefined
  /** Header of the column with decision counts; undefined if hidden. */
  readonly seen: SeenHead | undefined
  readonly sorted: { readonly column: string; readonly isDown: boolean } | undefined
}

export const Header = memo(function Header(props: HeaderProps) {
  const { columns, from, to, before, width, head, seen, sorted } = props
  const { table, tableEditor, paste } = useTexts()
  return (
    <div className="gh" role="row" aria-rowindex={1} style={{ width }}>
      <div className="hc rn" role="columnheader" aria-colindex={1}>
        <span className="vh">{table.row}</span>
      </div>
      {before > 0 && <div style={{ width: before, flex: 'none' }} />}
      {columns.slice(from, to).map((column, offset) => {
        const { id, kind, title, width: own } = column
        const at = from + offset
        const isCell = kind === 'input' || kind === 'output'
        const isFirst = isCell && columns[at - 1]?.kind !== kind
        const type = isCell && column.type !== undefined ? paste.types[column.type] : undefined
        const hint = isCell ? [type, column.unit].filter((one) => one !== undefined).join(', ') : ''
        return (
          <div
            key={id}
            className="hc"
            role="columnheader"
            aria-colindex={at + 2}
            aria-sort={sorted?.column === id ? (sorted.isDown ? 'descending' : 'ascending') : undefined}
            data-kind={kind}
            style={{ width: own }}
          >
            <span className="group">{isFirst ? tableEditor.groups[kind] : ''}</span>
            <b>{title}</b>
            <small>{isCell && hint === '' ? table.kinds[kind] : hint}</small>
            {isCell && head !== undefined && (
              <>
                <button
                  type="button"
                  className="head-menu"
                  tabIndex={-1}
                  aria-label={tableEditor.openMenu(title)}
                  onClick={({ currentTarget }) => head.openMenu(id, currentTarget)}
                >
                  <Icon name="expand" size={14} />
                </button>
                <Resizer width={own} resize={(next) => head.resize(id, next)} title={tableEditor.resize(title)} />
              </>
            )}
          </div>
        )
      })}
      {seen !== undefined && (
        <div className="hc seen" role="columnheader" aria-colindex={columns.length + 2} style={{ width: SEEN_WIDTH }}>
          <span className="group">{tableEditor.seen}</span>
          <b>{seen.title}</b>
          <small>{seen.note}</small>
        </div>
      )}
    </div>
  )
})

interface ResizerProps {
  readonly width: number
  readonly resize: (width: number) => void
  readonly title: string
}

/** The resize handle of a column, for the mouse; the column menu has a field for the width. */
function Resizer({ width, resize, title }: ResizerProps) {
  const start = useRef<number>(undefined)
  const widthAt = (event: PointerEvent) => widthOf({ width: width + event.clientX - (start.current ?? event.clientX) })
  return (
    <span
      className="resizer"
      title={title}
      onPointerDown={(event) => {
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = event.clientX
      }}
      onPointerMove={(event) => {
        if (start.current === undefined) return
        const cell = event.currentTarget.parentElement
        if (cell !== null) cell.style.width = `${widthAt(event)}px`
      }}
      onPointerUp={(event) => {
        const next = widthAt(event)
        start.current = undefined
        if (next !== width) resize(next)
      }}
    />
  )
}
