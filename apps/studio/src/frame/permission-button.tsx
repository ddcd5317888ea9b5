import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Action, useMay } from './route-scope.ts'

/** A button that is disabled, with the reason, for users without a permission. */
export function PermissionButton({
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

/** The primary action of a page, which creates an object. */
export function MakeButton({
  right,
  label,
  run,
}: {
  readonly right: Action
  readonly label: string
  readonly run: () => void
}) {
  return (
    <PermissionButton right={right} kind="primary" run={run}>
      <Icon name="plus" />
      {label}
    </PermissionButton>
  )
}
