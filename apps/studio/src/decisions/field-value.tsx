import type { Value } from '@engine/expression'
import { useTexts } from '../texts/texts.tsx'
import { MASK, shownValue } from './decision-fields.ts'
import { useDecisionTexts } from './decision-texts.ts'

interface FieldValueProps {
  readonly value: Value | undefined
  /** Characters after which it is cut. */
  readonly most?: number
}

/** A recorded value for reading: booleans in words, masked ones as such. Nothing for a field that is not there. */
export function FieldValue({ value, most = Number.POSITIVE_INFINITY }: FieldValueProps) {
  const { cellForms } = useTexts()
  const { masked } = useDecisionTexts()
  if (value === MASK) return <span className="muted">{masked}</span>
  if (typeof value === 'boolean') return value ? cellForms.yes : cellForms.no
  const text = shownValue(value)
  return text.length <= most ? text : <span title={text}>{`${text.slice(0, most - 1)}…`}</span>
}
