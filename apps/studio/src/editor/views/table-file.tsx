import type { DraftRuleset, TableStep } from '@engine/authoring'
import { Suspense, useState } from 'react'
import { tableCsv } from '../../table-editor/csv.ts'
import { withPaste, withPasted } from '../../table-editor/paste.ts'
import { useTexts } from '../../texts/texts.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import { download } from '../../ui/download.ts'
import type { Apply } from '../state/editing.ts'
import { ImportBox } from './lazy-import.ts'

interface TableFileProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly apply: Apply | undefined
  readonly isField: (word: string) => boolean
}

/** Spreadsheet import into the open table, and export. */
export function TableFile({ draft, step, apply, isField }: TableFileProps) {
  const { tableFile } = useTexts()
  const [isImporting, setImporting] = useState(false)
  const [said, setSaid] = useState('')
  const items = [
    ...(apply === undefined ? [] : [{ id: 'import', label: tableFile.import, run: () => setImporting(true) }]),
    {
      id: 'copy',
      label: tableFile.copy,
      run: () =>
        void copyText(tableCsv(step)).then((isCopied) => setSaid(isCopied ? tableFile.copied : tableFile.notCopied)),
    },
    {
      id: 'save',
      label: tableFile.save,
      run: () => download(`${step.name ?? step.id}.csv`, 'text/csv', tableCsv(step)),
    },
  ]
  return (
    <>
      <MenuButton
        className="btn"
        kind="quiet"
        label={tableFile.menu}
        isNamedByContent
        placement="bottom end"
        button={
          <>
            <Icon name="table" size={14} />
            {tableFile.menu}
          </>
        }
        groups={[{ title: '', items }]}
      />
      <span className="muted" role="status">
        {said}
      </span>
      {isImporting && apply !== undefined && (
        <Suspense>
          <ImportBox
            step={step}
            isField={isField}
            close={() => setImporting(false)}
            apply={(plan, place) => {
              const pasted = withPaste(draft, step, plan, place)
              apply(tableFile.title(step.name ?? step.id), (old) => withPasted(old, pasted))
              setImporting(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
