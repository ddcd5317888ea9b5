import type { DraftGraph } from '@engine/authoring'
import type { Loss } from '@engine/interchange'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon } from '../ui/icon.tsx'
import type { ImportPlan } from './import-plan.ts'
import { cellText, columnsOf } from './rows.ts'

/** Rows of the preview; the whole table is shown after the import, which undo reverts. */
const MAX_COUNT = 8

/** The first rows of the resulting table. */
export function Preview({ graph, plan: { step, results } }: { readonly graph: DraftGraph; readonly plan: ImportPlan }) {
  const { tableFile, table } = useTexts()
  const columns = columnsOf(step, table.kinds).filter(({ kind }) => kind !== 'note')
  const names = new Map([...graph.steps, ...results].map((one) => [one.id, nameOf(one)]))
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={tableFile.preview}>
      <table className="list">
        <thead>
          <tr>
            {columns.map(({ id, title }) => (
              <th key={id} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {step.rows.slice(0, MAX_COUNT).map((row) => (
            <tr key={row.id}>
              {columns.map((column) => {
                const text = cellText(row, column)
                return (
                  <td key={column.id}>
                    <code>{column.kind === 'next' ? (names.get(text) ?? text) : <Expression text={text} />}</code>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {step.rows.length > MAX_COUNT && <p className="muted">{tableFile.more(step.rows.length - MAX_COUNT)}</p>}
    </div>
  )
}

const nameOf = (step: DraftGraph['steps'][number]) =>
  step.type === 'terminal' ? (step.code ?? step.id) : (step.name ?? step.id)

/** The parts of the file that were not read, each with its place. */
export function Lost({ lost }: { readonly lost: readonly Loss[] }) {
  const { tableFile, editor } = useTexts()
  if (lost.length === 0) return <p className="muted">{tableFile.nothingLost}</p>
  return (
    <section aria-label={tableFile.lost(lost.length)}>
      <h3>{tableFile.lost(lost.length)}</h3>
      <ul className="problem-list">
        {lost.map(({ path, line, column, message, severity }, index) => (
          <li key={index} className="row">
            <span style={{ color: `var(--${severity === 'error' ? 'bad' : 'warn'})` }}>
              <Icon name="alert" size={14} />
            </span>
            <span className="vh">{editor.severities[severity]}</span>
            <code className="muted">{line === undefined ? path.slice(1) : tableFile.place(line, column ?? 1)}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
