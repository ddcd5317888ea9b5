import type { Column } from '@engine/authoring'
import { cellParts } from '../table-editor/cell-display.ts'
import { declaredType } from '../table-editor/cell-type.ts'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'

/** A cell in words if possible, otherwise as code. */
export function CellText({ cell, column }: { readonly cell: string; readonly column: Column }) {
  const { cellForms } = useTexts()
  const parts = cellParts(cell, { kind: column.kind, type: declaredType(column) }, cellForms)
  return parts === undefined || parts.length === 0 ? <Expression text={cell} /> : parts.map(({ text }) => text).join('')
}
