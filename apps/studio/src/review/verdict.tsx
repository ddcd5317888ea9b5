import { useNumbers } from '../texts/texts.tsx'
import { type Figure, FigureList } from '../ui/figure-list.tsx'
import { Icon } from '../ui/icon.tsx'
import { effectText } from './effect-text.ts'
import { effectsOf, toneOf } from './effects.ts'
import type { Release, ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Effects below the first one. */
const MAX_LISTED = 4

/** The effects of a release in sentences, the worst first, and the figures behind them. */
export function Verdict({
  parts,
  requirements,
}: {
  readonly parts: ReviewedParts
  readonly requirements: Release['requirements']
}) {
  const texts = useReviewTexts()
  const figures = useFigures(parts, requirements)
  const [worst, ...others] = effectsOf(parts)
  const isPlaced = parts.diffs.length > 1
  const tone = worst === undefined ? 'ok' : toneOf(worst)
  return (
    <section className="card verdict" data-tone={tone} aria-label={texts.verdict}>
      <div className="verdict-line">
        <Icon name={tone === 'ok' ? 'ok' : 'alert'} size={22} />
        <div>
          <h2>{worst === undefined ? texts.noChange : effectText(worst, texts, isPlaced)}</h2>
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
      </div>
      <FigureList figures={figures} />
    </section>
  )
}

function useFigures({ impacts, analyses, tests }: ReviewedParts, requirements: Release['requirements']) {
  const texts = useReviewTexts()
  const { percent } = useNumbers()
  const words = texts.figures
  const records = impacts.flatMap(({ records: one }) => (one === null || one.replayed === 0 ? [] : [one]))
  const [only] = records
  const sum = (key: 'changed' | 'replayed') => records.reduce((total, one) => total + one[key], 0)
  const [changed, replayed] = [sum('changed'), sum('replayed')]
  const [low = 0, high = 1] = only?.interval ?? []
  const needed = requirements.reduce((total, { min_count: count }) => total + count, 0)
  const given = requirements.reduce(
    (total, { approved_by: by, min_count: count }) => total + Math.min(by.length, count),
    0,
  )
  const findings = analyses.reduce(
    (total, one) =>
      total +
      one.findings.filter(({ acknowledged, severity }) => acknowledged === undefined && severity !== 'info').length,
    0,
  )
  const figures: readonly Figure[] = [
    ...(impacts.length === 0
      ? []
      : [
          {
            label: words.changed,
            value: replayed === 0 ? '–' : percent(changed / replayed),
            note:
              replayed === 0 ? (
                words.none
              ) : (
                <span title={records.length === 1 ? words.interval(percent(low), percent(high)) : undefined}>
                  {words.changedOf(changed, replayed)}
                </span>
              ),
          },
        ]),
    tests === null || tests.total === 0
      ? { label: words.tests, value: '–', note: words.noTests, tone: 'warn' }
      : {
          label: words.tests,
          value: words.testsOf(tests.passed, tests.total),
          note: tests.failed === 0 ? words.pass : words.fail(tests.failed),
          tone: tests.failed === 0 ? 'ok' : 'bad',
        },
    ...(analyses.length === 0
      ? []
      : [{ label: words.findings, value: String(findings), tone: findings === 0 ? 'ok' : 'warn' } as const]),
    needed === 0
      ? { label: words.approvals, value: '–', note: words.noApprovals }
      : {
          label: words.approvals,
          value: words.approvalsOf(given, needed),
          tone: requirements.every(({ satisfied }) => satisfied) ? 'ok' : 'warn',
        },
  ]
  return figures
}
