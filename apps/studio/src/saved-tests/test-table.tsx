import { useSearch } from '@tanstack/react-router'
import { isNumber, type Value } from '@engine/expression'
import { type RefObject, useEffect, useRef } from 'react'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { pretty } from '../ui/json-text.ts'
import { Go } from '../ui/link.tsx'
import { DifferenceTable } from './difference-table.tsx'
import type { Outcome } from './expectation.ts'
import type { SavedTest, TestsPlace } from './saved-test.ts'
import { ResultTag } from './result-tag.tsx'
import { TestActions } from './test-actions.tsx'
import { inputFields, isNumeric, shownValue, valueAt, valuesOf, withMember } from './test-columns.ts'

/** The result of one test of a run. */
export type TestResult = components['schemas']['ProjectTestRun']['rulesets'][number]['results'][number]

/** The outcome of the draft in a test. */
export const outcomeOf = ({ actual: { code, message, output, error } }: TestResult): Outcome => ({
  code,
  message,
  output: output as Value | null,
  error,
})

interface TestTableProps {
  readonly place: TestsPlace
  readonly tests: readonly SavedTest[]
  /** By test id; tests that were not run are absent. */
  readonly results: ReadonlyMap<string, TestResult>
  /** Ids of the selected tests. */
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
}

/** The tests of a ruleset, failed ones first, with inputs, expected results and actual results. */
export function TestTable({ place, tests, results, chosen, choose }: TestTableProps) {
  const { tests: texts, savedTests } = useTexts()
  const { case: shown }: { readonly case?: string } = useSearch({ strict: false })
  const marked = useRef<HTMLTableRowElement>(null)
  const isHere = tests.some(({ id }) => id === shown)
  useEffect(() => {
    if (isHere) marked.current?.scrollIntoView({ block: 'center' })
  }, [isHere, shown])
  const hasSuites = new Set(tests.map(({ suiteId }) => suiteId)).size > 1
  const fields = inputFields(tests)
  const hasFailed = ({ id }: SavedTest) => results.get(id)?.passed === false
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={place.name}>
      <table className="list stacked tests">
        <thead>
          <tr>
            <th scope="col">
              <label className="select">
                <input
                  type="checkbox"
                  aria-label={savedTests.selectAll}
                  checked={chosen.size === tests.length}
                  onChange={({ target }) => choose(new Set(target.checked ? tests.map(({ id }) => id) : []))}
                />
              </label>
            </th>
            <th scope="col">{texts.name}</th>
            {hasSuites && <th scope="col">{texts.suite}</th>}
            {fields.map((field) => (
              <th key={field} scope="col" className={isNumeric(tests, field) ? 'num' : undefined}>
                {field}
              </th>
            ))}
            <th scope="col">{texts.expected}</th>
            <th scope="col">{texts.result}</th>
          </tr>
        </thead>
        <tbody>
          {[...tests.filter(hasFailed), ...tests.filter((test) => !hasFailed(test))].map((test) => (
            <TestRow
              key={test.id}
              place={place}
              test={test}
              fields={fields}
              result={results.get(test.id)}
              hasSuites={hasSuites}
              marked={test.id === shown ? marked : undefined}
              isChosen={chosen.has(test.id)}
              choose={(isIn) => choose(withMember(chosen, test.id, isIn))}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface TestRowProps {
  readonly place: TestsPlace
  readonly test: SavedTest
  /** The input fields that have a column. */
  readonly fields: readonly string[]
  readonly result: TestResult | undefined
  readonly hasSuites: boolean
  /** Set for the test in the URL. */
  readonly marked: RefObject<HTMLTableRowElement | null> | undefined
  readonly isChosen: boolean
  readonly choose: (isChosen: boolean) => void
}

function TestRow({ place, test, fields, result, hasSuites, marked, isChosen, choose }: TestRowProps) {
  const { tests: texts, savedTests } = useTexts()
  const { oid, pid, name } = place
  const { id, name: title, suite, input, expect } = test
  const failure = result?.passed === false ? result : undefined
  return (
    <>
      <tr
        ref={marked}
        aria-current={marked === undefined ? undefined : 'true'}
        data-failed={failure === undefined ? undefined : ''}
      >
        <td>
          <label className="select">
            <input
              type="checkbox"
              aria-label={savedTests.select(title)}
              checked={isChosen}
              onChange={({ target }) => choose(target.checked)}
            />
          </label>
        </td>
        <td data-title={texts.name}>
          <Go to={paths.tests(oid, pid)} search={{ case: id }}>
            {title}
          </Go>
        </td>
        {hasSuites && (
          <td data-title={texts.suite} className="muted">
            {suite}
          </td>
        )}
        {fields.map((field) => (
          <Value key={field} field={field} input={input} />
        ))}
        <td data-title={texts.expected}>
          <span className="expected" title={expect.output === undefined ? undefined : pretty(expect.output)}>
            <code>{expect.code ?? expect.error ?? expect.message}</code>
            {expect.output !== undefined && <span className="muted"> {valuesOf(expect.output)}</span>}
          </span>
        </td>
        <td data-title={texts.result}>
          <span className="row result-cell">
            <ResultTag passed={result?.passed} />
            <span className="grow" />
            <TestActions place={place} test={test} outcome={failure && outcomeOf(failure)} />
            <Go
              to={paths.ruleset(oid, pid, name)}
              search={{ run: id }}
              className="btn icon"
              data-kind="quiet"
              aria-label={savedTests.open(title)}
              title={texts.open}
            >
              <Icon name="play" size={13} />
            </Go>
          </span>
        </td>
      </tr>
      {failure !== undefined && (
        <tr data-failed="">
          <td />
          <td colSpan={fields.length + (hasSuites ? 4 : 3)}>
            <DifferenceTable
              expect={expect}
              outcome={outcomeOf(failure)}
              failures={failure.failures.map(({ message }) => message)}
            />
          </td>
        </tr>
      )}
    </>
  )
}

/** An input field; texts are shown without quotes, booleans in words. */
function Value({ field, input }: { readonly field: string; readonly input: Value }) {
  const { cellForms } = useTexts()
  const value = valueAt(input, field)
  return (
    <td data-title={field} title={pretty(input)} className={isNumber(value ?? null) ? 'num' : undefined}>
      {typeof value === 'boolean' ? (value ? cellForms.yes : cellForms.no) : shownValue(value)}
    </td>
  )
}
