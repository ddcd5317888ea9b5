import type { DraftRuleset } from '@engine/authoring'
import { place } from '../problem-text/pointer-text.ts'
import { ChangedValue, PartContent } from '../save-diff/changed-value.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { CHANGE } from './change-keys.ts'
import { CommentThread } from './comment-thread.tsx'
import type { ChangedPlace } from './changed-places.ts'
import type { ReleaseDiff } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

interface ChangeListProps {
  readonly diff: ReleaseDiff
  /** The listed changes. */
  readonly changes: readonly ChangedPlace[]
  /** The drafts of both sides; if undefined, places are shown as JSON pointers. */
  readonly before?: DraftRuleset | undefined
  readonly after?: DraftRuleset | undefined
}

/** The changes of one ruleset in one environment, with the values before and after side by side. */
export function ChangeList({ diff, changes, before, after }: ChangeListProps) {
  const texts = useReviewTexts()
  return (
    <div className="stack">
      {diff.removed && (
        <p className={CHANGE} tabIndex={-1}>
          {texts.removedHere}
        </p>
      )}
      {changes.length === 0 && !diff.removed && <p className="muted">{texts.same}</p>}
      {changes.map((change) => (
        <ChangeItem
          key={`${change.path} ${change.change}`}
          ruleset={diff.ruleset}
          change={change}
          draft={change.change === 'removed' ? before : after}
        />
      ))}
    </div>
  )
}

const ICONS = { added: 'plus', removed: 'minus', changed: 'onward', moved: 'onward' } as const
const TONES = { added: 'ok', removed: 'bad', changed: 'warn', moved: 'warn' } as const

function ChangeItem({
  ruleset,
  change: one,
  draft,
}: {
  readonly ruleset: string
  readonly change: ChangedPlace
  readonly draft: DraftRuleset | undefined
}) {
  const { places } = useTexts()
  const texts = useReviewTexts()
  const { path, change, part, before, after } = one
  return (
    <article className={`change-item ${CHANGE}`} tabIndex={-1} data-change={change}>
      <h3 className="row wrap">
        <span className="tag" data-tone={TONES[change]}>
          <Icon name={ICONS[change]} size={12} />
          {texts.changes[change]}
        </span>
        {draft === undefined ? <code>{path}</code> : place(path, draft, places)}
      </h3>
      {part === undefined ? (
        <ChangedValue path={path} before={before} after={after} draft={draft} absent={texts.absent} />
      ) : (
        draft !== undefined && <PartContent path={path} draft={draft} />
      )}
      <CommentThread
        target={{ ruleset, place: path }}
        label={draft === undefined ? path : place(path, draft, places)}
      />
    </article>
  )
}
