import type { components } from '../api/schema.ts'
import { useImportTexts } from './import-texts.ts'
import { Icon } from '../ui/icon.tsx'

type Report = components['schemas']['ImportReport']
type Reason = Report['reasons'][number]
type Document = Report['documents'][number]

const VERDICTS = { ready: 'ok', review: 'warn', refused: 'bad' } as const
const SEVERITIES = { error: 'bad', warning: 'warn', info: undefined } as const

/** The report of an import: a verdict, then files, tests and reasons. */
export function ImportReport({
  report,
  isBusy,
  apply,
}: {
  readonly report: Report
  readonly isBusy: boolean
  readonly apply: () => void
}) {
  const texts = useImportTexts()
  const { summary, documents, reasons } = report
  const { ready, review, refused, cases, failed } = summary
  const count = documents.reduce((sum, { rulesets }) => sum + rulesets.length, 0)
  const tone = refused > 0 ? 'bad' : review > 0 ? 'warn' : 'ok'
  return (
    <section className="stack" aria-label={texts.report}>
      <div className="card import-verdict" role="status">
        <span style={{ color: `var(--${tone})` }}>
          <Icon name={tone === 'ok' ? 'ok' : 'alert'} size={20} />
        </span>
        <div className="grow">
          <h2>{texts.verdict(ready, review, refused)}</h2>
          <p>
            {refused < documents.length && `${texts.casesRun(cases - failed, cases)} `}
            <span className="muted">
              {refused > 0 ? texts.refusedText : review > 0 ? texts.reviewText : texts.applyText}
            </span>
          </p>
        </div>
        <button
          type="button"
          className="btn"
          data-kind="primary"
          disabled={refused > 0 || count === 0}
          aria-disabled={isBusy || undefined}
          onClick={() => isBusy || apply()}
        >
          {texts.apply(count)}
        </button>
      </div>
      <Documents documents={documents} />
      <Cases documents={documents} />
      <section className="card" aria-label={texts.reasons}>
        <header>
          <h2>{texts.reasons}</h2>
        </header>
        {reasons.length === 0 ? (
          <p className="body muted">{texts.noReasons}</p>
        ) : (
          reasons.map((reason) => <ReasonPlaces key={`${reason.severity} ${reason.code}`} reason={reason} />)
        )}
      </section>
    </section>
  )
}

function Documents({ documents }: { readonly documents: readonly Document[] }) {
  const texts = useImportTexts()
  return (
    <div className="card scroll" tabIndex={0} role="region" aria-label={`${texts.report}: ${texts.documents}`}>
      <table className="list stacked">
        <thead>
          <tr>
            <th scope="col">{texts.document}</th>
            <th scope="col">{texts.becomes}</th>
            <th scope="col">{texts.cases}</th>
            <th scope="col">{texts.report}</th>
          </tr>
        </thead>
        <tbody>
          {documents.map(({ document, verdict, rulesets, cases }, index) => (
            <tr key={index}>
              <td data-title={texts.document}>
                <b>{document}</b>
              </td>
              <td data-title={texts.becomes}>
                {rulesets.length === 0 ? <span className="muted">{texts.nothing}</span> : rulesets.join(', ')}
              </td>
              <td data-title={texts.cases} className="tnum">
                {cases.length > 0
                  ? texts.passedOf(cases.filter(({ passed }) => passed).length, cases.length)
                  : verdict === 'refused'
                    ? texts.notRun
                    : texts.none}
              </td>
              <td data-title={texts.report}>
                <span className="tag" data-tone={VERDICTS[verdict]}>
                  {texts.verdicts[verdict]}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The imported tests; those that fail are expanded. */
function Cases({ documents }: { readonly documents: readonly Document[] }) {
  const texts = useImportTexts()
  const cases = documents.flatMap((document) => document.cases.map((one) => ({ ...one, document: document.document })))
  const failed = cases.filter(({ passed }) => !passed)
  if (cases.length === 0) return null
  const list = (shown: typeof cases) => (
    <ul className="import-cases">
      {shown.map(({ document, ruleset, name, passed, failures }, index) => (
        <li key={index}>
          <span className="tag" data-tone={passed ? 'ok' : 'bad'}>
            {passed ? texts.passed : texts.failed}
          </span>
          <div>
            <b>{name}</b> <span className="muted">{[ruleset, document].filter(Boolean).join(', ')}</span>
            {failures.map((failure) => (
              <div key={failure}>{failure}</div>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
  return (
    <section className="card" aria-label={texts.cases}>
      {failed.length > 0 && (
        <>
          <header>
            <h2>{texts.failedCases}</h2>
          </header>
          {list(failed)}
        </>
      )}
      <details className="body">
        <summary>{texts.allCases(cases.length)}</summary>
        {list(cases)}
      </details>
    </section>
  )
}

function ReasonPlaces({ reason: { severity, code, count, places } }: { readonly reason: Reason }) {
  const texts = useImportTexts()
  const title = Object.hasOwn(texts.codes, code) ? texts.codes[code] : code
  return (
    <details className="import-reason" open={severity === 'error'}>
      <summary>
        <span className="tag" data-tone={SEVERITIES[severity]}>
          {texts.severities[severity]}
        </span>
        <b>{title}</b>
        <span className="muted tnum">{texts.places(count)}</span>
      </summary>
      <ul>
        {places.map(({ document, path, message, line, column }, index) => (
          <li key={index}>
            <span>{message}</span>
            <span className="muted">
              {document}
              {line !== undefined && column !== undefined && `, ${texts.position(line, column)}`}
              {path !== '' && (
                <>
                  {', '}
                  <code>{path}</code>
                </>
              )}
            </span>
          </li>
        ))}
        {count > places.length && <li className="muted">{texts.hidden(count - places.length)}</li>}
      </ul>
    </details>
  )
}
