import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Form } from '../ui/form.tsx'
import { useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending, Refusal } from '../ui/states.tsx'
import { SteadyButton } from '../ui/steady-button.tsx'
import { ReleaseDiff } from './release-diff.tsx'

type Request = components['schemas']['ReleaseRequest']
type ReleasePreview = components['schemas']['ReleasePreview']
const RELEASES = '/api/v1/orgs/{oid}/projects/{pid}/releases'

/** Choose rulesets and environments, preview the changes, then request the release. */
export function NewReleasePage() {
  const { releases: texts } = useTexts()
  const { oid, pid } = useIds()
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', { path: { oid, pid } })
  const environments = useEnvironments()
  const preview = useSend('post', `${RELEASES}/preview`, [])
  const [request, setRequest] = useState<Request>()
  const { items } = rulesets
  if (items === undefined || environments.data === undefined) {
    const error = rulesets.error ?? environments.error
    return (
      <Page title={texts.make}>
        <Pending of={{ error, refetch: rulesets.refetch }} />
      </Page>
    )
  }
  const found = preview.data
  return (
    <Page title={texts.make} text={texts.makeText}>
      {items.length === 0 ? (
        <Empty picture="flow" title={texts.noRulesets} text={texts.noRulesetsText} />
      ) : (
        <section className="card">
          <div className="body">
            <RequestForm
              rulesets={items}
              environments={environments.data.items}
              send={async (wanted) => {
                await preview.mutateAsync({ path: { oid, pid }, body: wanted })
                setRequest(wanted)
              }}
            />
          </div>
        </section>
      )}
      {found !== undefined && request !== undefined && <Preview found={found} request={request} />}
    </Page>
  )
}

interface RequestFormProps {
  readonly rulesets: readonly components['schemas']['DraftItem'][]
  readonly environments: readonly components['schemas']['Environment'][]
  readonly send: (request: Request) => Promise<void>
}

function RequestForm({ rulesets, environments, send }: RequestFormProps) {
  const { releases: texts } = useTexts()
  const [first] = rulesets
  const target = environments.find((one) => one.requires_release) ?? environments[0]
  return (
    <Form
      fields={[
        { name: 'title', label: texts.name },
        { name: 'description', label: texts.description, isOptional: true },
        {
          name: 'rulesets',
          label: texts.rulesets,
          kind: 'checks',
          options: rulesets.map(({ name, seq, version }) => ({
            value: name,
            label: texts.draftOf(name, version, seq),
          })),
        },
        {
          name: 'environments',
          label: texts.environments,
          kind: 'checks',
          options: environments.map(({ name }) => ({ value: name, label: name })),
        },
        { name: 'acknowledge_breaking', label: texts.acknowledge, kind: 'flag' },
      ]}
      initial={{
        rulesets: first === undefined ? [] : [first.name],
        environments: target === undefined ? [] : [target.name],
      }}
      submit={texts.preview}
      send={({ title, description, environments: targets, rulesets: names, acknowledge_breaking }) =>
        send({
          title,
          description,
          environments: targets,
          rulesets: rulesets
            .filter(({ name }) => names.includes(name))
            .map(({ name, seq }) => ({ name, from_seq: seq })),
          ...(acknowledge_breaking && { acknowledge_breaking }),
        })
      }
    />
  )
}

/** The effects of a release, and the button that requests it. */
function Preview({ found, request }: { readonly found: ReleasePreview; readonly request: Request }) {
  const { releases: texts } = useTexts()
  const { oid, pid } = useIds()
  const go = useGo()
  const make = useSend('post', RELEASES, [RELEASES])
  return (
    <>
      {found.blocked.map(({ code, message, severity }) => (
        <p key={code + message} className="note" data-tone={severity === 'error' ? 'bad' : 'warn'} role="alert">
          {message}
        </p>
      ))}
      {found.tests !== null && (
        <p className="note" data-tone={found.tests.failed === 0 ? 'ok' : 'bad'}>
          {texts.tests(found.tests.passed, found.tests.total)}
        </p>
      )}
      {found.refused
        .filter(({ refused }) => refused > 0)
        .map(({ ruleset, environment, mode, refused, recorded }) => (
          <p key={environment + ruleset} className="note" data-tone="warn">
            {texts.refusedInputs(ruleset, environment, refused, recorded, mode === 'enforce')}
          </p>
        ))}
      <p>
        {found.requirements.length === 0
          ? texts.noApproval
          : texts.approvalsNeeded(found.requirements.reduce((sum, { min_count: count }) => Math.max(sum, count), 0))}
      </p>
      {found.diffs.map((diff) => (
        <ReleaseDiff key={diff.environment + diff.ruleset} diff={diff} />
      ))}
      <Refusal error={make.error} />
      <div>
        <SteadyButton
          className="btn"
          data-kind="primary"
          isOff={!found.would_create || make.isPending}
          onClick={() =>
            make.mutate(
              { path: { oid, pid }, body: request },
              { onSuccess: ({ id }) => go(paths.release(oid, pid, id)) },
            )
          }
        >
          {texts.ask}
        </SteadyButton>
      </div>
    </>
  )
}
