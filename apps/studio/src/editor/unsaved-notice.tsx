import type { LocalWork } from '../session/local-work.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

/** Offers unsaved work of an earlier visit. */
export function UnsavedNotice({
  work,
  restore,
  discard,
}: {
  readonly work: LocalWork
  readonly restore: () => void
  readonly discard: () => void
}) {
  const { editor } = useTexts()
  const time = useTime()
  return (
    <div className="note" data-tone="warn" role="status">
      <Icon name="history" />
      <span className="grow">{editor.left(time(new Date(work.at).toISOString()), work.seq)}</span>
      <button type="button" className="btn" onClick={restore}>
        {editor.restore}
      </button>
      <button type="button" className="btn" onClick={discard}>
        {editor.discard}
      </button>
    </div>
  )
}
