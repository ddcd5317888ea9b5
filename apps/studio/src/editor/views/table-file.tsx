import type { DraftRuleset, TableStep } from '@engine/authoring'
import { Suspense, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { tableCsv } from '../../table-editor/csv.ts'
import { withImport } from '../../table-editor/import-plan.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { download } from '../../ui/download.ts'
import type { Apply } from '../state/editing.ts'
import { ImportBox } from './lazy-import.ts'

interface TableFileProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly apply: Apply | undefined
}

/** Spreadsheet import into the open table, and export. */
export function TableFile({ draft, step, apply }: TableFileProps) {
  const { tableFile } = useTexts()
  const [isImporting, setImporting] = useState(false)
  const [said, setSaid] = useState('')
  const acts = {
    import: () => setImporting(true),
    copy: () => void navigator.clipboard.writeText(tableCsv(step)).then(() => setSaid(tableFile.copied)),
    save: () => download(`${step.name ?? step.id}.csv`, 'text/csv', tableCsv(step)),
  }
  return (
    <>
      <MenuTrigger>
        <Button className="btn" data-kind="quiet">
          <Icon name="table" size={14} />
          {tableFile.menu}
        </Button>
        <Popover className="menu" placement="bottom end">
          <Menu aria-label={tableFile.menu} onAction={(name) => acts[name as keyof typeof acts]()}>
            {apply !== undefined && <MenuItem id="import">{tableFile.import}</MenuItem>}
            {/* Scripts have no clipboard on pages without a certificate. */}
            {window.isSecureContext && <MenuItem id="copy">{tableFile.copy}</MenuItem>}
            <MenuItem id="save">{tableFile.save}</MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      <span className="muted" role="status">
        {said}
      </span>
      {isImporting && apply !== undefined && (
        <Suspense>
          <ImportBox
            graph={draft}
            step={step}
            close={() => setImporting(false)}
            apply={(plan) => {
              apply(tableFile.title(step.name ?? step.id), (old) => withImport(old, plan))
              setImporting(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
