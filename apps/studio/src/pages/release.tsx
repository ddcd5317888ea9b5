import { useSearch } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useGet } from '../api/data.ts'
import { useReleaseEvents } from '../api/release-events.ts'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Approvals } from '../review/approvals.tsx'
import { CommentsProvider, useReleaseComments } from '../review/comments.ts'
import { effectText } from '../review/effect-text.ts'
import { effectsOf } from '../review/effects.ts'
import { reviewParts } from '../review/lazy-parts.ts'
import { ReleaseActions } from '../review/release-actions.tsx'
import type { Release, ReviewedParts } from '../review/release-parts.ts'
import { REVIEW_TABS, type ReleaseSearch } from '../review/search.ts'
import { Verdict } from '../review/verdict.tsx'
import '../styles/effects.css'
import '../styles/review.css'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'
import { lazyPart } from '../ui/lazy-module.ts'
import { Pending, Skeleton } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Rollout } from './rollout.tsx'
import { StatusTag } from './releases.tsx'
import { useReviewTexts } from '../review/review-texts.ts'

const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
/**
 * A rollback is executed as a separate release, so that the release it reverts gets no events: this one is polled.
 */
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
  const executionId = found.data?.execution_id ?? null
  const execution = useGet(`${RELEASE}/execution`, { path }, { enabled: executionId !== null }).data
  const hasEnded = execution !== undefined && execution.status !== 'running' && execution.status !== 'paused'
  const stream = useReleaseEvents(path, executionId, hasEnded)
  const { data: release, refetch } = found
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
      diffs: diffs.data.diffs,
      impacts: impact.data.impacts,
      analyses: impact.data.analyses,
      tests: release.tests,
      rulesets: release.rulesets,
    }
  return (
    <ReleaseFrame release={release} path={path} parts={parts}>
      {release.execution_id !== null && <Rollout path={path} stream={stream} />}
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
  const { releases: texts } = useTexts()
  const review = useReviewTexts()
  const [worst] = parts === undefined ? [] : effectsOf(parts)
  const verdict = worst === undefined ? undefined : effectText(worst, review, release.rulesets.length > 1)
  return (
    <Page
      title={release.title}
      text={
        <>
          {texts.line(
            release.number,
            release.rulesets.map(({ name, version }) => `${name} ${version ?? ''}`).join(', '),
            release.environments.join(', '),
          )}{' '}
          <StatusTag status={release.status} />
        </>
      }
      actions={<ReleaseActions release={release} path={path} verdict={verdict} />}
      hasFixedActions
    >
      {release.description !== '' && <p>{release.description}</p>}
      {children}
    </Page>
  )
}

function Review({ release, parts }: { readonly release: Release; readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  const search: ReleaseSearch = useSearch({ strict: false })
  const hasBehavior = parts.impacts.length > 0
  const tab = search.tab ?? (hasBehavior ? 'behavior' : 'changes')
  const to = paths.release(oid, pid, release.id)
  const comments = useReleaseComments({ oid, pid, rid: release.id })
  const open = comments.list.items?.filter(({ settled }) => !settled).length ?? 0
  return (
    <CommentsProvider value={comments}>
      <Verdict parts={parts} requirements={release.requirements} />
      <div className="review">
        <div className="review-main">
          <Tabs
            label={texts.parts}
            tabs={REVIEW_TABS.map((one) => ({
              to,
              search: { tab: one },
              label: texts.tabs[one],
              isOpen: one === tab,
              ...(one === 'discussion' && open > 0 && { count: open, note: texts.openComments(open) }),
            }))}
          />
          <Suspense fallback={<Skeleton lines={9} />}>
            {tab === 'behavior' && <Behavior parts={parts} />}
            {tab === 'changes' && <Changes parts={parts} />}
            {tab === 'tests' && <TestsOfRelease parts={parts} />}
            {tab === 'contract' && <ContractOfRelease parts={parts} />}
            {tab === 'plan' && <Plan release={release} />}
            {tab === 'discussion' && <Discussion parts={parts} />}
          </Suspense>
        </div>
        <aside className="review-side" aria-label={texts.approvals}>
          <Approvals release={release} />
        </aside>
      </div>
    </CommentsProvider>
  )
}
