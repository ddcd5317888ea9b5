import type { components } from '../api/schema.ts'
import { useTexts } from '../texts/texts.tsx'

type Status = components['schemas']['Release']['status']

const TONES: Readonly<Record<Status, string>> = {
  pending_approval: 'warn',
  approved: 'accent',
  rejected: 'bad',
  cancelled: '',
  executing: 'accent',
  paused: 'warn',
  completed: 'ok',
  failed: 'bad',
  rolling_back: 'warn',
  rolled_back: 'warn',
  rollback_failed: 'bad',
}

/** The states of releases: first those of a successful release, in order, then the others. */
export const STATUSES = [
  'pending_approval',
  'approved',
  'executing',
  'paused',
  'completed',
  'failed',
  'rolling_back',
  'rolled_back',
  'rollback_failed',
  'rejected',
  'cancelled',
] as const satisfies readonly Status[]

/** The state of a release, by colour and word. */
export function StatusTag({ status }: { readonly status: Status }) {
  const { releases: texts } = useTexts()
  return (
    <span className="tag" data-tone={TONES[status]}>
      {texts.statuses[status]}
    </span>
  )
}
