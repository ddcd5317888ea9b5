import { useState } from 'react'
import { useNumbers } from '../texts/texts.tsx'
import { CodeTag } from '../ui/code-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/states.tsx'
import { TransitionTable } from '../ui/transition-table.tsx'
import { CHANGE } from './change-keys.ts'
import { effectsOf, isBounded } from './effects.ts'
import { ExampleInput } from './example-input.tsx'
import { FindingsOfRelease } from './findings-of-release.tsx'
import { nameOf, RegionList } from './region-list.tsx'
import type { ReplaySummary, ReviewedParts, TargetImpact } from './release-parts.ts'
import { isError, matrixOf, severityOf, type Transition, transitionsOf } from './transitions.ts'
import { useReviewTexts } from './review-texts.ts'

const TONES = ['ok', 'ok', 'warn', 'bad'] as const
const COLOURS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'] as const

/** How decisions change, for all inputs and over recorded decisions. */
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
      <Target key={at} impact={impact} hasContract={isBounded(impact.ruleset, analyses)} />
      <FindingsOfRelease analyses={analyses} rulesets={rulesets} />
    </>
  )
}

/** The target with the worst transition, which is shown first. */
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

/** Colours of the codes of one target, by name. */
function coloursOf(transitions: readonly Transition[]): ReadonlyMap<string, string> {
  const codes = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))]
    .filter((one) => !isError(one))
    .toSorted()
  return new Map(codes.slice(0, COLOURS.length).map((code, index) => [code, COLOURS[index] ?? '--c-other']))
}

function Target({ impact, hasContract }: { readonly impact: TargetImpact; readonly hasContract: boolean }) {
  const texts = useReviewTexts()
  const { diff, records, ruleset } = impact
  const transitions = transitionsOf(diff.regions, records, hasContract)
  const colours = coloursOf(transitions)
  const matrix = matrixOf(transitions)
  const [chosen, choose] = useState<{ readonly from: string; readonly to: string }>()
  const shown = (chosen && matrix.cell(chosen.from, chosen.to)) ?? transitions[0]
  const tag = (result: string) => (
    <CodeTag name={nameOf(result, texts.error)} colour={colours.get(result)} isError={isError(result)} />
  )
  const open = diff.unknown.length
  return (
    <>
      <section className="card">
        <header>
          <h2>{texts.matrix}</h2>
          <span className="muted">{texts.place(ruleset, impact.environment)}</span>
        </header>
        <div className="body stack">
          {transitions.length === 0 && diff.verdict === 'equivalent' && (
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
          {transitions.length > 0 && (
            <>
              <p className="muted">{texts.matrixText}</p>
              <TransitionTable
                name={texts.matrix}
                before={texts.before}
                after={texts.after}
                rows={matrix.rows}
                columns={matrix.columns}
                most={matrix.most}
                cell={(from, to) => {
                  const found = matrix.cell(from, to)
                  return found && { count: found.count, tone: TONES[severityOf(found)] }
                }}
                head={tag}
                label={(from, to, shownCount) =>
                  texts.cell(nameOf(from, texts.error), nameOf(to, texts.error), shownCount)
                }
                possible={texts.possibleCell}
                selected={shown}
                select={(from, to) => choose({ from, to })}
              />
            </>
          )}
          {records?.replayed === 0 && <p className="muted">{texts.noRecords}</p>}
          {records?.not_replayed.map(({ reason, count }) => (
            <p key={reason} className="muted">
              {texts.notReplayed(count, reason)}
            </p>
          ))}
        </div>
      </section>
      {shown !== undefined && (
        <TransitionCases ruleset={ruleset} transition={shown} records={records} colours={colours} tag={tag} />
      )}
      {records !== null && records.codes.length > 0 && <Results codes={records.codes} tag={tag} />}
      {records !== null && records.amounts.length > 0 && <Amounts amounts={records.amounts} />}
      <Claims impact={impact} />
    </>
  )
}

interface TransitionCasesProps {
  readonly ruleset: string
  readonly transition: Transition
  readonly records: ReplaySummary | null
  readonly colours: ReadonlyMap<string, string>
  readonly tag: (result: string) => React.ReactNode
}

/** The inputs of one transition: their regions, and recorded decisions. */
function TransitionCases({ ruleset, transition, records, colours, tag }: TransitionCasesProps) {
  const texts = useReviewTexts()
  const { from, to, count, regions, examples } = transition
  return (
    <section className="card" aria-label={texts.regions} aria-live="polite">
      <header>
        <h2 className="row wrap">
          {tag(from)} <Icon name="onward" size={14} /> {from === to ? texts.sameCode : tag(to)}
        </h2>
        <span className="muted">
          {count === 0 ? texts.possible(records?.replayed ?? 0) : texts.recordedOf(count, records?.replayed ?? 0)}
        </span>
      </header>
      <div className="body stack">
        {regions.length > 0 && (
          <>
            <p className="muted">{texts.regionsText}</p>
            <RegionList ruleset={ruleset} regions={regions} colours={colours} />
          </>
        )}
        {count > 0 && (
          <>
            <h3>
              {texts.recorded} <small className="muted">{texts.recordedText}</small>
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
          </>
        )}
      </div>
    </section>
  )
}

/** How often each result occurs in the recorded decisions, by both versions. */
function Results({
  codes,
  tag,
}: {
  readonly codes: ReplaySummary['codes']
  readonly tag: (result: string) => React.ReactNode
}) {
  const texts = useReviewTexts()
  const { number, signed } = useNumbers()
  return (
    <section className="card">
      <header>
        <h2>{texts.results}</h2>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={texts.results}>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.result}</th>
              {[texts.before, texts.after, texts.difference].map((title) => (
                <th key={title} scope="col" className="num">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {codes.map(({ code, before, after }) => (
              <tr key={code}>
                <td data-title={texts.result}>{tag(code)}</td>
                <td data-title={texts.before} className="num">
                  {number(before)}
                </td>
                <td data-title={texts.after} className="num">
                  {number(after)}
                </td>
                <td data-title={texts.difference} className="num">
                  <b>{signed(after - before)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** The numbers that both versions return, and by how much they change. */
function Amounts({ amounts }: { readonly amounts: ReplaySummary['amounts'] }) {
  const texts = useReviewTexts()
  const { number, signed } = useNumbers()
  return (
    <section className="card" aria-label={texts.amounts}>
      <header>
        <h2>{texts.amounts}</h2>
        <span className="muted">{texts.amountsText}</span>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={texts.amountsText}>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.amount}</th>
              {[texts.decisions, texts.meanBefore, texts.meanAfter, texts.total, texts.largest].map((title) => (
                <th key={title} scope="col" className="num">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {amounts.map(({ output, count, before, after, largest }) => (
              <tr key={output}>
                <td data-title={texts.amount}>
                  <code>{output}</code>
                </td>
                <td data-title={texts.decisions} className="num">
                  {number(count)}
                </td>
                <td data-title={texts.meanBefore} className="num">
                  {number(before.mean)}
                </td>
                <td data-title={texts.meanAfter} className="num">
                  {number(after.mean)}
                </td>
                <td data-title={texts.total} className="num">
                  <b>{signed(after.sum - before.sum)}</b>
                </td>
                <td data-title={texts.largest} className="num">
                  {signed(largest.change)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const CLAIMS = ['no_new_failure', 'only_adds', 'only_removes'] as const
/** `only_adds` and `only_removes` are informative once they are proved of a difference. */
const isTelling = (claim: (typeof CLAIMS)[number], diff: TargetImpact['diff']): boolean =>
  claim === 'no_new_failure' || (diff[claim] === 'proved' && diff.verdict === 'different')

const CLAIM_ICONS = { proved: 'ok', refuted: 'x', unknown: 'alert' } as const

/** Claims about all inputs together, and the requirements of the policy. */
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
