import type { ReactNode } from 'react'
import { useNumbers } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { effectsOf, toneOf } from './effects.ts'
import { effectText } from './effect-text.ts'
import type { ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'
import { useEarlierRelease } from './roll-back.tsx'

/** Maximum number of effects listed below the first. */
const MAX_LISTED = 4

/** The share of changed decisions, and the effects as sentences, worst first, with their evidence. */
export function Verdict({ parts }: { readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const [worst, ...others] = effectsOf(parts)
  const isPlaced = parts.diffs.length > 1
  const tone = worst === undefined ? 'ok' : toneOf(worst)
  return (
    <section className="card verdict" data-tone={tone} aria-label={texts.verdict}>
      <div className="verdict-line">
        <ChangedShare parts={parts} />
        <h2>
          <Icon name={tone === 'ok' ? 'ok' : 'alert'} size={16} />
          {worst === undefined ? texts.noChange : effectText(worst, texts, isPlaced)}
        </h2>
        {others.length > 0 && (
          <ul aria-label={texts.alsoDoes}>
            {others.slice(0, MAX_LISTED).map((effect) => {
              const text = effectText(effect, texts, isPlaced)
              return <li key={text}>{text}</li>
            })}
            {others.length > MAX_LISTED && <li>{texts.moreEffects(others.length - MAX_LISTED)}</li>}
          </ul>
        )}
      </div>
      <dl className="verdict-facts">
        {!parts.isRollback && (
          <>
            <Tests parts={parts} />
            <Findings parts={parts} />
            <Contract parts={parts} />
          </>
        )}
        <WayBack parts={parts} />
      </dl>
    </section>
  )
}

/** The share of changed recorded decisions over all targets. */
function ChangedShare({ parts: { impacts } }: { readonly parts: ReviewedParts }) {
  const { figures: words } = useReviewTexts()
  const { percent } = useNumbers()
  const records = impacts.flatMap(({ records: one }) => (one === null || one.replayed === 0 ? [] : [one]))
  const [only, second] = records
  if (only === undefined) return impacts.length === 0 ? null : <p className="muted">{words.none}</p>
  const sum = (key: 'changed' | 'replayed') => records.reduce((total, one) => total + one[key], 0)
  const [changed, replayed] = [sum('changed'), sum('replayed')]
  const [low = 0, high = 1] = only.interval
  return (
    <p className="figure tnum" title={second === undefined ? words.interval(percent(low), percent(high)) : undefined}>
      <b>{percent(changed / replayed)}</b> <small>{words.changedOf(changed, replayed)}</small>
    </p>
  )
}

function Fact({
  label,
  icon,
  tone,
  value,
  note,
}: {
  readonly label: string
  readonly icon: IconName
  readonly tone?: 'ok' | 'warn' | 'bad' | undefined
  readonly value: ReactNode
  readonly note: ReactNode
}) {
  return (
    <div data-tone={tone}>
      <dt>{label}</dt>
      <dd>
        <span className="fact-value">
          <Icon name={icon} size={16} />
          {value}
        </span>
        <small>{note}</small>
      </dd>
    </div>
  )
}

function Tests({ parts: { tests } }: { readonly parts: ReviewedParts }) {
  const { figures: words } = useReviewTexts()
  if (tests === null || tests.total === 0)
    return <Fact label={words.tests} icon="alert" tone="warn" value={words.noTests} note={words.noTestsNote} />
  const isGreen = tests.failed === 0
  return (
    <Fact
      label={words.tests}
      icon={isGreen ? 'ok' : 'alert'}
      tone={isGreen ? 'ok' : 'bad'}
      value={words.testsOf(tests.passed, tests.total)}
      note={isGreen ? words.pass : words.fail(tests.failed)}
    />
  )
}

/** The number of unacknowledged findings. */
export const openFindings = (analyses: ReviewedParts['analyses']): number =>
  analyses.reduce(
    (total, { findings }) =>
      total + findings.filter(({ acknowledged, severity }) => acknowledged === undefined && severity !== 'info').length,
    0,
  )

function Findings({ parts: { analyses } }: { readonly parts: ReviewedParts }) {
  const { figures: words } = useReviewTexts()
  const open = openFindings(analyses)
  const isUnknown = analyses.length === 0 || analyses.some(({ reason }) => reason !== null)
  return (
    <Fact
      label={words.findings}
      icon={open > 0 || isUnknown ? 'alert' : 'ok'}
      tone={open > 0 || isUnknown ? 'warn' : 'ok'}
      value={open > 0 ? words.findingsOf(open) : isUnknown ? words.notDecided : words.noFindings}
      note={open > 0 ? words.findingsNote : isUnknown ? words.notDecidedNote : words.noFindingsNote}
    />
  )
}

function Contract({ parts: { diffs } }: { readonly parts: ReviewedParts }) {
  const { figures: words, bumps } = useReviewTexts()
  const contracts = diffs.flatMap(({ contract }) => (contract === null ? [] : [contract]))
  const breaks = contracts.reduce((total, one) => Math.max(total, one.breaking ? one.breaks.length : 0), 0)
  if (contracts.length === 0)
    return <Fact label={words.contract} icon="minus" value={words.noContract} note={words.noContractNote} />
  if (breaks > 0)
    return <Fact label={words.contract} icon="alert" tone="bad" value={words.breaks(breaks)} note={words.breaksNote} />
  const bump = contracts.find(({ bump: one }) => one !== 'none' && one !== 'patch')?.bump
  return (
    <Fact
      label={words.contract}
      icon="ok"
      tone="ok"
      value={bump === undefined ? words.unchanged : bumps[bump]}
      note={words.keepsNote}
    />
  )
}

function WayBack({ parts: { diffs } }: { readonly parts: ReviewedParts }) {
  const { figures: words } = useReviewTexts()
  const earlier = useEarlierRelease(diffs)
  const live = diffs.flatMap(({ ruleset, base }) => (base === null ? [] : [`${ruleset} ${base.version}`]))
  const [first] = live
  if (first === undefined)
    return <Fact label={words.wayBack} icon="minus" value={words.firstTime} note={words.firstTimeNote} />
  return (
    <Fact
      label={words.wayBack}
      icon="retry"
      value={earlier === undefined ? words.earlierContent : words.release(earlier.number)}
      note={first}
    />
  )
}
