import { useState } from 'react'
import { useSend } from '../api/data.ts'
import { ApiError } from '../api/errors.ts'
import { useEnvironments, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { useReleaseKeys } from './change-keys.ts'
import { ChangeTicks } from './change-ticks.tsx'
import { expectableChanges, expectedOf, type Ticked, tickedOf } from './expected-changes.ts'
import type { Release, ReleaseDiff, TargetImpact } from './release-parts.ts'
import { approvalOf, executionOf, lastProtected } from './release-requests.ts'
import { useReviewTexts } from './review-texts.ts'
import { RollBackButton } from './roll-back.tsx'

/** The operations on a release; those on its execution are shown with its progress. */
const OPERATIONS = ['approve', 'reject', 'cancel', 'execute'] as const
type Operation = (typeof OPERATIONS)[number]

const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
const ENDS = [RELEASES, RELEASE, `${RELEASE}/execution`] as const

interface ActionsProps {
  readonly release: Release
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  /** The worst effect in one sentence, repeated in the approval dialog. */
  readonly verdict: string | undefined
  readonly diffs: readonly ReleaseDiff[]
  readonly impacts: readonly TargetImpact[]
}

const SHORTCUTS: Readonly<Partial<Record<Operation, string>>> = { approve: 'A', reject: 'R' }

const KINDS: Readonly<Partial<Record<Operation, string>>> = {
  approve: 'primary',
  execute: 'primary',
  reject: 'bad',
}

/** States after which a new release can request the same content again. */
const ENDED: ReadonlySet<Release['status']> = new Set(['rejected', 'cancelled', 'failed', 'rolled_back'])

/** States in which a rollout is running or paused. */
const UNDER_WAY: ReadonlySet<Release['status']> = new Set(['executing', 'paused', 'rolling_back'])

/** A button for each operation that the state allows and the user may perform. */
export function ReleaseActions({ release, path, verdict, diffs, impacts }: ActionsProps) {
  const { releases: texts } = useTexts()
  const review = useReviewTexts()
  const mayRequest = useMay('release.create')
  const [open, setOpen] = useState<Operation>()
  useReleaseKeys({
    ...(release.allowed.includes('approve') && { approve: () => setOpen('approve') }),
    ...(release.allowed.includes('reject') && { reject: () => setOpen('reject') }),
  })
  const environments = release.environments.join(', ')
  const close = () => setOpen(undefined)
  return (
    <>
      {mayRequest && ENDED.has(release.status) && release.kind === 'release' && (
        <Go to={paths.newRelease(path.oid, path.pid)} search={{ again: path.rid }} className="btn">
          {review.again}
        </Go>
      )}
      {release.execution_id !== null && (
        <Go to={paths.rollout(path.oid, path.pid, path.rid)} className="btn" data-kind="primary">
          <Icon name="rocket" />
          {UNDER_WAY.has(release.status) ? review.watch : review.report}
        </Go>
      )}
      {release.allowed.includes('rollback') && <RollBackButton release={release} path={path} diffs={diffs} />}
      {OPERATIONS.filter((one) => release.allowed.includes(one)).map((action) => (
        <button
          key={action}
          type="button"
          className="btn"
          data-kind={KINDS[action]}
          aria-keyshortcuts={SHORTCUTS[action]}
          onClick={() => setOpen(action)}
        >
          {action === 'approve' && <Icon name="check" />}
          {action === 'execute' ? review.execute(environments) : texts.acts[action]}
          {SHORTCUTS[action] !== undefined && <kbd aria-hidden="true">{SHORTCUTS[action]}</kbd>}
        </button>
      ))}
      {open === 'approve' && <Approve release={release} path={path} verdict={verdict} close={close} />}
      {open === 'reject' && <Reject release={release} path={path} close={close} />}
      {open === 'cancel' && <Withdraw release={release} path={path} close={close} />}
      {open === 'execute' && (
        <Execute release={release} path={path} verdict={verdict} impacts={impacts} close={close} />
      )}
    </>
  )
}

interface DialogProps extends Omit<ActionsProps, 'verdict' | 'diffs' | 'impacts'> {
  readonly close: () => void
}

function Approve({ release, path, verdict, close }: DialogProps & Pick<ActionsProps, 'verdict'>) {
  const review = useReviewTexts()
  const approve = useSend('post', `${RELEASE}/approve`, ENDS)
  const { content_digest: digest } = release
  return (
    <FormBox
      title={review.approveTitle(release.number)}
      close={close}
      fields={[{ name: 'comment', label: review.comment, kind: 'area', isOptional: true }]}
      submit={review.approve}
      send={async ({ comment }) => {
        await approve.mutateAsync({ path, body: approvalOf(release, comment) })
        close()
      }}
    >
      {verdict !== undefined && <p>{verdict}</p>}
      <p className="muted">{review.approveText(digest.slice(0, 8))}</p>
    </FormBox>
  )
}

function Reject({ release, path, close }: DialogProps) {
  const review = useReviewTexts()
  const reject = useSend('post', `${RELEASE}/reject`, ENDS)
  return (
    <FormBox
      title={review.rejectTitle(release.number)}
      close={close}
      fields={[{ name: 'reason', label: review.reason, kind: 'area' }]}
      submit={review.reject}
      kind="bad"
      send={async ({ reason }) => {
        await reject.mutateAsync({ path, body: { reason } })
        close()
      }}
    >
      <p className="muted">{review.rejectText}</p>
    </FormBox>
  )
}

function Withdraw({ release, path, close }: DialogProps) {
  const review = useReviewTexts()
  const cancel = useSend('post', `${RELEASE}/cancel`, ENDS)
  return (
    <FormBox
      title={review.withdrawTitle(release.number)}
      close={close}
      fields={[]}
      submit={review.withdraw}
      kind="bad"
      send={async () => {
        await cancel.mutateAsync({ path, body: {} })
        close()
      }}
    >
      <p>{review.withdrawText}</p>
    </FormBox>
  )
}

/**
 * Starts the rollout. If it ends in an environment that requires releases, the user must type its name; in a freeze
 * window a reason is required. For a canary, the user selects the changes of results that should not hold it.
 */
function Execute({ release, path, verdict, impacts, close }: DialogProps & Pick<ActionsProps, 'verdict' | 'impacts'>) {
  const review = useReviewTexts()
  const go = useGo()
  const execute = useSend('post', `${RELEASE}/execute`, ENDS)
  const known = useEnvironments().data?.items ?? []
  const last = lastProtected(known, release.environments)
  const [isFrozen, setFrozen] = useState(false)
  const hasCanary = known.some(({ name, canary }) => release.environments.includes(name) && canary.stages.length > 0)
  const changes = hasCanary ? expectableChanges(impacts) : []
  const [touched, setTouched] = useState<Readonly<Record<number, Ticked>>>({})
  const ticked = tickedOf(changes, touched)
  const environments = release.environments.join(', ')
  return (
    <FormBox
      title={review.executeTitle(release.number, environments)}
      close={close}
      fields={[
        ...(last === undefined
          ? []
          : [{ name: 'environment', label: review.confirmName(last), hint: review.confirmHint } as const]),
        ...(isFrozen
          ? [{ name: 'emergency_reason', label: review.emergency, hint: review.emergencyHint, kind: 'area' } as const]
          : []),
      ]}
      submit={review.execute(environments)}
      send={async (values: Readonly<Record<string, string>>) => {
        if (last !== undefined && values['environment'] !== last) throw wrongName(review.wrongName(last))
        const reason = values['emergency_reason'] ?? ''
        try {
          await execute.mutateAsync({ path, body: executionOf(reason, expectedOf(changes, ticked)) })
        } catch (error) {
          if (error instanceof ApiError && error.reason === 'frozen') setFrozen(true)
          throw error
        }
        close()
        go(paths.rollout(path.oid, path.pid, path.rid))
      }}
    >
      {verdict !== undefined && <p>{verdict}</p>}
      {changes.length > 0 && (
        <ChangeTicks
          changes={changes}
          ticked={ticked}
          change={(index, one) => setTouched((old) => ({ ...old, [index]: one }))}
        />
      )}
    </FormBox>
  )
}

/** Shown at the field, like an error of the platform. */
const wrongName = (message: string) =>
  new ApiError(400, { error: message, details: [{ path: '/environment', message }] }, null)
