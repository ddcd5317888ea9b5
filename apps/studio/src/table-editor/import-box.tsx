import type { TableStep } from '@engine/authoring'
import { useState } from 'react'
import { errorOf } from '../api/errors.ts'
import { ask } from '../language/language.ts'
import type { ReadSheets, SheetTable } from '../language/tasks.ts'
import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { Refusal } from '../ui/states.tsx'
import { PasteForm } from './paste-form.tsx'
import type { PastePlan } from './paste-plan.ts'
import type { PastePlace } from './paste.ts'

interface ImportBoxProps {
  readonly step: TableStep
  readonly isField: (word: string) => boolean
  readonly apply: (plan: PastePlan, place: PastePlace) => void
  readonly close: () => void
}

/** Imports a spreadsheet file into the open table, in the same way as pasted cells. */
export function ImportBox({ step, isField, apply, close }: ImportBoxProps) {
  const { tableFile, paste, common } = useTexts()
  const [read, setRead] = useState<ReadSheets>()
  const [sheet, choose] = useState<SheetTable>()
  const [error, setError] = useState<Error | null>(null)
  const open = async (file: File) => {
    setError(null)
    try {
      const format = /\.xlsx$/i.test(file.name) ? 'xlsx' : 'csv'
      const found = await ask('sheets', { bytes: await file.arrayBuffer(), format })
      const [reason] = found.lost
      if (reason !== undefined) throw new Error(reason.message)
      if (found.tables.length === 0) throw new Error(paste.noRows)
      setRead(found)
      choose(found.tables[0])
    } catch (thrown) {
      setRead(undefined)
      choose(undefined)
      setError(errorOf(thrown))
    }
  }
  return (
    <Box title={tableFile.title(step.name ?? step.id)} isWide close={close}>
      <label className="field">
        <span className="label">{tableFile.file}</span>
        <input
          className="input"
          type="file"
          accept=".csv,.tsv,.txt,.xlsx"
          onChange={({ target: { files } }) => files?.[0] !== undefined && void open(files[0])}
        />
        {sheet === undefined && <span className="hint">{tableFile.hint}</span>}
      </label>
      <Refusal error={error} />
      {read !== undefined && read.tables.length > 1 && sheet !== undefined && (
        <label className="field">
          <span className="label">{tableFile.sheet}</span>
          <select
            className="input"
            value={read.tables.indexOf(sheet)}
            onChange={({ target }) => choose(read.tables[Number(target.value)])}
          >
            {read.tables.map(({ name, cells }, index) => (
              <option key={index} value={index}>
                {name} ({tableFile.rows(cells.length)})
              </option>
            ))}
          </select>
        </label>
      )}
      {sheet === undefined ? (
        <footer>
          <button type="button" className="btn" onClick={close}>
            {common.cancel}
          </button>
        </footer>
      ) : (
        <PasteForm
          key={read?.tables.indexOf(sheet)}
          step={step}
          cells={sheet.cells}
          lost={sheet.lost}
          at={undefined}
          isField={isField}
          apply={apply}
          close={close}
        />
      )}
    </Box>
  )
}
