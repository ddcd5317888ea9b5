import type { Value } from '@engine/expression'
import { useTexts } from '../texts/texts.tsx'
import { MASK, shownValue } from './decision-fields.ts'
import { useDecisionTexts } from './decision-texts.ts'

interface FieldValueProps {
  readonly value: Value | undefined
  /** Maximum number of displayed characters. */
  readonly most?: number
}

/**
 * A recorded value for display: booleans in words, masked values marked as masked. Renders nothing for an absent field.
 */
export function FieldValue({ value, most = Number.POSITIVE_INFINITY }: FieldValueProps) {
  const { cellForms } = useTexts()
  const { masked } = useDecisionTexts()
  if (value === MASK) return <span className="muted">{masked}</span>
  if (typeof value === 'boolean') return value ? cellForms.yes : cellForms.no
  const text = shownValue(value)
  return text.length <= most ? text : <span title={text}>{`${text.slice(0, most - 1)}…`}</span>
}
