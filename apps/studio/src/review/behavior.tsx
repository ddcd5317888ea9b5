import { useState } from 'react'
import { useNumbers } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/states.tsx'
import { TransitionTable } from '../ui/transition-table.tsx'
import { Amounts, Spread } from './amounts.tsx'
import { CHANGE } from './change-keys.ts'
import { useCodeColours } from './code-colours.ts'
import { effectsOf, isBounded } from './effects.ts'
import { ExampleInput } from './example-input.tsx'
import { FindingsOfRelease } from './findings-of-release.tsx'
import { nameOf, RegionList } from './region-list.tsx'
import type { ReviewedParts, TargetImpact } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'
import { isError } from '../releases/results.ts'
import { matrixOf, type Transition, transitionsOf } from './transitions.ts'
import { useUnits } from './units.ts'

/** Changes of decisions, for all inputs and over recorded decisions. */
export function Behavior({ parts }: { readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const { impacts, analyses, rulesets } = parts
  const [at, setAt] = useState(() => worstTarget(parts))
  const impact = impacts[at] ?? impacts[0]
  if (impact === undefined)
    return (
      <>
        <div className="card">
          <Empty picture="scales" title={texts.notCompared} text={texts.notComparedText} />
        </div>
        <FindingsOfRelease analyses={analyses} rulesets={rulesets} />
      </>
    )
  return (
    <>
      {impacts.length > 1 && (
        <div className="seg targets" role="group" aria-label={texts.target}>
          {impacts.map(({ ruleset, environment }, index) => (
            <button
              key={`${ruleset} ${environment}`}
              type="button"
              aria-pressed={index === at}
              onClick={() => setAt(index)}
            >
              {texts.place(ruleset, environment)}
            </button>
          ))}
        </div>
      )}
      <Target
        key={at}
        impact={impact}
        seq={rulesets.find(({ name }) => name === impact.ruleset)?.from_seq ?? null}
        hasContract={isBounded(impact.ruleset, analyses)}
      />
      <FindingsOfRelease analyses={analyses} rulesets={rulesets} />
    </>
  )
}

/** The index of the target with the worst transition, which is shown first. */
function worstTarget(parts: ReviewedParts): number {
  const worst = effectsOf(parts).find((effect) => 'transition' in effect)
  return Math.max(
    0,
    parts.impacts.findIndex(
      ({ ruleset, environment }) =>
        worst !== undefined && 'transition' in worst && worst.ruleset === ruleset && worst.environment === environment,
    ),
  )
}

function Target({
  impact,
  seq,
  hasContract,
}: {
  readonly impact: TargetImpact
  readonly seq: number | null
  readonly hasContract: boolean
}) {
  const texts = useReviewTexts()
  const { number } = useNumbers()
  const { diff, records, ruleset } = impact
  const transitions = transitionsOf(diff.regions, records, hasContract)
  const colours = useCodeColours(ruleset, seq)
  const unitOf = useUnits(ruleset, seq)
  const matrix = matrixOf(transitions, records, [...colours.keys()])
  const [chosen, choose] = useState<{ readonly from: string; readonly to: string }>()
  const tag = (result: string) => (
    <CodeTag name={nameOf(result, texts.error)} colour={colours.get(result)} isError={isError(result)} />
  )
  const isProved = diff.verdict === 'different' && diff.unknown.length === 0 && !diff.truncated
  return (
    <>
      <section className="card" aria-label={texts.matrix}>
        <header>
          <h2>{texts.matrix}</h2>
          <span className="muted">{texts.place(ruleset, impact.environment)}</span>
          <span className="grow" />
          {isProved ? (
            <span className="tag" data-tone="ok" title={texts.provedText}>
              <Icon name="proved" size={13} />
              {texts.proved(transitions.length)}
            </span>
          ) : (
            transitions.length > 0 && (
              <span className="tag" data-tone="warn">
                {texts.notProved(number(records?.replayed ?? 0))}
              </span>
            )
          )}
        </header>
        <div className="body stack">
          <Certainty diff={diff} hasTransitions={transitions.length > 0} />
          {transitions.length > 0 && (
            <div className="matrix-and-spread">
              <TransitionTable
                name={`${texts.matrix}: ${texts.place(ruleset, impact.environment)}`}
                before={texts.before}
                after={texts.after}
                results={matrix.results}
                most={matrix.most}
                cell={(from, to) => matrix.cell(from, to)}
                kept={(result) => matrix.kept(result)}
                head={tag}
                label={(from, to, shown) => texts.cell(nameOf(from, texts.error), nameOf(to, texts.error), shown)}
                possible={texts.possibleCell}
                selected={chosen}
                select={(from, to) => choose(chosen?.from === from && chosen.to === to ? undefined : { from, to })}
              />
              <Spread amounts={records?.amounts ?? []} unitOf={unitOf} />
            </div>
          )}
          {records?.replayed === 0 && records.not_replayed.length === 0 && <p className="muted">{texts.noRecords}</p>}
          {records?.not_replayed.map(({ reason, count }) => (
            <p key={reason} className="muted">
              {texts.notReplayed(count, reason)}
            </p>
          ))}
        </div>
      </section>
      {transitions.length > 0 && (
        <Places
          key={`${chosen?.from ?? ''} ${chosen?.to ?? ''}`}
          ruleset={ruleset}
          transitions={
            chosen === undefined
              ? transitions
              : transitions.filter(({ from, to }) => from === chosen.from && to === chosen.to)
          }
          isProved={isProved}
          showAll={chosen === undefined ? undefined : () => choose(undefined)}
          colours={colours}
          unitOf={unitOf}
          tag={tag}
        />
      )}
      {records !== null && records.amounts.length > 0 && <Amounts amounts={records.amounts} unitOf={unitOf} />}
      <Claims impact={impact} />
    </>
  )
}

/** The proved and the undecided parts of a comparison. */
function Certainty({
  diff,
  hasTransitions,
}: {
  readonly diff: TargetImpact['diff']
  readonly hasTransitions: boolean
}) {
  const texts = useReviewTexts()
  const open = diff.unknown.length
  return (
    <>
      {!hasTransitions && diff.verdict === 'equivalent' && (
        <div className="note" data-tone="ok">
          <Icon name="ok" />
          <div>
            <b>{texts.noChange}.</b> {texts.noChangeText}
          </div>
        </div>
      )}
      {(open > 0 || diff.truncated || diff.verdict === 'unknown') && (
        <div className="note" data-tone="warn">
          <Icon name="alert" />
          <div>{open > 0 ? texts.unknown(open) : diff.truncated ? texts.truncated : texts.unknownAll}</div>
        </div>
      )}
    </>
  )
}

interface PlacesProps {
  readonly ruleset: string
  readonly transitions: readonly Transition[]
  /** True if it is proved that no other result changes. */
  readonly isProved: boolean
  /** Removes the filter by transition. */
  readonly showAll: (() => void) | undefined
  readonly colours: ReadonlyMap<string, string>
  readonly unitOf: (output: string) => string
  readonly tag: (result: string) => React.ReactNode
}

/**
 * Changed decisions: the regions that the analysis found, and recorded decisions with transitions that it did not find.
 */
function Places({ ruleset, transitions, isProved, showAll, colours, unitOf, tag }: PlacesProps) {
  const texts = useReviewTexts()
  const regions = transitions.flatMap((one) => one.regions)
  const recorded = transitions.filter(({ count, regions: places }) => count > 0 && (places.length === 0 || showAll))
  return (
    <section className="card" aria-label={texts.regions} aria-live="polite">
      <header>
        <h2>{texts.regions}</h2>
        <span className="muted">{texts.placesText(regions.length)}</span>
        <span className="grow" />
        {isProved && regions.every(({ complete }) => complete) && (
          <span className="tag" data-tone="ok" title={texts.exactText}>
            <Icon name="proved" size={13} />
            {texts.proved(regions.length)}
          </span>
        )}
        {showAll === undefined ? (
          <span className="muted keys" aria-hidden="true">
            <kbd>J</kbd> <kbd>K</kbd> {texts.nextPlace}
          </span>
        ) : (
          <button type="button" className="btn small" onClick={showAll}>
            {texts.showAllPlaces}
          </button>
        )}
      </header>
      <RegionList ruleset={ruleset} regions={regions} colours={colours} unitOf={unitOf} />
      {recorded.map(({ from, to, count, examples }) => (
        <div key={`${from} ${to}`} className="recorded-of">
          <h3 className="row wrap">
            {tag(from)} <Icon name="onward" size={13} /> {from === to ? texts.sameCode : tag(to)}
            <small className="muted">{texts.recordedExamples(count)}</small>
          </h3>
          {examples.length === 0 ? (
            <p className="muted">{texts.noExamples}</p>
          ) : (
            <ul className="recorded">
              {examples.map((input, index) => (
                <li key={index} className={CHANGE} tabIndex={-1} aria-label={texts.recordedExample(index + 1)}>
                  <ExampleInput input={input} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  )
}

const CLAIMS = ['no_new_failure', 'only_adds', 'only_removes'] as const
/** `only_adds` and `only_removes` are shown only if they are proved and there is a difference. */
const isTelling = (claim: (typeof CLAIMS)[number], diff: TargetImpact['diff']): boolean =>
  claim === 'no_new_failure' || (diff[claim] === 'proved' && diff.verdict === 'different')

const CLAIM_ICONS = { proved: 'ok', refuted: 'x', unknown: 'alert' } as const

/** Claims over all inputs, and the requirements of the policy. */
function Claims({ impact: { diff, gates } }: { readonly impact: TargetImpact }) {
  const texts = useReviewTexts()
  const rows = [
    ...CLAIMS.filter((claim) => isTelling(claim, diff)).map((claim) => ({
      text: texts.claim[claim],
      verdict: diff[claim],
      word: texts.verdicts[diff[claim]],
      isRequired: claim === 'no_new_failure',
    })),
    ...gates.map(({ gate, verdict }) => ({
      text: gate.includes('->') ? texts.claim.gate(gate.replace('->', ' → ')) : texts.claim.max,
      verdict,
      word: texts.met[verdict],
      isRequired: true,
    })),
  ]
  return (
    <section className="card" aria-label={texts.claims}>
      <header>
        <h2>{texts.claims}</h2>
      </header>
      <ul className="claims">
        {rows.map(({ text, verdict, word, isRequired }) => (
          <li key={text} data-tone={verdict === 'proved' ? 'ok' : isRequired ? 'bad' : 'plain'}>
            <Icon name={CLAIM_ICONS[verdict]} size={15} />
            <span>{text}</span>
            <span className="tag" data-tone={verdict === 'proved' ? 'ok' : isRequired ? 'bad' : undefined}>
              {word}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
