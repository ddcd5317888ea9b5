import { useSearch } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useGet } from '../api/data.ts'
import { useTick } from '../first-steps/progress.ts'
import { useAuthorName } from '../frame/author.tsx'
import { Avatar } from '../frame/avatar.tsx'
import { useEnvironments, useIds, useMay, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Approvals } from '../review/approvals.tsx'
import { changedPlaces } from '../review/changed-places.ts'
import { CommentsProvider, useReleaseComments } from '../review/comments.ts'
import { effectText } from '../review/effect-text.ts'
import { effectsOf } from '../review/effects.ts'
import { reviewParts } from '../review/lazy-parts.ts'
import { ReleaseActions } from '../review/release-actions.tsx'
import { ReleaseChecks, useMovedBase } from '../review/release-checks.tsx'
import type { Release, ReleaseDiff, ReviewedParts } from '../review/release-parts.ts'
import { REVIEW_TABS, type ReleaseSearch } from '../review/search.ts'
import { Verdict } from '../review/verdict.tsx'
import '../styles/effects.css'
import '../styles/review.css'
import { useAgo } from '../texts/ago.ts'
import type { ReviewTexts } from '../texts/en/review.ts'
import { useTexts } from '../texts/texts.tsx'
import { EnvironmentTag, weightOf } from '../ui/environment-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { lazyPart } from '../ui/lazy-module.ts'
import { Pending, Skeleton } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useNumberInAddress } from '../releases/address.ts'
import { StatusTag } from '../releases/status-tag.tsx'
import { useReviewTexts } from '../review/review-texts.ts'

const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
/** A rollback is executed as a separate release. The release that it reverts gets no events, and is polled. */
const RETRY_DELAY_MS = 2000

const Behavior = lazyPart(reviewParts.behavior, (module) => module.Behavior)
const Changes = lazyPart(reviewParts.changes, (module) => module.Changes)
const TestsOfRelease = lazyPart(reviewParts.tests, (module) => module.TestsOfRelease)
const ContractOfRelease = lazyPart(reviewParts.contract, (module) => module.ContractOfRelease)
const Discussion = lazyPart(reviewParts.discussion, (module) => module.Discussion)
const Plan = lazyPart(reviewParts.plan, (module) => module.Plan)

/** One release: its effects, its approvals and its rollout. */
export function ReleasePage() {
  const { releases: texts } = useTexts()
  const { oid, pid } = useIds()
  const rid = useParameter('rid')
  const path = { oid, pid, rid }
  const found = useGet(RELEASE, { path })
  const diffs = useGet(`${RELEASE}/diff`, { path })
  const impact = useGet(`${RELEASE}/impact`, { path })
  const { data: release, refetch } = found
  useNumberInAddress(path, release, paths.release)
  const isRollingBack = release?.status === 'rolling_back'
  useEffect(() => {
    if (!isRollingBack) return
    const timer = setInterval(() => void refetch(), RETRY_DELAY_MS)
    return () => clearInterval(timer)
  }, [isRollingBack, refetch])
  if (release === undefined)
    return (
      <Page title={texts.title}>
        <Pending of={found} />
      </Page>
    )
  const parts = diffs.data &&
    impact.data && {
      isRollback: release.kind === 'rollback',
      diffs: diffs.data.diffs,
      impacts: impact.data.impacts,
      analyses: impact.data.analyses,
      tests: release.tests,
      rulesets: release.rulesets,
    }
  return (
    <ReleaseFrame release={release} path={path} parts={parts}>
      {parts === undefined ? (
        <div className="card">
          <Pending of={diffs.error === null ? impact : diffs} lines={9} />
        </div>
      ) : (
        <Review release={release} parts={parts} />
      )}
    </ReleaseFrame>
  )
}

interface FrameProps {
  readonly release: Release
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  readonly parts: ReviewedParts | undefined
  readonly children: React.ReactNode
}

function ReleaseFrame({ release, path, parts, children }: FrameProps) {
  const review = useReviewTexts()
  const [worst] = parts === undefined ? [] : effectsOf(parts)
  const verdict = worst === undefined ? undefined : effectText(worst, review, release.rulesets.length > 1)
  return (
    <Page
      title={release.title}
      mark={<WaitingTag release={release} />}
      text={<Headline release={release} diffs={parts?.diffs ?? []} />}
      actions={
        <ReleaseActions
          release={release}
          path={path}
          verdict={verdict}
          diffs={parts?.diffs ?? []}
          impacts={parts?.impacts ?? []}
        />
      }
      hasFixedActions
    >
      {release.description !== '' && <p className="release-description">{release.description}</p>}
      {parts !== undefined && <MovedBase release={release} parts={parts} />}
      {children}
    </Page>
  )
}

/** The state of a release and, while it waits, the number of missing approvals. */
function WaitingTag({ release: { status, requirements } }: { readonly release: Release }) {
  const texts = useReviewTexts()
  const needed = requirements.reduce((most, { min_count: count }) => Math.max(most, count), 0)
  const given = requirements.reduce((least, { approved_by: by }) => Math.min(least, by.length), needed)
  if (status !== 'pending_approval' || needed === 0) return <StatusTag status={status} />
  return (
    <span className="tag" data-tone="warn">
      <Icon name="history" size={12} />
      {texts.waitsFor(needed - given, needed)}
    </span>
  )
}

/** The requester, the rulesets with their versions, and the environments. */
function Headline({ release, diffs }: { readonly release: Release; readonly diffs: readonly ReleaseDiff[] }) {
  const texts = useReviewTexts()
  const ago = useAgo()
  const name = useAuthorName(release.created_by)
  const known = useEnvironments().data?.items.toSorted((one, other) => one.order - other.order) ?? []
  return (
    <span className="row wrap">
      <Avatar name={name} />
      <span>{texts.asks(release.number, name)}</span>
      {release.rulesets.map(({ name: ruleset, version }) => {
        const base = diffs.find((one) => one.ruleset === ruleset && one.base !== null)?.base?.version
        return (
          <b key={ruleset}>
            {ruleset} {base !== undefined && base !== version && `${base} → `}
            {version ?? texts.takenOut}
          </b>
        )
      })}
      <span>{texts.to}</span>
      {release.environments.map((environment) => (
        <EnvironmentTag key={environment} name={environment} weight={weightOf(environment, known)} />
      ))}
      <span className="muted">{ago(release.created_at)}</span>
    </span>
  )
}

/** Shown if other content went live after the comparison: the release must be requested again. */
function MovedBase({ release, parts }: { readonly release: Release; readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  const moved = useMovedBase(release, parts)
  const mayRequest = useMay('release.create')
  if (moved === undefined) return null
  return (
    <div className="note" data-tone="warn" role="status">
      <Icon name="alert" />
      <div>
        <b>{texts.movedTitle(moved)}</b> {texts.movedText}{' '}
        {mayRequest && (
          <Go to={paths.newRelease(oid, pid)} search={{ again: release.id }}>
            {texts.recreate(moved)}
          </Go>
        )}
      </div>
    </div>
  )
}

function Review({ release, parts }: { readonly release: Release; readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  useTick('review', true)
  const search: ReleaseSearch = useSearch({ strict: false })
  const hasBehavior = parts.impacts.length > 0
  const tab = search.tab ?? (hasBehavior ? 'behavior' : 'changes')
  const to = paths.release(oid, pid, release.number)
  const comments = useReleaseComments({ oid, pid, rid: release.id })
  const open = comments.list.items?.filter(({ settled }) => !settled).length ?? 0
  return (
    <CommentsProvider value={comments}>
      <Verdict parts={parts} />
      <Tabs
        label={texts.parts}
        tabs={REVIEW_TABS.map((one) => ({
          to,
          search: { tab: one },
          label: texts.tabs[one],
          isOpen: one === tab,
          ...countOf(one, parts, open, texts),
        }))}
      />
      <div className="review">
        <div className="review-main">
          <Suspense fallback={<Skeleton lines={9} />}>
            {tab === 'behavior' && <Behavior parts={parts} />}
            {tab === 'changes' && <Changes parts={parts} />}
            {tab === 'tests' && <TestsOfRelease parts={parts} />}
            {tab === 'contract' && <ContractOfRelease parts={parts} />}
            {tab === 'plan' && <Plan release={release} parts={parts} />}
            {tab === 'discussion' && <Discussion parts={parts} />}
          </Suspense>
        </div>
        <aside className="review-side" aria-label={texts.decision}>
          <Approvals release={release} />
          <ReleaseChecks release={release} parts={parts} />
          <p className="muted content-only">
            {texts.contentOnly} <code>{release.content_digest.slice(0, 8)}</code>
          </p>
        </aside>
      </div>
    </CommentsProvider>
  )
}

/** The count on a tab, with its label. */
function countOf(tab: (typeof REVIEW_TABS)[number], parts: ReviewedParts, open: number, texts: ReviewTexts) {
  if (tab === 'discussion' && open > 0) return { count: open, note: texts.openComments(open), tone: 'accent' } as const
  if (tab === 'changes') {
    const changes = parts.diffs.reduce((sum, diff) => sum + changedPlaces(diff).length, 0)
    return { count: changes, note: texts.changeCount(changes), tone: 'plain' } as const
  }
  if (tab === 'tests' && parts.tests !== null && parts.tests.total > 0) {
    const { failed, total } = parts.tests
    return failed === 0
      ? ({ count: total, note: texts.figures.pass, tone: 'ok' } as const)
      : ({ count: failed, note: texts.figures.fail(failed), tone: 'bad' } as const)
  }
  return {}
}
