import type { components } from '../api/schema.ts'
import { useEnvironments } from '../frame/route-scope.ts'
import type { ReviewTexts } from '../texts/en/review.ts'
import { useNumbers } from '../texts/texts.tsx'
import { EnvironmentTag, type EnvironmentWeight, weightOf } from '../ui/environment-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pending } from '../ui/states.tsx'
import type { Release, ReviewedParts } from './release-parts.ts'
import { useNextFreeze } from './next-freeze.ts'
import { useClock } from './review-clock.ts'
import { useReviewTexts } from './review-texts.ts'
import { useEarlierRelease } from './roll-back.tsx'

type Environment = components['schemas']['Environment']

/** Approximate time in seconds to deliver a content to all engines of an environment, with check and verification. */
const DELIVERY_S = 60

/** The plan of a rollout: environments in order, stages to scale, guards, and rollback. */
export function Plan({ release, parts }: { readonly release: Release; readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const environments = useEnvironments()
  const earlier = useEarlierRelease(parts.diffs)
  const items = environments.data?.items
  if (items === undefined)
    return (
      <div className="card">
        <Pending of={environments} />
      </div>
    )
  const targets = items.filter(({ name }) => release.environments.includes(name))
  const seconds = targets.reduce((sum, one) => sum + secondsOf(one), 0)
  const rulesets = (earlier?.rulesets ?? []).map(({ name, version }) => `${name} ${version ?? ''}`).join(', ')
  return (
    <section className="card" aria-label={texts.plan}>
      <header>
        <h2>{texts.planTitle}</h2>
        <span className="grow" />
        <span className="muted">{texts.planText(spanOf(seconds, texts))}</span>
      </header>
      <ol className="plan">
        {targets.map((environment, index) => (
          <Target
            key={environment.id}
            environment={environment}
            weight={weightOf(environment.name, items)}
            holds={environment.hold_before && index > 0}
            requirements={release.requirements.filter((one) => one.environment === environment.name)}
          />
        ))}
      </ol>
      <p className="plan-gate">
        <Icon name="retry" size={15} />
        <span>{earlier === undefined ? texts.wayBackNone : texts.wayBack(earlier.number, rulesets)}</span>
      </p>
    </section>
  )
}

const secondsOf = ({ canary }: Environment): number =>
  canary.stages.reduce((sum, { duration_s: one }) => sum + one, DELIVERY_S)

interface TargetProps {
  readonly environment: Environment
  readonly weight: EnvironmentWeight
  /** Whether the rollout waits for a person before this environment. */
  readonly holds: boolean
  readonly requirements: Release['requirements']
}

function Target({ environment, weight, holds, requirements }: TargetProps) {
  const texts = useReviewTexts()
  const { number } = useNumbers()
  const { name, canary, server_ids: engines } = environment
  const freeze = useNextFreeze([name])
  const clock = useClock()
  const { stages } = canary
  return (
    <li>
      {holds && (
        <p className="plan-gate">
          <Icon name="pause" size={15} />
          <span>{texts.holds(name)}</span>
        </p>
      )}
      <div className="plan-lane">
        <div className="plan-when">
          <h3>
            <EnvironmentTag name={name} weight={weight} />
          </h3>
          <small>{texts.about(spanOf(secondsOf(environment), texts))}</small>
        </div>
        <div className="plan-box">
          <p className="row wrap">
            <span>{stages.length === 0 ? texts.noCanary : texts.byShare}</span>
            <span className="grow" />
            <small className="muted">{texts.engines(engines.length)}</small>
          </p>
          <div className="plan-bar" aria-hidden="true">
            <span>{texts.check}</span>
            {stages.map(({ percent, duration_s: seconds }, index) => (
              <span
                key={index}
                data-side="candidate"
                style={{ '--share': `${Math.min(75, 16.5 + 1.1 * percent)}%`, flexGrow: widthOf(seconds) }}
              >
                {texts.stageShort(number(percent), spanOf(seconds, texts))}
              </span>
            ))}
            <span data-side="everyone">{texts.everyone}</span>
            <span>{texts.verify}</span>
          </div>
          <ul>
            {stages.map(({ percent, duration_s: seconds }, index) => (
              <li key={index} className="vh">
                {texts.stage(percent, spanOf(seconds, texts))}
              </li>
            ))}
            {requirements.length === 0 ? (
              <li>
                <Icon name="check" size={15} />
                {texts.needsNone}
              </li>
            ) : (
              requirements.map(({ min_count: count, roles, satisfied }) => (
                <li key={`${count} ${roles.join()}`} data-tone={satisfied ? 'ok' : 'warn'}>
                  <Icon name={satisfied ? 'ok' : 'users'} size={15} />
                  {texts.needs(count, roles.join(texts.or))}
                </li>
              ))
            )}
            {stages.length > 0 && (
              <>
                <li data-tone="ok">
                  <Icon name="proved" size={15} />
                  <span>{texts.onFailure[canary.on_failure](number(1 / canary.alpha))}</span>
                </li>
                <li data-tone="candidate">
                  <Icon name="columns" size={15} />
                  <span>{texts.onShift}</span>
                </li>
              </>
            )}
            {freeze !== undefined && (
              <li data-tone="accent">
                <Icon name="freeze" size={15} />
                <span>
                  {freeze.isOpen
                    ? texts.checks.frozen(name, clock(freeze.to), freeze.policy)
                    : texts.nextFreeze(name, clock(freeze.from))}
                </span>
              </li>
            )}
          </ul>
        </div>
      </div>
    </li>
  )
}

/** The width of a stage on a logarithmic scale: an hour is not sixty times as wide as a minute. */
const widthOf = (seconds: number) => Math.max(3, Math.log2(Math.max(1, seconds / 60)))

/** A duration in its largest units. */
function spanOf(seconds: number, texts: ReviewTexts): string {
  if (seconds < 60) return texts.seconds(seconds)
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return texts.minutes(minutes)
  const rest = minutes % 60
  return rest === 0 ? texts.hours(minutes / 60) : texts.hoursAndMinutes(Math.floor(minutes / 60), rest)
}
