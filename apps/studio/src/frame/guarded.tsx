import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { type Action, useMay } from './place.ts'

/** A button for who has a right; others see it disabled, and why. */
export function Guarded({
  right,
  kind,
  run,
  children,
}: {
  readonly right: Action
  readonly kind?: string
  readonly run: () => void
  readonly children: ReactNode
}) {
  const { errors } = useTexts()
  const may = useMay(right)
  return (
    <button
      type="button"
      className="btn"
      data-kind={kind}
      disabled={!may}
      title={may ? undefined : errors.needs(right)}
      onClick={run}
    >
      {children}
    </button>
  )
}
