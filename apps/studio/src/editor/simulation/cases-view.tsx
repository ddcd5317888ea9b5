import { useIds } from '../../frame/route-scope.ts'
import type { LocalCase } from '../../language/tasks.ts'
import type { SavedTest } from '../../saved-tests/saved-test.ts'
import { TestActions } from '../../saved-tests/test-actions.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Checks } from '../state/checks.ts'

interface CasesViewProps {
  /** Name of the ruleset. */
  readonly name: string
  readonly checks: Checks
  readonly cases: readonly SavedTest[]
  readonly isCovering: boolean
  readonly cover: (isCovering: boolean) => void
  readonly execute: (one: SavedTest) => void
}

/** The results of the saved tests with the current draft, and their coverage of the rules. */
export function CasesView({ name, checks, cases, isCovering, cover, execute }: CasesViewProps) {
  const { debug } = useTexts()
  const place = { ...useIds(), name }
  if (cases.length === 0) return <p className="muted">{debug.noCases}</p>
  const results = new Map(checks.cases?.map((one) => [one.id, one]))
  return (
    <>
      <div className="row wrap">
        <button
          type="button"
          className="btn"
          aria-pressed={isCovering}
          disabled={checks.coverage === undefined}
          onClick={() => cover(!isCovering)}
        >
          <Icon name="test" size={13} />
          {debug.showCoverage}
        </button>
        <CoverageTags checks={checks} />
      </div>
      <ul className="problem-list test-list">
        {cases.map((one) => {
          const result = results.get(one.id)
          const isFailed = result !== undefined && result.failures.length > 0
          return (
            <li key={one.id}>
              <button type="button" className="btn" data-kind="quiet" onClick={() => execute(one)}>
                <Outcome failures={result?.failures} />
                <span className="test-name">{one.name}</span>
              </button>
              <TestActions place={place} test={one} outcome={isFailed ? result.outcome : undefined} />
              {isFailed && <Failures result={result} />}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function Failures({ result: { failures } }: { readonly result: LocalCase }) {
  return (
    <ul className="test-failures">
      {failures.map((message) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  )
}

function Outcome({ failures }: { readonly failures: readonly string[] | undefined }) {
  const { tests } = useTexts()
  if (failures === undefined) return <span className="tag">{tests.notRun}</span>
  return failures.length === 0 ? (
    <span className="tag" data-tone="ok">
      <Icon name="check" size={12} />
      {tests.passed}
    </span>
  ) : (
    <span className="tag" data-tone="bad">
      <Icon name="x" size={12} />
      {tests.failed}
    </span>
  )
}

function CoverageTags({ checks: { coverage } }: { readonly checks: Checks }) {
  const { tests } = useTexts()
  if (coverage === undefined) return null
  return (['steps', 'branches', 'rows'] as const).map((kind) => {
    const { covered, total, missing } = coverage.coverage[kind]
    return total === 0 ? null : (
      <span key={kind} className="tag tnum" data-tone={covered === total ? 'ok' : 'warn'} title={missing.join('\n')}>
        {tests.coverage[kind]} {covered}/{total}
      </span>
    )
  })
}
