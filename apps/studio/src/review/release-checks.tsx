import type { ReactNode } from 'react'
import { useList } from '../api/data.ts'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import type { Release, ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'
import { useNextFreeze } from './next-freeze.ts'
import { useClock } from './review-clock.ts'
import { openFindings } from './verdict.tsx'

interface Check {
  readonly tone: 'ok' | 'warn' | 'bad'
  readonly text: ReactNode
}

const ICONS: Readonly<Record<Check['tone'], IconName>> = { ok: 'ok', warn: 'alert', bad: 'x' }

/** Facts relevant to an approval, one line each: the base, tests, findings, freeze windows, engines. */
export function ReleaseChecks({ release, parts }: { readonly release: Release; readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const words = texts.checks
  const moved = useMovedBase(release, parts)
  const freeze = useNextFreeze(release.environments)
  const engines = useEngineHealth(release)
  const clock = useClock()
  const { tests } = parts
  const open = openFindings(parts.analyses)
  const checks: readonly Check[] = [
    moved === undefined ? { tone: 'ok', text: words.base } : { tone: 'warn', text: words.moved(moved) },
    ...(parts.isRollback
      ? []
      : [
          tests === null || tests.total === 0
            ? ({ tone: 'warn', text: words.noTests } as const)
            : tests.failed === 0
              ? ({ tone: 'ok', text: words.tests(tests.total) } as const)
              : ({ tone: 'bad', text: words.failed(tests.failed) } as const),
          open === 0
            ? ({ tone: 'ok', text: words.noFindings } as const)
            : ({ tone: 'warn', text: words.findings(open) } as const),
        ]),
    ...(freeze === undefined
      ? [{ tone: 'ok', text: words.noFreeze } as const]
      : freeze.isOpen
        ? [{ tone: 'warn', text: words.frozen(freeze.environment, clock(freeze.to), freeze.policy) } as const]
        : [{ tone: 'ok', text: words.freezes(freeze.environment, clock(freeze.from)) } as const]),
    ...(engines === undefined
      ? []
      : [
          {
            tone: engines.healthy === engines.all ? 'ok' : 'warn',
            text: words.engines(engines.healthy, engines.all),
          } as const,
        ]),
  ]
  return (
    <section className="card" aria-label={words.title}>
      <header>
        <h2>{words.title}</h2>
      </header>
      <ul className="body checks-list">
        {checks.map(({ tone, text }, index) => (
          <li key={index} data-tone={tone}>
            <Icon name={ICONS[tone]} size={15} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The content that is live now, if it differs from the one that the release was compared with. */
export function useMovedBase({ status }: Release, { diffs }: ReviewedParts): string | undefined {
  const isWaiting = status === 'pending_approval' || status === 'approved'
  const rulesets = useList(
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets',
    { path: useIds() },
    { enabled: isWaiting },
  ).items
  if (!isWaiting) return undefined
  for (const { ruleset, environment, base } of diffs) {
    const live = rulesets?.find(({ name }) => name === ruleset)?.live.find((one) => one.environment === environment)
    if (live !== undefined && base !== null && live.digest !== base.digest) return `${ruleset} ${live.version}`
  }
  return undefined
}

/** The number of online engines in the release's environments; undefined if unknown. */
function useEngineHealth({ environments: names }: Release) {
  const { oid } = useIds()
  const environments = useEnvironments().data?.items
  const servers = useList('/api/v1/servers', { query: { org_id: oid } }).items
  if (environments === undefined || servers === undefined) return undefined
  const ids = new Set(environments.filter(({ name }) => names.includes(name)).flatMap(({ server_ids: own }) => own))
  const own = servers.filter(({ id }) => ids.has(id))
  return own.length === 0
    ? undefined
    : { all: own.length, healthy: own.filter(({ status }) => status === 'online').length }
}
