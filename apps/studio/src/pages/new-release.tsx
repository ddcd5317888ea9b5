import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { ApiError } from '../api/errors.ts'
import type { components } from '../api/schema.ts'
import { useEnvironments, useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Behavior } from '../review/behavior.tsx'
import { Changes } from '../review/changes.tsx'
import type { Release } from '../review/release-parts.ts'
import { Verdict } from '../review/verdict.tsx'
import '../styles/effects.css'
import '../styles/review.css'
import { useTexts } from '../texts/texts.tsx'
import { Form } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Pending, Refusal } from '../ui/states.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import { useReviewTexts } from '../review/review-texts.ts'

type Request = components['schemas']['ReleaseRequest']
type ReleasePreview = components['schemas']['ReleasePreview']
const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'

/** Initial choices of a new release. */
export interface NewReleaseSearch {
  /** A ruleset to release. */
  readonly ruleset?: string
  /** An environment to release to; those that require releases are never preselected. */
  readonly environment?: string
  /** The id of a release to request again, with the newest saves. */
  readonly again?: string
}

/** Choose rulesets and environments, preview the changes, then request the release. */
export function NewReleasePage() {
  const { releases: texts, errors } = useTexts()
  const review = useReviewTexts()
  const { oid, pid } = useIds()
  const search: NewReleaseSearch = useSearch({ strict: false })
  const mayRequest = useMay('release.create')
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: { oid, pid } })
  const environments = useEnvironments()
  const again = useGet(
    `${RELEASES}/{rid}`,
    { path: { oid, pid, rid: search.again ?? '' } },
    { enabled: search.again !== undefined },
  )
  const preview = useSend('post', `${RELEASES}/preview`, [])
  const [request, setRequest] = useState<Request>()
  const { items } = rulesets
  const isEarlierPending = search.again !== undefined && again.data === undefined
  if (!mayRequest)
    return (
      <Page title={texts.make}>
        <div className="card">
          <Failed error={new ApiError(403, { error: errors.needs('release.create') }, null)} />
        </div>
      </Page>
    )
  if (items === undefined || environments.data === undefined || isEarlierPending) {
    const error = rulesets.error ?? environments.error ?? again.error
    const refetch = () => Promise.all([rulesets.refetch(), environments.refetch(), again.refetch()])
    return (
      <Page title={texts.make}>
        <Pending of={{ error, refetch }} />
      </Page>
    )
  }
  const found = preview.data
  return (
    <Page title={texts.make} text={review.makeText}>
      {items.length === 0 ? (
        <Empty picture="flow" title={review.noRulesets} text={review.noRulesetsText} />
      ) : (
        <section className="card">
          <div className="body">
            <RequestForm
              rulesets={items}
              environments={environments.data.items}
              search={search}
              again={again.data}
              send={async (wanted) => {
                await preview.mutateAsync({ path: { oid, pid }, body: wanted })
                setRequest(wanted)
              }}
            />
          </div>
        </section>
      )}
      {found !== undefined && request !== undefined && <Preview found={found} request={request} />}
    </Page>
  )
}

interface RequestFormProps {
  readonly rulesets: readonly components['schemas']['DraftItem'][]
  readonly environments: readonly components['schemas']['Environment'][]
  readonly search: NewReleaseSearch
  /** The release to request again. */
  readonly again: Release | undefined
  readonly send: (request: Request) => Promise<void>
}

function RequestForm({ rulesets, environments, search, again, send }: RequestFormProps) {
  const { releases: texts } = useTexts()
  const review = useReviewTexts()
  return (
    <Form
      fields={[
        { name: 'title', label: texts.name },
        { name: 'description', label: review.description, isOptional: true },
        {
          name: 'rulesets',
          label: texts.rulesets,
          kind: 'checks',
          options: rulesets.map(({ name, seq, version }) => ({
            value: name,
            label: review.draftOf(name, version, seq),
          })),
        },
        {
          name: 'environments',
          label: texts.environments,
          kind: 'checks',
          options: environments.map(({ name, requires_release: isProtected }) => ({
            value: name,
            label: isProtected ? `${name} · ${review.protected}` : name,
          })),
        },
        { name: 'acknowledge_breaking', label: review.acknowledge, kind: 'flag' },
      ]}
      initial={{
        title: again?.title ?? '',
        description: again === undefined ? '' : again.description || review.againText(again.number),
        rulesets: firstRulesets(rulesets, search, again),
        environments: environments
          .filter(({ name, requires_release: isProtected }) => {
            const isWanted = name === search.environment || again?.environments.includes(name) === true
            return isWanted && !isProtected
          })
          .map(({ name }) => name),
      }}
      submit={review.preview}
      send={({ title, description, environments: targets, rulesets: names, acknowledge_breaking }) => {
        if (names.length === 0) return Promise.reject(missing('/rulesets', review.chooseRuleset))
        if (targets.length === 0) return Promise.reject(missing('/environments', review.chooseEnvironment))
        return send({
          title,
          description,
          environments: targets,
          rulesets: rulesets
            .filter(({ name }) => names.includes(name))
            .map(({ name, seq }) => ({ name, from_seq: seq })),
          ...(acknowledge_breaking && { acknowledge_breaking }),
        })
      }}
    />
  )
}

/** Shown at the field, like an error of the platform. */
const missing = (path: string, message: string) =>
  new ApiError(400, { error: message, details: [{ path, message }] }, null)

/** The ruleset from which the author comes, those of the earlier release, or the only ruleset. */
function firstRulesets(
  rulesets: RequestFormProps['rulesets'],
  { ruleset }: NewReleaseSearch,
  again: Release | undefined,
): readonly string[] {
  const names = rulesets.map(({ name }) => name)
  if (again !== undefined) return again.rulesets.map(({ name }) => name).filter((name) => names.includes(name))
  if (ruleset !== undefined) return names.filter((name) => name === ruleset)
  return names.length === 1 ? names : []
}

/** The effects of a release, and the button to request it. */
function Preview({ found, request }: { readonly found: ReleasePreview; readonly request: Request }) {
  const review = useReviewTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const make = useSend('post', RELEASES, [RELEASES])
  const parts = {
    isRollback: false,
    diffs: found.diffs,
    impacts: found.impacts,
    analyses: found.analyses,
    tests: found.tests,
    rulesets: request.rulesets,
  }
  const errors = found.blocked.filter(({ severity }) => severity === 'error')
  return (
    <>
      {found.blocked.map(({ code, message, severity }) => (
        <p key={code + message} className="note" data-tone={severity === 'error' ? 'bad' : 'warn'} role="alert">
          {message}
        </p>
      ))}
      {found.refused
        .filter(({ refused }) => refused > 0)
        .map(({ ruleset, environment, mode, refused, recorded }) => (
          <p key={environment + ruleset} className="note" data-tone="warn">
            {review.refusedInputs(ruleset, environment, refused, recorded, mode === 'enforce')}
          </p>
        ))}
      <Verdict parts={parts} />
      <Refusal error={make.error} />
      <div className="row wrap">
        <SteadyButton
          className="btn"
          data-kind="primary"
          isOff={!found.would_create || make.isPending}
          title={errors[0]?.message}
          onClick={() =>
            make.mutate(
              { path: { oid, pid }, body: request },
              { onSuccess: ({ number }) => go(paths.release(oid, pid, number)) },
            )
          }
        >
          {review.requestTo(request.environments.join(', '))}
        </SteadyButton>
        <span className="muted">
          {found.requirements.length === 0
            ? review.noApproval
            : review.approvalsNeeded(found.requirements.reduce((sum, { min_count: count }) => Math.max(sum, count), 0))}
        </span>
      </div>
      {parts.impacts.length > 0 && <Behavior parts={parts} />}
      <Changes parts={parts} />
    </>
  )
}
