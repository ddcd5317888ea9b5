import type { Column, DraftGraph, TableStep } from '@engine/authoring'
import { useId, useMemo, useState } from 'react'
import { ask } from '../language/language.ts'
import type { ReadSheets, SheetTable } from '../language/tasks.ts'
import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { Refusal } from '../ui/states.tsx'
import { firstTargets, type ImportChoice, type ImportPlan, planImport, type Target } from './import-plan.ts'
import { Lost, Preview } from './import-preview.tsx'
import { errorOf } from '../api/thrown-error.ts'

interface ImportBoxProps {
  readonly graph: DraftGraph
  readonly step: TableStep
  readonly apply: (plan: ImportPlan) => void
  readonly close: () => void
}

/** A spreadsheet file for the open table: the preview shows the target of each column before anything changes. */
export function ImportBox({ graph, step, apply, close }: ImportBoxProps) {
  const { tableFile, common } = useTexts()
  const [read, setRead] = useState<ReadSheets>()
  const [choice, setChoice] = useState<ImportChoice>()
  const [error, setError] = useState<Error | null>(null)
  const plan = useMemo(() => choice && planImport(graph, step, choice), [graph, step, choice])
  const choose = (sheet: SheetTable | undefined) =>
    setChoice(sheet && { sheet, targets: firstTargets(step, sheet.columns), mode: choice?.mode ?? 'replace' })
  const open = async (file: File) => {
    setError(null)
    try {
      const format = /\.xlsx$/i.test(file.name) ? 'xlsx' : 'csv'
      const found = await ask('sheets', { bytes: await file.arrayBuffer(), format, columns: step.columns })
      setRead(found)
      choose(found.tables[0])
    } catch (thrown) {
      setRead(undefined)
      setChoice(undefined)
      setError(errorOf(thrown))
    }
  }
  return (
    <Box title={tableFile.title(step.name ?? step.id)} isWide close={close}>
      <div className="import-box">
        <label className="field">
          <span className="label">{tableFile.file}</span>
          <input
            className="input"
            type="file"
            accept=".csv,.tsv,.txt,.xlsx"
            onChange={({ target: { files } }) => files?.[0] !== undefined && void open(files[0])}
          />
          <span className="hint">{tableFile.hint}</span>
        </label>
        <Refusal error={error} />
        {read !== undefined && read.tables.length > 1 && choice !== undefined && (
          <Sheets tables={read.tables} chosen={choice.sheet} choose={choose} />
        )}
        {choice !== undefined && plan !== undefined && (
          <>
            <Targets step={step} choice={choice} change={setChoice} />
            <Modes choice={choice} change={setChoice} />
            <Outcome plan={plan} />
            <Preview graph={graph} plan={plan} />
          </>
        )}
        {read !== undefined && <Lost lost={read.lost} />}
      </div>
      <footer>
        <button type="button" className="btn" onClick={close}>
          {common.cancel}
        </button>
        <button
          type="button"
          className="btn"
          data-kind="primary"
          disabled={plan === undefined}
          onClick={() => plan !== undefined && apply(plan)}
        >
          {tableFile.apply}
        </button>
      </footer>
    </Box>
  )
}

interface SheetsProps {
  readonly tables: readonly SheetTable[]
  readonly chosen: SheetTable
  readonly choose: (sheet: SheetTable | undefined) => void
}

function Sheets({ tables, chosen, choose }: SheetsProps) {
  const { tableFile } = useTexts()
  return (
    <label className="field">
      <span className="label">{tableFile.sheet}</span>
      <select
        className="input"
        value={tables.indexOf(chosen)}
        onChange={({ target }) => choose(tables[Number(target.value)])}
      >
        {tables.map(({ name, rows }, index) => (
          <option key={index} value={index}>
            {name} ({tableFile.rows(rows.length)})
          </option>
        ))}
      </select>
    </label>
  )
}

interface ChoiceProps {
  readonly choice: ImportChoice
  readonly change: (choice: ImportChoice) => void
}

const valueOf = (target: Target) => (typeof target === 'string' ? target : `=${target.id}`)
const targetOf = (value: string): Target => (value === 'new' || value === 'none' ? value : { id: value.slice(1) })

/** The target column of each column of the file. */
function Targets({ step, choice, change }: ChoiceProps & { readonly step: TableStep }) {
  const { tableFile, table } = useTexts()
  const id = useId()
  const { sheet, targets } = choice
  return (
    <table className="list" aria-label={tableFile.columns}>
      <thead>
        <tr>
          <th scope="col">{tableFile.inFile}</th>
          <th scope="col">{tableFile.first}</th>
          <th scope="col">{tableFile.goesTo}</th>
        </tr>
      </thead>
      <tbody>
        {sheet.columns.map((column, index) => (
          <tr key={column.id}>
            <td id={`${id}${index}`}>
              <code>{titleOf(column)}</code> <span className="muted">{table.kinds[column.kind]}</span>
            </td>
            <td>
              <code>{sheet.rows[0]?.cells[column.id]}</code>
            </td>
            <td>
              <select
                className="input"
                aria-labelledby={`${id}${index}`}
                value={valueOf(targets[index] ?? 'none')}
                onChange={({ target }) => change({ ...choice, targets: targets.with(index, targetOf(target.value)) })}
              >
                {step.columns
                  .filter(({ kind }) => kind === column.kind)
                  .map((one) => (
                    <option key={one.id} value={valueOf(one)}>
                      {titleOf(one)}
                    </option>
                  ))}
                <option value="new">{tableFile.newColumn}</option>
                <option value="none">{tableFile.leftOut}</option>
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const titleOf = ({ kind, field = '' }: Column) => (kind === 'output' ? `$${field}` : field)

function Modes({ choice, change }: ChoiceProps) {
  const { tableFile } = useTexts()
  return (
    <div className="row" role="radiogroup" aria-label={tableFile.mode}>
      {(['replace', 'add'] as const).map((mode) => (
        <label key={mode} className="row">
          <input type="radio" checked={choice.mode === mode} onChange={() => change({ ...choice, mode })} />
          {tableFile.modes[mode]}
        </label>
      ))}
    </div>
  )
}

function Outcome({ plan: { same, added, removed, results } }: { readonly plan: ImportPlan }) {
  const { tableFile } = useTexts()
  return (
    <p className="note" role="status">
      {tableFile.outcome(added, same, removed)}
      {results.length > 0 && ` ${tableFile.results(results.map(({ code = '' }) => code))}`}
    </p>
  )
}
