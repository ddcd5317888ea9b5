import { useEffect, useState } from 'react'
import { useGet, useSend } from '../api/data.ts'
import { useReleaseEvents } from '../api/release-events.ts'
import type { components } from '../api/schema.ts'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending, Refusal } from '../ui/states.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import { ReleaseDiff } from './release-diff.tsx'
import { useReleaseKeys } from './release-keys.ts'
import { Rollout } from './rollout.tsx'
import { StatusTag } from './releases.tsx'

type Release = components['schemas']['Release']
type Allowed = Release['allowed'][number]
const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
/**
 * A rollback is executed as a separate release, so that the release it reverts gets no events: this one is polled.
 */
const RETRY_DELAY_MS = 2000
const ENDS = [RELEASES, RELEASE, `${RELEASE}/execution`] as const

/** One release: its changes, its approvals, and its rollout. */
export function ReleasePage() {
  const { releases: texts } = useTexts()
  const { oid, pid } = useIds()
  const rid = useParameter('rid')
  const path = { oid, pid, rid }
  const found = useGet(RELEASE, { path })
  const diffs = useGet(`${RELEASE}/diff`, { path })
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
      actions={<Actions release={release} path={path} />}
      hasFixedActions
    >
      {release.description !== '' && <p>{release.description}</p>}
      <Approvals release={release} />
      {release.execution_id !== null && <Rollout path={path} stream={stream} />}
      {diffs.data === undefined ? (
        <Pending of={diffs} />
      ) : (
        diffs.data.diffs.map((diff) => <ReleaseDiff key={diff.environment + diff.ruleset} diff={diff} />)
      )}
    </Page>
  )
}

interface ActionsProps {
  readonly release: Release
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
}

/** A button for each operation that the state permits and the caller may perform. */
function Actions({ release, path }: ActionsProps) {
  const { releases: texts } = useTexts()
  const go = useGo()
  const [asking, setAsking] = useState<'approve' | 'reject' | 'rollback'>()
  const approve = useSend('post', `${RELEASE}/approve`, ENDS)
  const reject = useSend('post', `${RELEASE}/reject`, ENDS)
  const cancel = useSend('post', `${RELEASE}/cancel`, ENDS)
  const execute = useSend('post', `${RELEASE}/execute`, ENDS)
  const pause = useSend('post', `${RELEASE}/pause`, ENDS)
  const resume = useSend('post', `${RELEASE}/resume`, ENDS)
  const promote = useSend('post', `${RELEASE}/promote`, ENDS)
  const abort = useSend('post', `${RELEASE}/abort`, ENDS)
  const rollback = useSend('post', `${RELEASE}/rollback`, ENDS)
  const all = [cancel, execute, pause, resume, promote, abort]
  const acts: Readonly<Record<Allowed, () => void>> = {
    approve: () => setAsking('approve'),
    reject: () => setAsking('reject'),
    rollback: () => setAsking('rollback'),
    cancel: () => cancel.mutate({ path, body: {} }),
    execute: () => execute.mutate({ path, body: {} }),
    pause: () => pause.mutate({ path }),
    resume: () => resume.mutate({ path }),
    promote: () => promote.mutate({ path }),
    abort: () => abort.mutate({ path }),
  }
  useReleaseKeys({
    ...(release.allowed.includes('approve') && { approve: acts.approve }),
    ...(release.allowed.includes('reject') && { reject: acts.reject }),
  })
  const isSending = all.some(({ isPending }) => isPending)
  return (
    <>
      <Refusal error={all.find(({ error }) => error !== null)?.error} />
      {release.allowed.map((action) => (
        <SteadyButton
          key={action}
          className="btn"
          data-kind={KINDS[action]}
          isOff={isSending}
          aria-keyshortcuts={SHORTCUTS[action]}
          onClick={acts[action]}
        >
          {texts.acts[action]}
        </SteadyButton>
      ))}
      {asking !== undefined && (
        <FormBox
          title={texts.acts[asking]}
          close={() => setAsking(undefined)}
          fields={[
            {
              name: 'comment',
              label: asking === 'approve' ? texts.comment : texts.reason,
              kind: 'area',
              isOptional: asking !== 'reject',
            },
          ]}
          submit={texts.acts[asking]}
          kind={asking === 'approve' ? 'primary' : 'bad'}
          send={async (values) => {
            const comment = values.comment
            // Approve exactly the content on the screen: the platform refuses another one.
            if (asking === 'approve')
              await approve.mutateAsync({ path, body: { comment, content_digest: release.content_digest } })
            else if (asking === 'reject') await reject.mutateAsync({ path, body: { reason: comment } })
            else {
              const { id } = await rollback.mutateAsync({ path, body: { reason: comment } })
              go(paths.release(path.oid, path.pid, id))
            }
            setAsking(undefined)
          }}
        />
      )}
    </>
  )
}

const SHORTCUTS: Readonly<Partial<Record<Allowed, string>>> = { approve: 'A', reject: 'R' }

const KINDS: Readonly<Partial<Record<Allowed, string>>> = {
  approve: 'primary',
  execute: 'primary',
  resume: 'primary',
  reject: 'bad',
  rollback: 'bad',
  abort: 'bad',
}

function Approvals({ release: { requirements, reviews, tests } }: { readonly release: Release }) {
  const { releases: texts } = useTexts()
  const time = useTime()
  return (
    <section className="card">
      <header>
        <h2>{texts.approvals}</h2>
        <span className="grow" />
        {tests !== null && (
          <span className="tag" data-tone={tests.failed === 0 ? 'ok' : 'bad'}>
            {texts.tests(tests.passed, tests.total)}
          </span>
        )}
      </header>
      <div className="body stack">
        {requirements.length === 0 && <p className="muted">{texts.noApproval}</p>}
        {requirements.map(({ environment, min_count: count, approved_by: by, satisfied, roles }) => (
          <div key={`${environment} ${roles.join()}`} className="row wrap">
            <span style={{ color: satisfied ? 'var(--ok)' : 'var(--warn)' }}>
              <Icon name={satisfied ? 'ok' : 'alert'} />
            </span>
            <b>{environment ?? texts.breaking}</b>
            <span>{texts.approvedBy(by.length, count)}</span>
            {roles.length > 0 && <code>{roles.join(', ')}</code>}
          </div>
        ))}
        {reviews.map(({ user, decision, comment, at }) => (
          <div key={user + at} className="row wrap">
            <span className="tag" data-tone={decision === 'approved' ? 'ok' : 'bad'}>
              {texts.decisions[decision]}
            </span>
            <span className="muted tnum">{time(at)}</span>
            <span>{comment}</span>
          </div>
        ))}
      </div>
    </section>
  )
}
