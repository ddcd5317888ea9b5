import { Author } from '../frame/author.tsx'
import { place as placeName } from '../problem-text/pointer-text.ts'
import { useAgo } from '../texts/ago.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { CHANGE } from './change-keys.ts'
import { ExampleInput } from './example-input.tsx'
import { RunExample } from './run-example.tsx'
import type { ReviewedParts, RulesetAnalysis } from './release-parts.ts'
import { useSave } from './compared-drafts.ts'
import { useReviewTexts } from './review-texts.ts'

type Finding = RulesetAnalysis['findings'][number]

/** Maximum number of displayed findings per ruleset. */
const MAX_SHOWN = 20

/** The findings of the analysis in the released versions; intended ones are shown with their reason. */
export function FindingsOfRelease({ analyses, rulesets }: Pick<ReviewedParts, 'analyses' | 'rulesets'>) {
  const texts = useReviewTexts()
  if (analyses.length === 0) return null
  const found = analyses.flatMap(({ ruleset, findings }) =>
    findings.slice(0, MAX_SHOWN).map((finding) => ({ ruleset, finding })),
  )
  return (
    <section className="card" aria-label={texts.findings}>
      <header>
        <h2>{texts.findings}</h2>
      </header>
      {found.length === 0 ? (
        <p className="body muted">{analyses.find(({ reason }) => reason !== null)?.reason ?? texts.noFindings}</p>
      ) : (
        <ul className="claims">
          {found.map(({ ruleset, finding }) => (
            <FindingOfRuleset
              key={`${ruleset} ${finding.kind} ${finding.place} ${finding.error ?? ''}`}
              ruleset={ruleset}
              seq={rulesets.find(({ name }) => name === ruleset)?.from_seq ?? null}
              isNamed={analyses.length > 1}
              finding={finding}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function FindingOfRuleset({
  ruleset,
  seq,
  isNamed,
  finding,
}: {
  readonly ruleset: string
  readonly seq: number | null
  readonly isNamed: boolean
  readonly finding: Finding
}) {
  const { places } = useTexts()
  const { draft } = useSave(ruleset, seq)
  const at = draft === undefined ? finding.place : placeName(finding.place, draft, places)
  return <FindingItem ruleset={ruleset} at={isNamed ? `${ruleset}${places.comma}${at}` : at} finding={finding} />
}

/** A finding with an example that can be run in the editor. */
export function FindingItem({
  ruleset,
  at,
  finding: { kind, verdict, severity, reason, acknowledged, witness, error, code },
}: {
  readonly ruleset: string
  /** Describes its position; undefined if it is shown at that position. */
  readonly at: string | undefined
  readonly finding: Finding
}) {
  const { findings: words } = useTexts()
  const texts = useReviewTexts()
  const ago = useAgo()
  const known: Readonly<Record<string, string>> = words.kinds
  const isOpen = acknowledged === undefined && severity !== 'info'
  const isUndecided = verdict === 'unknown'
  return (
    <li className={CHANGE} tabIndex={-1} data-tone={isOpen ? 'warn' : 'plain'}>
      <Icon name={isOpen ? 'alert' : isUndecided ? 'dashed' : 'check'} size={15} />
      <div>
        <b>{known[kind] ?? kind}</b> {at !== undefined && <span className="muted">{at}</span>}{' '}
        {(error ?? code) !== undefined && <code>{error ?? code}</code>}
        {isUndecided && (
          <>
            {' '}
            <span className="tag">{texts.verdicts.unknown}</span>
            <p className="muted">{reason}</p>
          </>
        )}
        {acknowledged !== undefined && (
          <p className="muted">
            {texts.intended(acknowledged.reason)}
            {acknowledged.author !== undefined && acknowledged.at !== undefined && (
              <>
                {' ('}
                <Author id={acknowledged.author} />
                {', '}
                <time dateTime={acknowledged.at}>{ago(acknowledged.at)}</time>)
              </>
            )}
          </p>
        )}
        {witness !== undefined && <ExampleInput input={witness.input} stubs={witness.stubs} />}
      </div>
      {witness !== undefined && <RunExample ruleset={ruleset} witness={witness} />}
    </li>
  )
}
