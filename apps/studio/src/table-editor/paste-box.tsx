import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { PasteForm, type PasteFormProps } from './paste-form.tsx'

/** The assistant for pasted cells. */
export function PasteBox(props: Omit<PasteFormProps, 'count'>) {
  const { paste } = useTexts()
  const { cells, close } = props
  const [rows, count] = useState(cells.length)
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0)
  return (
    <Box title={paste.title(rows, width)} isWide close={close}>
      <p className="muted">{paste.intro}</p>
      <PasteForm {...props} count={count} />
    </Box>
  )
}
