import type { DraftRuleset } from '@engine/authoring'
import { Suspense, useMemo, useState } from 'react'
import { useReferences } from '../editor/state/references.ts'
import { useHits, useRecordedInputs } from '../editor/state/seen.ts'
import { useMay } from '../frame/route-scope.ts'
import { lazyPart, LazyModule } from '../ui/lazy-module.ts'
import { Failed, Skeleton } from '../ui/states.tsx'
import { ChangeList } from './change-list.tsx'
import { ChangedTableView } from './changed-table.tsx'
import { changedTables, changesBeside } from './changed-tables.ts'
import { changedPlaces } from './changed-places.ts'
import { useCodeColours } from './code-colours.ts'
import { useComparedDrafts } from './compared-drafts.ts'
import type { ReleaseDiff, ReviewedParts, RulesetAnalysis } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Canvas and grid, loaded when first shown. */
const compared = new LazyModule(() => import('./compared-views.tsx'))
const Compared = lazyPart(compared, ({ ComparedViews }) => ComparedViews)

const VIEWS = ['table', 'flow', 'text'] as const

/** All changes of a release, by ruleset and environment. */
export function Changes({ parts: { diffs, rulesets, analyses } }: { readonly parts: ReviewedParts }) {
  return diffs.map((diff) => (
    <ChangesOfTarget
      key={`${diff.environment} ${diff.ruleset}`}
      diff={diff}
      seq={rulesets.find(({ name }) => name === diff.ruleset)?.from_seq ?? null}
      findings={analyses.find(({ ruleset }) => ruleset === diff.ruleset)?.findings ?? NO_FINDINGS}
    />
  ))
}

interface TargetProps {
  readonly diff: ReleaseDiff
  readonly seq: number | null
  readonly findings: RulesetAnalysis['findings']
}

const NO_FINDINGS: TargetProps['findings'] = []

/** The changes of one ruleset in one environment: as tables and a list, as flows side by side, or as text. */
function ChangesOfTarget({ diff, seq, findings }: TargetProps) {
  const texts = useReviewTexts()
  const [view, show] = useState<(typeof VIEWS)[number]>('table')
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
              disabled={one !== 'table' && hasNoBase}
              onClick={() => show(one)}
            >
              {texts.views[one]}
            </button>
          ))}
        </div>
      </header>
      <div className="body stack">
        {hasNoBase && <p className="muted">{texts.noBase}</p>}
        {view === 'table' && (hasNoBase || error !== null) ? (
          <ChangeList diff={diff} changes={changedPlaces(diff)} before={before} after={after} />
        ) : view === 'table' && before !== undefined && after !== undefined ? (
          <TablesAndOthers {...{ diff, seq, findings, before, after }} />
        ) : view !== 'table' && before !== undefined && after !== undefined ? (
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

interface TablesProps extends TargetProps {
  readonly before: DraftRuleset
  readonly after: DraftRuleset
}

/** The changed tables, each with both versions in one, then the other changes. */
function TablesAndOthers({ diff, seq, findings, before, after }: TablesProps) {
  const texts = useReviewTexts()
  const { ruleset, environment } = diff
  const changes = useMemo(() => changedPlaces(diff), [diff])
  const tables = useMemo(() => changedTables(before, after, changes), [before, after, changes])
  const others = useMemo(() => changesBeside(changes, tables), [changes, tables])
  const colours = useCodeColours(ruleset, seq)
  const mayRead = useMay('audit.read')
  const { surroundings, isKnown } = useReferences(after.config.contract ?? before.config.contract ?? ruleset)
  const isSeen = mayRead && isKnown && tables.length > 0
  const inputs = useRecordedInputs(ruleset, environment, isSeen).data
  const recorded = useMemo(() => inputs && { inputs }, [inputs])
  const hasRemoved = tables.some(({ rows }) => rows.some(({ change }) => change === 'removed'))
  const hits = useHits(isSeen ? after : undefined, surroundings, recorded)
  const earlier = useHits(isSeen && hasRemoved ? before : undefined, surroundings, recorded)
  return (
    <>
      {tables.map((table) => (
        <ChangedTableView
          key={table.path}
          {...{ ruleset, table, findings, colours }}
          drafts={{ before, after }}
          seenOf={
            hits === undefined || (hasRemoved && earlier === undefined)
              ? undefined
              : ({ before: was, after: is }) =>
                  (is === undefined
                    ? earlier?.get(`${table.at.before}/rows/${(was?.number ?? 0) - 1}`)
                    : hits.get(`${table.at.after}/rows/${is.number - 1}`)) ?? 0
          }
        />
      ))}
      {(tables.length === 0 || others.length > 0) && (
        <section className="stack" aria-label={texts.otherChanges}>
          {tables.length > 0 && <h3>{texts.otherChanges}</h3>}
          <ChangeList diff={diff} changes={others} before={before} after={after} />
        </section>
      )}
    </>
  )
}
