import type { Case } from '@engine/authoring'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Checks } from '../state/checks.ts'

interface CasesViewProps {
  readonly checks: Checks
  readonly cases: readonly Case[]
  readonly isCovering: boolean
  readonly cover: (isCovering: boolean) => void
  readonly execute: (one: Case) => void
}

/** The results of the saved cases with the current draft, and their coverage of the rules. */
export function CasesView({ checks, cases, isCovering, cover, execute }: CasesViewProps) {
  const { debug } = useTexts()
  if (cases.length === 0) return <p className="muted">{debug.noCases}</p>
  const outcomes = new Map(checks.cases?.map(({ name, failures }) => [name, failures]))
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
      <ul className="problem-list">
        {cases.map((one) => (
          <li key={`${one.suite ?? ''} ${one.name}`}>
            <button type="button" className="btn" data-kind="quiet" onClick={() => execute(one)}>
              <Outcome failures={outcomes.get(one.name)} />
              {one.name}
              <span className="muted">{outcomes.get(one.name)?.join('; ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
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
