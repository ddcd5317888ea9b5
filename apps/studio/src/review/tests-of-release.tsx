import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCases, useReferences } from '../editor/state/references.ts'
import { useIds } from '../frame/route-scope.ts'
import { ask } from '../language/language.ts'
import { place } from '../problem-text/pointer-text.ts'
import { useNumbers, useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Failed, Skeleton } from '../ui/states.tsx'
import { changedPlaces, coverableParts } from './changed-places.ts'
import { useSave } from './compared-drafts.ts'
import type { ReleaseDiff, ReviewedParts, RulesetAnalysis, TestRun } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/** Maximum number of listed failed tests. */
const MAX_FAILED = 20

/** The test results of a release, their coverage, and the changed parts that no test reaches. */
export function TestsOfRelease({ parts: { tests, diffs, rulesets, analyses } }: { readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  // A ruleset released to several environments has the same version in all of them: its largest change is enough.
  const changed = new Map(diffs.filter(({ removed }) => !removed).map((diff) => [diff.ruleset, diff]))
  return (
    <>
      <section className="card" aria-label={texts.testResults}>
        <header>
          <h2>{texts.testResults}</h2>
        </header>
        {tests === null || tests.total === 0 ? (
          <p className="body muted">{texts.noTestsText}</p>
        ) : (
          <Results tests={tests} />
        )}
      </section>
      {Array.from(changed.values(), (diff) => (
        <ChangedCoverage
          key={diff.ruleset}
          diff={diff}
          seq={rulesets.find(({ name }) => name === diff.ruleset)?.from_seq ?? null}
        />
      ))}
      {analyses.map((one) => (
        <RequiredCoverage key={one.ruleset} analysis={one} />
      ))}
    </>
  )
}

function Results({ tests }: { readonly tests: TestRun }) {
  const { releases } = useTexts()
  const texts = useReviewTexts()
  const { passed, total, failed, results, coverage } = tests
  return (
    <div className="body stack">
      <p className="row">
        <span className="tag" data-tone={failed === 0 ? 'ok' : 'bad'}>
          <Icon name={failed === 0 ? 'check' : 'alert'} size={12} />
          {releases.tests(passed, total)}
        </span>
      </p>
      {failed > 0 && (
        <ul className="claims">
          {results
            .filter((one) => !one.passed)
            .slice(0, MAX_FAILED)
            .map(({ suite, case_id: id, name, failures }) => (
              <li key={`${suite} ${id}`} data-tone="bad">
                <Icon name="alert" />
                <div>
                  <b>{name}</b> {failures[0]?.message}
                </div>
              </li>
            ))}
        </ul>
      )}
      <h3>{texts.coverage}</h3>
      <ul className="meters">
        {(['steps', 'branches', 'rows'] as const).map((part) =>
          coverage[part].total === 0 ? null : (
            <Meter
              key={part}
              label={texts.coverageParts[part]}
              share={coverage[part].covered / coverage[part].total}
              note={`${coverage[part].covered} / ${coverage[part].total}`}
            />
          ),
        )}
      </ul>
    </div>
  )
}

function Meter({ label, share, note }: { readonly label: string; readonly share: number; readonly note: string }) {
  const { percent } = useNumbers()
  return (
    <li>
      <span>{label}</span>
      <span className="meter" aria-hidden="true">
        <span style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
      <span className="tnum">{percent(share)}</span>
      <span className="muted tnum">{note}</span>
    </li>
  )
}

/** The changed steps, branches and rows, each with the number of tests that reach it. */
function ChangedCoverage({ diff, seq }: { readonly diff: ReleaseDiff; readonly seq: number | null }) {
  const { places } = useTexts()
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  const { ruleset } = diff
  const { draft, error, refetch } = useSave(ruleset, seq)
  const cases = useCases(ruleset)
  const { surroundings, isKnown } = useReferences(draft?.config.contract ?? ruleset)
  const run = useQuery({
    queryKey: ['coverage of a release', oid, pid, ruleset, seq, cases],
    enabled: draft !== undefined && cases !== undefined && isKnown,
    queryFn: async () => {
      if (draft === undefined || cases === undefined) throw new Error('not loaded')
      const outcome = await ask('cases', { draft, ...surroundings, cases })
      if (outcome.kind !== 'ran') throw new Error(outcome.problems[0]?.message ?? '')
      return outcome.hits
    },
  })
  const parts = useMemo(() => (draft === undefined ? [] : coverableParts(changedPlaces(diff), draft)), [diff, draft])
  const failure = error ?? run.error
  return (
    <section className="card" aria-label={`${texts.changedCoverage}: ${ruleset}`}>
      <header>
        <h2>{texts.changedCoverage}</h2>
        <span className="muted">{ruleset}</span>
      </header>
      {failure !== null ? (
        <div className="body">
          <Failed error={failure} retry={() => Promise.all([refetch(), run.refetch()])} />
        </div>
      ) : draft === undefined || run.data === undefined ? (
        <Skeleton lines={3} />
      ) : parts.length === 0 ? (
        <p className="body muted">{texts.nothingChanged}</p>
      ) : (
        <>
          <p className="body muted">{texts.changedCoverageText}</p>
          <table className="list">
            <thead>
              <tr>
                <th scope="col">{texts.changedPart}</th>
                <th scope="col">{texts.covered}</th>
              </tr>
            </thead>
            <tbody>
              {parts.map(({ path, key }) => {
                const count = run.data.get(key) ?? 0
                return (
                  <tr key={key}>
                    <td>{place(path, draft, places)}</td>
                    <td>
                      <span className="tag" data-tone={count === 0 ? 'warn' : 'ok'}>
                        <Icon name={count === 0 ? 'alert' : 'check'} size={12} />
                        {texts.coveredBy(count)}
                      </span>
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </>
      )}
    </section>
  )
}

const KINDS = ['branches', 'conditions', 'boundaries', 'mutants'] as const

/** The coverage that a policy requires, as measured. */
function RequiredCoverage({ analysis: { ruleset, coverage } }: { readonly analysis: RulesetAnalysis }) {
  const texts = useReviewTexts()
  if (coverage === null) return null
  return (
    <section className="card" aria-label={`${texts.requiredCoverage}: ${ruleset}`}>
      <header>
        <h2>{texts.requiredCoverage}</h2>
        <span className="muted">{ruleset}</span>
      </header>
      <ul className="meters body">
        {KINDS.map((kind) => (
          <Meter
            key={kind}
            label={texts.coverageKinds[kind]}
            share={coverage[kind].percent / 100}
            note={coverage[kind].missing[0] ?? ''}
          />
        ))}
      </ul>
    </section>
  )
}
