import { useState } from 'react'
import { useGet, useSend } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import type { Release, ReleaseDiff } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'
const RELEASE = `${RELEASES}/{rid}` as const
const ENDS = [RELEASES, RELEASE, `${RELEASE}/execution`] as const

/** The release whose content was live before; undefined if there was none, or if it went live without a release. */
export function useEarlierRelease(diffs: readonly ReleaseDiff[]): Release | undefined {
  const id = diffs.find(({ base }) => base !== null && base.release_id !== null)?.base?.release_id ?? ''
  const { oid, pid } = useIds()
  return useGet(RELEASE, { path: { oid, pid, rid: id } }, { enabled: id !== '' }).data
}

interface RollBackProps {
  readonly release: Release
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  readonly diffs: readonly ReleaseDiff[]
}

/** A button that restores the previous live content, which its label names. */
export function RollBackButton({ release, path, diffs }: RollBackProps) {
  const { releases: texts } = useTexts()
  const review = useReviewTexts()
  const go = useGo()
  const [isOpen, open] = useState(false)
  const rollback = useSend('post', `${RELEASE}/rollback`, ENDS)
  const earlier = useEarlierRelease(diffs)
  const label = earlier === undefined ? texts.acts.rollback : review.rollBackTo(earlier.number)
  const rulesets = (earlier?.rulesets ?? []).map(({ name, version }) => `${name} ${version ?? ''}`).join(', ')
  return (
    <>
      <button type="button" className="btn" data-kind="bad" onClick={() => open(true)}>
        <Icon name="retry" />
        {label}
      </button>
      {isOpen && (
        <FormBox
          title={label}
          close={() => open(false)}
          fields={[{ name: 'reason', label: review.reason, kind: 'area', isOptional: true }]}
          submit={label}
          kind="bad"
          send={async ({ reason }) => {
            const { number } = await rollback.mutateAsync({ path, body: reason === '' ? {} : { reason } })
            go(paths.rollout(path.oid, path.pid, number))
          }}
        >
          <p>{review.rollBackText(rulesets, release.environments.join(', '))}</p>
        </FormBox>
      )}
    </>
  )
}
