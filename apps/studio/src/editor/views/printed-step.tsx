import { type DraftRuleset, type DraftStep, type Exit, type TableStep, targetOf } from '@engine/authoring'
import type { ReactNode } from 'react'
import type { Layout } from '../../graph-editor/layout.ts'
import { layoutOf } from '../../graph-editor/positions.ts'
import { cellText, columnsOf, type GridColumn } from '../../table-editor/rows.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Expression } from '../../ui/expression.tsx'

/** The steps in print order, and their numbers. */
export function numbered(draft: DraftRuleset): {
  readonly placed: Layout
  readonly numbers: ReadonlyMap<string, number>
  readonly steps: readonly DraftStep[]
} {
  const placed = layoutOf(draft, 'down', 0)
  const at = (id: string) => placed.boxes.get(id) ?? { x: Infinity, y: Infinity }
  const steps = [...draft.steps].sort((one, other) => {
    const [left, right] = [at(one.id), at(other.id)]
    return left.x === right.x ? left.y - right.y : left.x - right.x
  })
  return { placed, steps, numbers: new Map(steps.map(({ id }, index) => [id, index + 1])) }
}

interface PrintedStepProps {
  readonly step: DraftStep
  readonly draft: DraftRuleset
  readonly numbers: ReadonlyMap<string, number>
}

/** One step in words: its conditions or assignments, and the numbers of its targets. */
export function PrintedStep({ step, draft, numbers }: PrintedStepProps) {
  const { canvas } = useTexts()
  const { id, name, type } = step
  return (
    <li value={numbers.get(id)}>
      <b>{name ?? id}</b> <small>{canvas.kinds[type]}</small>{' '}
      {draft.startStepId === id && <small className="tag">{canvas.start}</small>}
      <Content step={step} draft={draft} numbers={numbers} />
    </li>
  )
}

function Content({ step, draft, numbers }: PrintedStepProps): ReactNode {
  const { canvas } = useTexts()
  const way = (exit: Exit, words: ReactNode) => (
    <Way key={JSON.stringify(exit)} to={numbers.get(targetOf(step, exit) ?? '')} words={words} />
  )
  switch (step.type) {
    case 'decision':
      return (
        <ul>
          {step.branches.map((branch) =>
            way({ kind: 'branch', id: branch.id }, <Code text={branch.condition ?? ''} />),
          )}
          {way({ kind: 'default' }, canvas.otherwise)}
        </ul>
      )
    case 'table':
      return (
        <>
          <PrintedTable table={step} draft={draft} />
          <ul>
            {targetOf(step, { kind: 'next' }) !== undefined && way({ kind: 'next' }, canvas.onward)}
            {targetOf(step, { kind: 'default' }) !== undefined && way({ kind: 'default' }, canvas.noRow)}
          </ul>
        </>
      )
    case 'action':
      return (
        <ul>
          {step.assignments.map(({ name = '', value = '' }, index) => (
            <Line key={index} text={`$${name} = ${value}`} />
          ))}
          {step.externalCalls?.map(({ type, target = '' }, index) => (
            <Line key={`call ${index}`} text={`${type}: ${target}`} />
          ))}
          {way({ kind: 'next' }, canvas.onward)}
        </ul>
      )
    case 'sub_rule':
      return (
        <ul>
          <Line text={step.refName ?? ''} />
          {step.bindings.map(({ field = '', expr = '' }, index) => (
            <Line key={index} text={`${field} = ${expr}`} />
          ))}
          {step.outputs.map(({ parentVar = '', childVar = '' }, index) => (
            <Line key={`out ${index}`} text={`$${parentVar} = $${childVar}`} />
          ))}
          {way({ kind: 'next' }, canvas.onward)}
        </ul>
      )
    case 'terminal':
      return (
        <ul>
          <Line text={step.code ?? ''} />
          {step.message !== undefined && <Line text={step.message} />}
          {step.output?.map(({ name = '', value = '' }, index) => (
            <Line key={index} text={`${name} = ${value}`} />
          ))}
        </ul>
      )
  }
}

const Code = ({ text }: { readonly text: string }) => (
  <code>
    <Expression text={text} />
  </code>
)

const Line = ({ text }: { readonly text: string }) => (
  <li>
    <Code text={text} />
  </li>
)

/** An exit; `—` if it has no target. */
const Way = ({ to, words }: { readonly to: number | undefined; readonly words: ReactNode }) => (
  <li>
    {words} → <b className="tnum">{to ?? '—'}</b>
  </li>
)

/** All rows; the header is repeated on each page. */
export function PrintedTable({ table, draft }: { readonly table: TableStep; readonly draft: DraftRuleset }) {
  const { table: words, tableEditor, canvas } = useTexts()
  // Empty columns are omitted on paper.
  const isWritten = (column: GridColumn) => table.rows.some((row) => cellText(row, column) !== '')
  const columns = columnsOf(table, words.kinds).filter(
    (column) => column.kind === 'input' || column.kind === 'output' || isWritten(column),
  )
  const names = new Map(draft.steps.map(({ id, name }) => [id, name ?? id]))
  return (
    <>
      <p>
        {tableEditor.policies[table.hitPolicy === 'collect' ? (table.aggregate ?? 'collect') : table.hitPolicy]} ·{' '}
        {canvas.rows(table.rows.length)}
      </p>
      <table className="list">
        <thead>
          <tr>
            <th scope="col" className="num">
              {words.row}
            </th>
            {columns.map(({ id, title }) => (
              <th key={id} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={row.id} className={row.disabled === true ? 'off' : undefined}>
              <td className="num">{index + 1}</td>
              {columns.map((column) => {
                const text = cellText(row, column)
                if (column.kind === 'next') return <td key={column.id}>{names.get(text) ?? text}</td>
                return <td key={column.id}>{column.kind === 'note' ? text : <Code text={text} />}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
