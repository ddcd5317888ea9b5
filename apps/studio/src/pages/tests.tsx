import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { CoverageTags } from '../saved-tests/coverage-tags.tsx'
import { acceptOutcome } from '../saved-tests/expectation.ts'
import { removeTest, replaceTest, type SavedTest, TESTS, testsIn, type TestsPlace } from '../saved-tests/saved-test.ts'
import { type ShownRun, withResults } from '../saved-tests/test-run.ts'
import { TestFiles } from '../saved-tests/test-files.tsx'
import { outcomeOf, type TestResult, TestTable } from '../saved-tests/test-table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Choice } from '../ui/choice.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending, Refusal } from '../ui/states.tsx'
import { UncoveredParts } from './uncovered-parts.tsx'
import '../styles/tests.css'

/** The highlighted case, by id, and the ruleset to which the list is limited. */
export interface TestsSearch {
  readonly case?: string
  readonly ruleset?: string
}

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'

/** The saved cases of every ruleset or of one, and their results. */
export function TestsPage() {
  const { tests: texts } = useTexts()
  const path = useIds()
  const { ruleset }: TestsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const rulesets = useList(`${PROJECT}/rulesets`, { path })
  const names = rulesets.items?.map(({ name }) => name) ?? []
  const only = names.length === 1 ? names[0] : names.find((name) => name === ruleset)
  const shown = only === undefined ? names : [only]
  const [runs, setRuns] = useState<ReadonlyMap<string, ShownRun>>(new Map())
  const runAll = useSend('post', `${PROJECT}/tests/run`, [])
  const runOne = useSend('post', `${PROJECT}/rulesets/{name}/tests/run`, [])
  const run = () => {
    if (only === undefined)
      runAll.mutate(
        { path, body: {} },
        { onSuccess: (outcome) => setRuns(new Map(outcome.rulesets.map((one) => [one.name, one]))) },
      )
    else
      runOne.mutate(
        { path: { ...path, name: only }, body: {} },
        { onSuccess: (outcome) => setRuns((known) => new Map(known).set(only, outcome)) },
      )
  }
  const runChosen = (name: string) => (ids: readonly string[]) =>
    runOne.mutate(
      { path: { ...path, name }, body: { case_ids: [...ids] } },
      { onSuccess: (outcome) => setRuns((known) => new Map(known).set(name, withResults(known.get(name), outcome))) },
    )
  const results = shown.flatMap((name) => runs.get(name)?.results ?? [])
  return (
    <Page
      title={only === undefined ? texts.title : texts.titleOf(only)}
      text={only === undefined ? texts.text : texts.textOf}
      actions={
        <PermissionButton right="test.run" kind="primary" run={run}>
          <Icon name="play" />
          {runAll.isPending || runOne.isPending ? texts.running : texts.run}
        </PermissionButton>
      }
    >
      <Refusal error={runAll.error ?? runOne.error} />
      {results.length > 0 && <Summary results={results} />}
      {names.length > 1 && (
        <div className="row wrap filters">
          <Choice
            label={texts.ruleset}
            value={only ?? texts.all}
            options={[texts.all, ...names]}
            choose={(name) => void navigate({ to: '.', search: name === texts.all ? {} : { ruleset: name } })}
          />
        </div>
      )}
      {rulesets.items === undefined ? (
        <Pending of={rulesets} />
      ) : only !== undefined ? (
        <div className="tests-of-one">
          <Ruleset name={only} run={runs.get(only)} runChosen={runChosen(only)} />
          <UncoveredParts name={only} />
        </div>
      ) : names.length === 0 ? (
        <Empty picture="scales" title={texts.none} text={texts.noneText} />
      ) : (
        names.map((name) => <Ruleset key={name} name={name} run={runs.get(name)} runChosen={runChosen(name)} />)
      )}
    </Page>
  )
}

/** Maximum number of bars in the summary. */
const MAX_BARS = 200

/** The number of passing tests, and the others. */
function Summary({ results }: { readonly results: readonly TestResult[] }) {
  const { tests: texts, savedTests } = useTexts()
  const failed = results.filter((one) => !one.passed)
  const passed = results.length - failed.length
  return (
    <section className="card test-summary" aria-label={texts.result}>
      <Ring share={passed / results.length} />
      <p role="status">
        <span className="vh">{texts.outcome(passed, results.length)}</span>
        <span aria-hidden="true">
          <b className="figure tnum">{passed}</b> {savedTests.passing(results.length)}
        </span>
        {failed.length > 0 && (
          <span className="muted">
            {savedTests.failing(
              failed
                .slice(0, 3)
                .map(({ name }) => name)
                .join(', '),
            )}
          </span>
        )}
      </p>
      <div className="test-bars" aria-hidden="true">
        {results.slice(0, MAX_BARS).map((one) => (
          <i key={one.case_id} data-failed={one.passed ? undefined : ''} title={one.name} />
        ))}
      </div>
    </section>
  )
}

/** The share of passing tests as a decorative ring. */
function Ring({ share }: { readonly share: number }) {
  return (
    <svg className="test-ring" viewBox="0 0 44 44" width="44" height="44" aria-hidden="true">
      <circle cx="22" cy="22" r="18" pathLength="1" />
      <circle cx="22" cy="22" r="18" pathLength="1" strokeDasharray={`${share} 1`} />
    </svg>
  )
}

interface RulesetProps {
  readonly name: string
  readonly run: ShownRun | undefined
  /** Run some of its tests, by id. */
  readonly runChosen: (ids: readonly string[]) => void
}

function Ruleset({ name, run, runChosen }: RulesetProps) {
  const { tests: texts } = useTexts()
  const { oid, pid } = useIds()
  const place = { oid, pid, name }
  const suites = useGet(TESTS, { path: place })
  const tests = useMemo(() => testsIn(suites.data?.items ?? []), [suites.data])
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const results = new Map(run?.results.map((one) => [one.case_id, one]))
  return (
    <section className="card">
      <header>
        <h2>
          <Go to={paths.ruleset(oid, pid, name)}>{name}</Go>
        </h2>
        <span className="muted tnum">{texts.cases(tests.length)}</span>
        <span className="grow" />
        {run?.coverage !== undefined && <CoverageTags coverage={run.coverage} />}
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
            run={runChosen}
            clear={() => choose(new Set())}
          />
          <TestTable place={place} tests={tests} results={results} chosen={chosen} choose={choose} />
        </>
      )}
    </section>
  )
}

interface ChosenProps {
  readonly place: TestsPlace
  readonly tests: readonly SavedTest[]
  readonly results: ReadonlyMap<string, TestResult>
  readonly run: (ids: readonly string[]) => void
  readonly clear: () => void
}

/** Actions on the selected tests. */
function Chosen({ place, tests, results, run, clear }: ChosenProps) {
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
      <PermissionButton right="test.run" run={() => run(tests.map(({ id }) => id))}>
        {savedTests.runMany(tests.length)}
      </PermissionButton>
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
