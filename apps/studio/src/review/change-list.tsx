import type { Column, DraftRuleset } from '@engine/authoring'
import { keysOfPointer } from '@engine/expression'
import { ConditionText } from '../conditions/words.tsx'
import { place } from '../problem-text/pointer-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { ChangeSides } from '../ui/change-sides.tsx'
import { Icon } from '../ui/icon.tsx'
import { CellText } from './cell-text.tsx'
import { CHANGE } from './change-keys.ts'
import { CommentThread } from './comment-thread.tsx'
import type { ChangedPlace } from './changed-places.ts'
import type { ReleaseDiff } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

interface ChangeListProps {
  readonly diff: ReleaseDiff
  /** The changes that are listed. */
  readonly changes: readonly ChangedPlace[]
  /** The drafts of both sides; undefined: places keep their pointers. */
  readonly before?: DraftRuleset | undefined
  readonly after?: DraftRuleset | undefined
}

/** The changes of one ruleset in one environment by place, before and after side by side. */
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

interface ChangedValueProps {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  readonly draft: DraftRuleset | undefined
  readonly absent: string
}

/** A value before and after; cells in words, as in the table. */
function ChangedValue({ path, before, after, draft, absent }: ChangedValueProps) {
  const column = draft && columnAt(path, draft)
  if (column === undefined) return <ChangeSides path={path} before={before} after={after} absent={absent} />
  return (
    <div className="sides" data-two="">
      {[before, after].map((cell, index) => (
        <div key={index} className={index === 1 ? 'changed' : undefined}>
          {typeof cell === 'string' ? <CellText cell={cell} column={column} /> : <i className="muted">{absent}</i>}
        </div>
      ))}
    </div>
  )
}

/** The column of a cell of the ruleset's own steps. */
function columnAt(path: string, { steps }: DraftRuleset): Column | undefined {
  const [, stepId, list, , part, id] = keysOfPointer(path)
  const step = list === 'rows' && part === 'cells' ? steps.find((one) => one.id === stepId) : undefined
  return step?.type === 'table' ? step.columns.find((one) => one.id === id) : undefined
}

/** The condition of a branch, or the cells of a row. */
function PartContent({ path, draft }: { readonly path: string; readonly draft: DraftRuleset }) {
  const [first, ...rest] = keysOfPointer(path)
  const [graph, [, stepId, list, id]] =
    first === 'subRules' ? [draft.subRules?.[rest[0] ?? ''], rest.slice(1)] : [draft, [first, ...rest]]
  const step = graph?.steps.find((one) => one.id === stepId)
  if (step?.type === 'decision' && list === 'branches') {
    const branch = step.branches.find((one) => one.id === id)
    return branch === undefined ? null : (
      <p>
        <ConditionText text={branch.condition ?? 'true'} />
      </p>
    )
  }
  if (step?.type !== 'table' || list !== 'rows') return null
  const row = step.rows.find((one) => one.id === id)
  return (
    <dl className="example-fields">
      {step.columns.map((column) => {
        const cell = row?.cells[column.id] ?? ''
        return cell === '' ? null : (
          <div key={column.id}>
            <dt>{column.label ?? column.field}</dt>
            <dd>
              <CellText cell={cell} column={column} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
