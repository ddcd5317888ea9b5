import { Suspense, useMemo, useState } from 'react'
import { lazyPart, LazyModule } from '../ui/lazy-module.ts'
import { Failed, Skeleton } from '../ui/states.tsx'
import { ChangeList } from './change-list.tsx'
import { useComparedDrafts } from './compared-drafts.ts'
import type { ReleaseDiff, ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Canvas and grid are loaded when a change is shown in them. */
const compared = new LazyModule(() => import('./compared-views.tsx'))
const Compared = lazyPart(compared, ({ ComparedViews }) => ComparedViews)

const VIEWS = ['list', 'table', 'flow', 'text'] as const

/** All changes of a release: each ruleset in each environment. */
export function Changes({ parts: { diffs, rulesets } }: { readonly parts: ReviewedParts }) {
  return diffs.map((diff) => (
    <ChangesOfTarget
      key={`${diff.environment} ${diff.ruleset}`}
      diff={diff}
      seq={rulesets.find(({ name }) => name === diff.ruleset)?.from_seq ?? null}
    />
  ))
}

/** The changes of one ruleset in one environment, as a list, side by side, or as text. */
function ChangesOfTarget({ diff, seq }: { readonly diff: ReleaseDiff; readonly seq: number | null }) {
  const texts = useReviewTexts()
  const [view, show] = useState<(typeof VIEWS)[number]>('list')
  const drafts = useComparedDrafts(diff, seq)
  const { ruleset, environment, base } = diff
  const { before, after, hasNoBase, error, refetch } = drafts
  const names = useMemo(
    () =>
      [
        base === null ? texts.nothing : texts.live(base.version),
        after === undefined || after.steps.length === 0 ? texts.nothing : texts.next(after.config.version ?? ''),
      ] as const,
    [base, after, texts],
  )
  return (
    <section className="card changes" aria-label={texts.place(ruleset, environment)}>
      <header>
        <h2>{ruleset}</h2>
        <span className="tag">{environment}</span>
        <span className="muted">{base === null ? texts.notLive : texts.against(base.version)}</span>
        <span className="grow" />
        <div className="seg" role="group" aria-label={texts.view}>
          {VIEWS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={view === one}
              disabled={one !== 'list' && hasNoBase}
              onClick={() => show(one)}
            >
              {texts.views[one]}
            </button>
          ))}
        </div>
      </header>
      <div className="body stack">
        {hasNoBase && <p className="muted">{texts.noBase}</p>}
        {view === 'list' ? (
          <ChangeList diff={diff} before={before} after={after} />
        ) : before !== undefined && after !== undefined ? (
          <Suspense fallback={<Skeleton lines={9} />}>
            <Compared view={view} before={before} after={after} names={names} />
          </Suspense>
        ) : error === null ? (
          <Skeleton lines={9} />
        ) : (
          <Failed error={error} retry={refetch} />
        )}
      </div>
    </section>
  )
}
