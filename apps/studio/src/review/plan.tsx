import { useGet } from '../api/data.ts'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import type { components } from '../api/schema.ts'
import type { ReviewTexts } from '../texts/en/review.ts'
import { Icon } from '../ui/icon.tsx'
import { Pending } from '../ui/states.tsx'
import type { Release } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

type Environment = components['schemas']['Environment']
type Policy = components['schemas']['ReleasePolicy']

/** The environments of a release in their order: approvals, freeze windows, stages and engines of each. */
export function Plan({ release: { environments: names, requirements } }: { readonly release: Release }) {
  const texts = useReviewTexts()
  const environments = useEnvironments()
  const policies = useGet('/api/v1/orgs/{oid}/projects/{pid}/release-policies', { path: useIds() }).data?.items ?? []
  const items = environments.data?.items
  if (items === undefined)
    return (
      <div className="card">
        <Pending of={environments} />
      </div>
    )
  const targets = items.filter(({ name }) => names.includes(name)).toSorted((left, right) => left.order - right.order)
  return (
    <section className="card" aria-label={texts.plan}>
      <header>
        <h2>{texts.plan}</h2>
        <span className="muted">{texts.planText}</span>
      </header>
      <ol className="plan">
        {targets.map((environment) => (
          <Target
            key={environment.id}
            environment={environment}
            requirements={requirements.filter((one) => one.environment === environment.name)}
            policy={policyOf(environment, policies)}
          />
        ))}
      </ol>
    </section>
  )
}

/** The enabled policy of the highest priority that matches, the oldest of equal ones. */
function policyOf({ name }: Environment, policies: readonly Policy[]): Policy | undefined {
  return policies
    .filter(({ enabled, match }) => enabled && (match.environments.length === 0 || match.environments.includes(name)))
    .toSorted(
      (left, right) => right.priority - left.priority || Date.parse(left.created_at) - Date.parse(right.created_at),
    )[0]
}

function Target({
  environment: { name, canary, server_ids: engines, hold_before: holds },
  requirements,
  policy,
}: {
  readonly environment: Environment
  readonly requirements: Release['requirements']
  readonly policy: Policy | undefined
}) {
  const texts = useReviewTexts()
  const window = policy?.freeze_window ?? null
  return (
    <li>
      <h3 className="row wrap">
        {name} <span className="tag">{texts.engines(engines.length)}</span>
      </h3>
      <ul>
        {requirements.length === 0 ? (
          <li>{texts.needsNone}</li>
        ) : (
          requirements.map(({ min_count: count, roles, satisfied }) => (
            <li key={`${count} ${roles.join()}`}>
              {satisfied && <Icon name="check" size={13} />} {texts.needs(count, roles.join(', '))}
            </li>
          ))
        )}
        {window !== null && (
          <li>
            <Icon name="lock" size={13} /> {texts.freeze(window.cron, window.duration, window.time_zone ?? 'UTC')}
          </li>
        )}
        {holds && <li>{texts.holds}</li>}
        {canary.stages.length === 0 ? (
          <li>{texts.noCanary}</li>
        ) : (
          <>
            {canary.stages.map(({ percent, duration_s: seconds }, index) => (
              <li key={index}>{texts.stage(percent, durationText(seconds, texts))}</li>
            ))}
            <li>{texts.thenAll}</li>
            <li className="muted">{texts.onFailure[canary.on_failure]}</li>
          </>
        )}
      </ul>
    </li>
  )
}

function durationText(seconds: number, texts: ReviewTexts): string {
  if (seconds >= 3600 && seconds % 3600 === 0) return texts.hours(seconds / 3600)
  return seconds >= 60 && seconds % 60 === 0 ? texts.minutes(seconds / 60) : texts.seconds(seconds)
}
