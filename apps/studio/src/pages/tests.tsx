import { useSearch } from '@tanstack/react-router'
import { isNumber, isObject, type Value } from '@engine/expression'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { acceptOutcome } from '../saved-tests/expectation.ts'
import { removeTest, replaceTest, type SavedTest, TESTS, testsIn, type TestsPlace } from '../saved-tests/saved-test.ts'
import { DifferenceTable } from '../saved-tests/difference-table.tsx'
import { TestActions } from '../saved-tests/test-actions.tsx'
import { TestFiles } from '../saved-tests/test-files.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty, short } from '../ui/json-text.ts'
import { Empty, Pending, Refusal } from '../ui/states.tsx'

type Run = components['schemas']['ProjectTestRun']
type Result = Run['rulesets'][number]['results'][number]

/** The selected case, by its id. */
export interface TestsSearch {
  readonly case?: string
}

/** The saved cases of every ruleset, and their results. */
export function TestsPage() {
  const { tests: texts } = useTexts()
  const { oid, pid } = useIds()
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: { oid, pid } })
  const run = useSend('post', '/api/v1/orgs/{oid}/projects/{pid}/tests/run', [])
  const outcome = run.data
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <PermissionButton right="test.run" kind="primary" run={() => run.mutate({ path: { oid, pid }, body: {} })}>
          <Icon name="play" />
          {run.isPending ? texts.running : texts.run}
        </PermissionButton>
      }
    >
      <Refusal error={run.error} />
      {outcome !== undefined && <Summary run={outcome} />}
      {rulesets.items === undefined ? (
        <Pending of={rulesets} />
      ) : rulesets.items.length === 0 ? (
        <Empty picture="scales" title={texts.none} text={texts.noneText} />
      ) : (
        rulesets.items.map(({ name }) => (
          <Ruleset key={name} name={name} outcome={outcome?.rulesets.find((one) => one.name === name)} />
        ))
      )}
    </Page>
  )
}

/** Bars that the summary draws at most. */
const MAX_BARS = 200

/** How many tests pass, and which do not. */
function Summary({ run: { passed, failed, total, rulesets } }: { readonly run: Run }) {
  const { tests: texts, savedTests } = useTexts()
  const results = rulesets.flatMap((one) => one.results)
  const names = results.filter((one) => !one.passed).map(({ name }) => name)
  return (
    <section className="card test-summary" aria-label={texts.result}>
      <p role="status">
        <span className="vh">{texts.outcome(passed, total)}</span>
        <span aria-hidden="true">
          <b className="figure tnum">{passed}</b> {savedTests.passing(total)}
        </span>
        {failed > 0 && <span className="muted">{savedTests.failing(names.slice(0, 3).join(', '))}</span>}
      </p>
      <div className="test-bars" aria-hidden="true">
        {results.slice(0, MAX_BARS).map((one) => (
          <i key={one.case_id} data-failed={one.passed ? undefined : ''} title={one.name} />
        ))}
      </div>
    </section>
  )
}

function Ruleset({ name, outcome }: { readonly name: string; readonly outcome: Run['rulesets'][number] | undefined }) {
  const { tests: texts, savedTests } = useTexts()
  const { oid, pid } = useIds()
  const place = { oid, pid, name }
  const suites = useGet(TESTS, { path: place })
  const tests = useMemo(() => testsIn(suites.data?.items ?? []), [suites.data])
  const { case: shown }: TestsSearch = useSearch({ strict: false })
  const marked = useRef<HTMLTableRowElement>(null)
  const isHere = tests.some(({ id }) => id === shown)
  useEffect(() => {
    if (isHere) marked.current?.scrollIntoView({ block: 'center' })
  }, [isHere, shown])
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const results = new Map(outcome?.results.map((one) => [one.case_id, one]))
  const hasSuites = new Set(tests.map(({ suiteId }) => suiteId)).size > 1
  const fields = inputFields(tests)
  return (
    <section className="card">
      <header>
        <h2>
          <Go to={paths.ruleset(oid, pid, name)}>{name}</Go>
        </h2>
        <span className="muted tnum">{texts.cases(tests.length)}</span>
        <span className="grow" />
        {outcome !== undefined && <Coverage coverage={outcome.coverage} />}
        <TestFiles place={place} />
      </header>
      {suites.data === undefined ? (
        <Pending of={suites} lines={3} />
      ) : tests.length === 0 ? (
        <p className="body muted">{texts.noCases}</p>
      ) : (
        <>
          <Chosen
            place={place}
            tests={tests.filter(({ id }) => chosen.has(id))}
            results={results}
            clear={() => choose(new Set())}
          />
          <div className="scroll" tabIndex={0} role="region" aria-label={name}>
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
                {tests.map((test) => (
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
        </>
      )}
    </section>
  )
}

interface TestRowProps {
  readonly place: TestsPlace
  readonly test: SavedTest
  /** The fields of inputs that have a column. */
  readonly fields: readonly string[]
  readonly result: Result | undefined
  readonly hasSuites: boolean
  /** Set for the test in the address. */
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
            <Outcome result={result} />
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

/** Columns for the fields of inputs; further fields are in the title of each cell. */
const MAX_FIELDS = 6

/** The fields of the inputs, dotted, those of most tests first. */
function inputFields(tests: readonly SavedTest[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { input } of tests) for (const path of pathsIn(input)) counts.set(path, (counts.get(path) ?? 0) + 1)
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_FIELDS)
    .map(([path]) => path)
}

function pathsIn(value: Value): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) ? pathsIn(inner).map((path) => `${key}.${path}`) : [key],
  )
}

/** The value at a path of `pathsIn`; a name may contain dots itself. */
function valueAt(value: Value, path: string): Value | undefined {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const first = path.slice(0, dot)
    const found = Object.hasOwn(value, first) ? valueAt(value[first] ?? null, path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The values of an output in one line, without the names of its fields. */
function valuesOf(output: Value): string {
  const values = isObject(output) ? Object.values(output) : [output]
  const words = values.map((value) => shownValue(value)).join(' · ')
  return words.length > 40 ? `${words.slice(0, 39)}…` : words
}

/** Whether the values of a field are numbers: they are aligned. */
const isNumeric = (tests: readonly SavedTest[], field: string) =>
  tests.some(({ input }) => isNumber(valueAt(input, field) ?? null))

/** A field of an input; a text is shown as it is, yes and no in words. */
function Value({ field, input }: { readonly field: string; readonly input: Value }) {
  const { cellForms } = useTexts()
  const value = valueAt(input, field)
  return (
    <td data-title={field} title={pretty(input)} className={isNumber(value ?? null) ? 'num' : undefined}>
      {typeof value === 'boolean' ? (value ? cellForms.yes : cellForms.no) : shownValue(value)}
    </td>
  )
}

const shownValue = (value: Value | undefined) =>
  value === undefined ? '' : typeof value === 'string' ? value : short(value, 24)

function withMember(set: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(set)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}

const outcomeOf = ({ actual: { code, message, output, error } }: Result) => ({
  code,
  message,
  output: output as Value | null,
  error,
})

interface ChosenProps {
  readonly place: TestsPlace
  readonly tests: readonly SavedTest[]
  readonly results: ReadonlyMap<string, Result>
  readonly clear: () => void
}

/** Actions on the selected tests. */
function Chosen({ place, tests, results, clear }: ChosenProps) {
  const { savedTests } = useTexts()
  const mayEdit = useMay('ruleset.edit')
  const [isRemoving, setRemoving] = useState(false)
  const [error, setError] = useState<Error>()
  if (tests.length === 0) return null
  const failed = tests.flatMap((test) => {
    const result = results.get(test.id)
    return result?.passed === false ? [{ ...test, expect: acceptOutcome(test.expect, outcomeOf(result)) }] : []
  })
  const accept = async () => {
    for (const test of failed) await replaceTest(place, test)
    clear()
  }
  return (
    <div className="row wrap body" role="group" aria-label={savedTests.selected(tests.length)}>
      <span className="tnum">{savedTests.selected(tests.length)}</span>
      {mayEdit && failed.length > 0 && (
        <button type="button" className="btn" onClick={() => void accept().catch(setError)}>
          {savedTests.acceptMany(failed.length)}
        </button>
      )}
      {mayEdit && (
        <button type="button" className="btn" onClick={() => setRemoving(true)}>
          {savedTests.removeMany(tests.length)}
        </button>
      )}
      <Refusal error={error} />
      {isRemoving && (
        <Confirm
          title={savedTests.removeMany(tests.length)}
          text={savedTests.removeText}
          submit={savedTests.remove}
          close={() => setRemoving(false)}
          send={async () => {
            for (const test of tests) await removeTest(place, test)
            clear()
          }}
        />
      )}
    </div>
  )
}

function Outcome({ result }: { readonly result: Result | undefined }) {
  const { tests: texts } = useTexts()
  if (result === undefined) return <span className="tag">{texts.notRun}</span>
  return result.passed ? (
    <span className="tag" data-tone="ok">
      <Icon name="check" size={12} />
      {texts.passed}
    </span>
  ) : (
    <span className="tag" data-tone="bad">
      <Icon name="x" size={12} />
      {texts.failed}
    </span>
  )
}

function Coverage({ coverage }: Pick<Run['rulesets'][number], 'coverage'>) {
  const { tests: texts } = useTexts()
  return (['steps', 'branches', 'rows'] as const).map((kind) => {
    const { covered, total, missing } = coverage[kind]
    return total === 0 ? null : (
      <span key={kind} className="tag tnum" data-tone={covered === total ? 'ok' : 'warn'} title={missing.join('\n')}>
        {texts.coverage[kind]} {covered}/{total}
      </span>
    )
  })
}
