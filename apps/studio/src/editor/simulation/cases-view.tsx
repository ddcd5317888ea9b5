import { isObject, type Value } from '@engine/expression'
import { useIds } from '../../frame/route-scope.ts'
import type { LocalCase } from '../../language/tasks.ts'
import { CoverageTags } from '../../saved-tests/coverage-tags.tsx'
import { DifferenceTable } from '../../saved-tests/difference-table.tsx'
import { ResultTag } from '../../saved-tests/result-tag.tsx'
import type { SavedTest, TestsPlace } from '../../saved-tests/saved-test.ts'
import { TestActions } from '../../saved-tests/test-actions.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { short } from '../../ui/json-text.ts'
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
  const { debug, tests } = useTexts()
  const place = { ...useIds(), name }
  if (cases.length === 0) return <p className="muted">{debug.noCases}</p>
  const fields = fieldsOf(cases)
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
        {checks.coverage !== undefined && <CoverageTags coverage={checks.coverage.coverage} />}
      </div>
      <div className="scroll">
        <table className="list test-table">
          <thead>
            <tr>
              <th scope="col">{tests.name}</th>
              {fields.map((field) => (
                <th key={field} scope="col">
                  {field}
                </th>
              ))}
              <th scope="col">{tests.expected}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {cases.map((one) => (
              <TestRows
                key={one.id}
                place={place}
                test={one}
                result={results.get(one.id)}
                fields={fields}
                execute={() => execute(one)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const membersOf = (input: Value): { readonly [key: string]: Value } => (isObject(input) ? input : {})

/** Maximum number of input fields with a column. */
const MAX_FIELDS = 5

/** The most common input fields, in the order in which they first appear. */
function fieldsOf(cases: readonly SavedTest[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { input } of cases)
    for (const name of Object.keys(membersOf(input))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts.keys()]
  const common = new Set(
    names.toSorted((left, right) => (counts.get(right) ?? 0) - (counts.get(left) ?? 0)).slice(0, MAX_FIELDS),
  )
  return names.filter((name) => common.has(name))
}

interface TestRowsProps {
  readonly place: TestsPlace
  readonly test: SavedTest
  /** Undefined if not run yet. */
  readonly result: LocalCase | undefined
  readonly fields: readonly string[]
  readonly execute: () => void
}

/** A test with its input and expected result; a failed one is followed by its differences. */
function TestRows({ place, test, result, fields, execute }: TestRowsProps) {
  const isFailed = result !== undefined && result.failures.length > 0
  const { code, error, output } = test.expect
  const given = membersOf(test.input)
  return (
    <>
      <tr data-failed={isFailed ? '' : undefined}>
        <td>
          <button type="button" className="btn" data-kind="quiet" onClick={execute}>
            <ResultTag passed={result && !isFailed} />
            <span className="test-name">{test.name}</span>
          </button>
        </td>
        {fields.map((field) => {
          const value = given[field]
          return (
            <td key={field} className="tnum">
              {typeof value === 'string' ? value : value === undefined ? '–' : short(value)}
            </td>
          )
        })}
        <td>
          <code>{code ?? error}</code> {output !== undefined && <span className="muted mono">{short(output, 40)}</span>}
        </td>
        <td>
          <TestActions place={place} test={test} outcome={isFailed ? result.outcome : undefined} />
        </td>
      </tr>
      {isFailed && (
        <tr data-failed="">
          <td colSpan={fields.length + 3}>
            <DifferenceTable expect={test.expect} outcome={result.outcome} failures={result.failures} />
          </td>
        </tr>
      )}
    </>
  )
}
