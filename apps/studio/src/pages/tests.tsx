import { useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/place.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
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
      {outcome !== undefined && (
        <p className="note" data-tone={outcome.failed === 0 ? 'ok' : 'bad'} role="status">
          <Icon name={outcome.failed === 0 ? 'ok' : 'alert'} />
          {texts.outcome(outcome.passed, outcome.total)}
        </p>
      )}
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

function Ruleset({ name, outcome }: { readonly name: string; readonly outcome: Run['rulesets'][number] | undefined }) {
  const { tests: texts } = useTexts()
  const { oid, pid } = useIds()
  const suites = useGet('/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests', { path: { oid, pid, name } })
  const cases = suites.data?.items.flatMap((suite) => suite.cases.map((one) => ({ ...one, suite: suite.name }))) ?? []
  const { case: shown }: TestsSearch = useSearch({ strict: false })
  const marked = useRef<HTMLTableRowElement>(null)
  const isHere = cases.some(({ id }) => id === shown)
  useEffect(() => {
    if (isHere) marked.current?.scrollIntoView({ block: 'center' })
  }, [isHere, shown])
  return (
    <section className="card">
      <header>
        <h2>
          <Go to={paths.ruleset(oid, pid, name)}>{name}</Go>
        </h2>
        <span className="muted tnum">{texts.cases(cases.length)}</span>
        <span className="grow" />
        {outcome !== undefined && <Coverage coverage={outcome.coverage} />}
      </header>
      {suites.data === undefined ? (
        <Pending of={suites} lines={3} />
      ) : cases.length === 0 ? (
        <p className="body muted">{texts.noCases}</p>
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label={name}>
          <table className="list stacked">
            <thead>
              <tr>
                <th scope="col">{texts.name}</th>
                <th scope="col">{texts.suite}</th>
                <th scope="col">{texts.input}</th>
                <th scope="col">{texts.expected}</th>
                <th scope="col">{texts.result}</th>
              </tr>
            </thead>
            <tbody>
              {cases.map(({ id, name: title, suite, input, expect }) => (
                <tr key={id} ref={id === shown ? marked : undefined} aria-current={id === shown ? 'true' : undefined}>
                  <td data-title={texts.name}>
                    <Go to={paths.tests(oid, pid)} search={{ case: id }}>
                      {title}
                    </Go>
                  </td>
                  <td data-title={texts.suite} className="muted">
                    {suite}
                  </td>
                  <td data-title={texts.input}>
                    <code title={pretty(input)}>{short(input as never, 48)}</code>
                  </td>
                  <td data-title={texts.expected}>
                    <code>{expect.code ?? expect.error ?? expect.message}</code>
                  </td>
                  <td data-title={texts.result}>
                    <span className="row">
                      <Outcome result={outcome?.results.find((one) => one.case_id === id)} />
                      <span className="grow" />
                      <Go to={paths.ruleset(oid, pid, name)} search={{ run: id }} className="btn">
                        {texts.open}
                        <span className="vh"> {title}</span>
                      </Go>
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Outcome({ result }: { readonly result: Result | undefined }) {
  const { tests: texts } = useTexts()
  if (result === undefined) return <span className="muted">{texts.notRun}</span>
  return result.passed ? (
    <span className="tag" data-tone="ok">
      <Icon name="check" size={12} />
      {texts.passed}
    </span>
  ) : (
    <span>
      <span className="tag" data-tone="bad">
        <Icon name="x" size={12} />
        {texts.failed}
      </span>{' '}
      {result.failures.map(({ message }) => message).join('; ')}
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
