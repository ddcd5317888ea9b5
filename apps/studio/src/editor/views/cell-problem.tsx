import { literalOf, type Problem, type TableStep } from '@engine/authoring'
import { problemText } from '../../problem-text/problem-words.ts'
import { readCell } from '../../table-editor/cell-words.ts'
import { withColumnType } from '../../table-editor/columns.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { PutTable } from './table-bar.tsx'

interface CellProblemProps {
  readonly step: TableStep
  /** Index in the table. */
  readonly row: number
  /** Id of the column. */
  readonly column: string
  readonly problem: Problem
  readonly put: PutTable
}

/** The problem of a cell, with quick fixes. */
export function CellProblem({ step, row, column: id, problem, put }: CellProblemProps) {
  const { problemMessages, tableEditor } = useTexts()
  const column = step.columns.find((one) => one.id === id)
  const cell = step.rows[row]?.cells[id] ?? ''
  const isWord = column !== undefined && cell !== '' && literalOf(cell) === undefined && !/^[?=]/.test(cell.trim())
  const words = step.rows.filter((one) => {
    const text = one.cells[id]
    return (
      column !== undefined && text !== undefined && readCell(text, { kind: column.kind, type: 'text' }).text !== text
    )
  }).length
  return (
    <>
      <Icon name="alert" size={14} />
      <span>{problemText(problem, problemMessages)}</span>
      {put !== undefined && isWord && (
        <span className="row">
          <button
            type="button"
            className="btn"
            onClick={() =>
              put(tableEditor.readAsText, (old) => ({
                ...old,
                rows: old.rows.map((one, at) =>
                  at === row
                    ? {
                        ...one,
                        cells: { ...one.cells, [id]: readCell(cell, { kind: column.kind, type: 'text' }).text },
                      }
                    : one,
                ),
              }))
            }
          >
            {tableEditor.readAsText}
          </button>
          {words > 1 && (
            <button
              type="button"
              className="btn"
              onClick={() => put(tableEditor.changeType, (old) => withColumnType(old, id, 'text'))}
            >
              {tableEditor.allAsText(words)}
            </button>
          )}
        </span>
      )}
    </>
  )
}
