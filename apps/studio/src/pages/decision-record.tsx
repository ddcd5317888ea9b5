import { useGet } from '../api/data.ts'
import { type Decision, isMasked, recordedIn, pathsOf, valueAt } from '../decisions/decision-fields.ts'
import { FieldValue } from '../decisions/field-value.tsx'
import { useDecisionRecordTexts, useDecisionTexts } from '../decisions/decision-texts.ts'
import { useContents, useDecidedAgain } from '../decisions/deciding-content.ts'
import { PathOfDecision } from '../decisions/path-of-decision.tsx'
import type { components } from '../api/schema.ts'
import { Author } from '../frame/author.tsx'
import { useIds, useParameter, useProject } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import '../styles/decisions.css'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
type Recorded = components['schemas']['RecordedDecision']

/** A printable record of one decision: its summary, input, rules, release with approvals, and receipt. */
export function DecisionRecordPage() {
  const texts = useDecisionRecordTexts()
  const time = useTime()
  const { oid, pid } = useIds()
  const [ruleset, did] = [useParameter('ruleset'), useParameter('decision')]
  const project = useProject().data
  const found = useGet(`${PROJECT}/rulesets/{name}/decisions/{did}`, { path: { oid, pid, name: ruleset, did } })
  const recorded = found.data
  const decision = recorded && recordedIn(recorded)
  if (recorded === undefined || decision === undefined)
    return (
      <Page title={texts.title}>
        <div className="card">
          <Pending of={found} />
        </div>
      </Page>
    )
  return (
    <Page
      title={texts.title}
      text={project?.name}
      actions={
        <button type="button" className="btn" onClick={() => window.print()}>
          <Icon name="print" size={14} />
          {texts.print}
        </button>
      }
    >
      <article className="card record">
        <p className="record-sentence">
          {texts.sentence(ruleset, decision.code, decision.environment, time(recorded.at))}
        </p>
        <Values title={texts.input} value={decision.input} />
        <Values title={texts.output} value={decision.output} />
        {(isMasked(decision.input) || isMasked(decision.output)) && <p className="muted">{texts.masked}</p>}
        <Rules ruleset={ruleset} decision={decision} />
        <Receipt receipt={recorded.receipt} />
        <p className="muted">
          {texts.id}: <code>{recorded.id}</code>
        </p>
      </article>
    </Page>
  )
}

function Values({ title, value }: { readonly title: string; readonly value: Decision['input'] }) {
  const texts = useDecisionRecordTexts()
  const found = pathsOf(value)
  return (
    <section>
      <h2>{title}</h2>
      {found.length === 0 ? (
        <p className="muted">{texts.noOutput}</p>
      ) : (
        <dl className="facts">
          {found.map((path) => [
            <dt key={`${path} name`}>{path}</dt>,
            <dd key={path}>
              <FieldValue value={valueAt(value, path)} />
            </dd>,
          ])}
        </dl>
      )}
    </section>
  )
}

/** The rules that decided: version, save, release with its approvals, and the path through them. */
function Rules({ ruleset, decision }: { readonly ruleset: string; readonly decision: Decision }) {
  const texts = useDecisionRecordTexts()
  const { how, otherResult } = useDecisionTexts()
  const time = useTime()
  const { oid, pid } = useIds()
  const content = useContents(ruleset).get(decision.digest)
  const releases = useGet(`${PROJECT}/releases`, {
    path: { oid, pid },
    query: { digest: decision.digest, environment: decision.environment },
  }).data?.items
  const release = releases?.find(({ created_at: at }) => Date.parse(at) <= decision.at)
  const approvals = release?.reviews.filter(({ decision: one }) => one === 'approved') ?? []
  const { run, draft } = useDecidedAgain(ruleset, decision)
  return (
    <>
      <section>
        <h2>{texts.content}</h2>
        <dl className="facts">
          <dt>{texts.version}</dt>
          <dd>{content?.version ?? texts.unknown}</dd>
          <dt>{texts.save}</dt>
          <dd>{content === undefined ? texts.unknown : texts.savedBy(content.seq)}</dd>
          <dt>{texts.release}</dt>
          <dd>
            {release === undefined ? (
              texts.published
            ) : (
              <Go to={paths.release(oid, pid, release.number)}>
                {release.number} {release.title}
              </Go>
            )}
          </dd>
          {release !== undefined && (
            <>
              <dt>{texts.approvedBy}</dt>
              <dd>
                {approvals.length === 0
                  ? texts.noApproval
                  : approvals.map(({ user, at, comment }) => (
                      <div key={user + at}>
                        <b>
                          <Author id={user} />
                        </b>{' '}
                        {texts.approval(time(at), comment)}
                      </div>
                    ))}
              </dd>
            </>
          )}
          <dt>{texts.digest}</dt>
          <dd>
            <code className="digest">{decision.digest}</code>
          </dd>
        </dl>
      </section>
      {run !== undefined && draft !== undefined && (
        <section>
          <h2>{how}</h2>
          {run.code !== decision.code && <p className="note">{otherResult}</p>}
          <PathOfDecision run={run} draft={draft} />
        </section>
      )}
    </>
  )
}

/** The position of the receipt, and the state of its log. */
function Receipt({ receipt }: Pick<Recorded, 'receipt'>) {
  const texts = useDecisionRecordTexts()
  const { nav } = useTexts()
  const { oid } = useIds()
  const chains = useGet(
    '/api/v1/servers/{id}/receipts',
    { path: { id: receipt?.server_id ?? '' } },
    { enabled: receipt !== null },
  ).data?.chains
  const chain = chains?.find(({ instance }) => instance === receipt?.instance)
  return (
    <section>
      <h2>{texts.receipt}</h2>
      {receipt === null ? (
        <p className="muted">{texts.noReceipt}</p>
      ) : (
        <>
          <p>{texts.receiptText(receipt.seq, receipt.instance)}</p>
          <p>{texts.chainStates[chain?.state ?? 'unknown']}</p>
          <p className="muted">
            {texts.verify} <Go to={paths.engine(oid, receipt.server_id)}>{nav.engines}</Go>
          </p>
        </>
      )}
    </section>
  )
}
