import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useGet, useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { DOCUMENTATION } from '../frame/documentation.ts'
import { IntegrationTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty } from '../ui/json-text.ts'
import { Empty, Pending } from '../ui/states.tsx'
import { Direct } from './direct-calls.tsx'
import { NewKey } from './new-key.tsx'
import { curlOf, type DecisionCall, goOf, javaOf, pythonOf, scriptOf } from './snippets.ts'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Decision requests, ready to copy. */
export function IntegratePage() {
  const { integrate: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const rulesets = useList(RULESETS, { path: { oid, pid } })
  const environments = useEnvironments().data?.items ?? []
  const [chosen, choose] = useState<{ readonly ruleset?: string; readonly environment?: string }>({})
  const ruleset = chosen.ruleset ?? rulesets.items?.[0]?.name
  const live = rulesets.items?.find(({ name }) => name === ruleset)?.live ?? []
  const environment = chosen.environment ?? live[0]?.environment ?? environments[0]?.name ?? ''
  const of = environments.find(({ name }) => name === environment)
  if (rulesets.items === undefined)
    return (
      <Page title={texts.title} tabs={<IntegrationTabs />}>
        <Pending of={rulesets} />
      </Page>
    )
  if (ruleset === undefined)
    return (
      <Page title={texts.title} tabs={<IntegrationTabs />}>
        <Empty picture="signal" title={texts.none} text={texts.noneText} />
      </Page>
    )
  return (
    <Page title={texts.title} text={texts.text} tabs={<IntegrationTabs />}>
      <div className="row wrap">
        <Choice
          label={texts.ruleset}
          value={ruleset}
          options={rulesets.items.map(({ name }) => name)}
          choose={(name) => choose({ ...chosen, ruleset: name })}
        />
        <Choice
          label={texts.environment}
          value={environment}
          options={environments.map(({ name }) => name)}
          choose={(name) => choose({ ...chosen, environment: name })}
        />
      </div>
      {!live.some((one) => one.environment === environment) && (
        <p className="note" data-tone="warn">
          {texts.notLive(environment)}
        </p>
      )}
      {of !== undefined && <Snippets ruleset={ruleset} environment={of} />}
    </Page>
  )
}

interface SnippetsProps {
  readonly ruleset: string
  readonly environment: components['schemas']['Environment']
}

/** The input of the first saved case, so that the request works unchanged. */
function Snippets({ ruleset, environment }: SnippetsProps) {
  const { integrate: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const [isMaking, setMaking] = useState(false)
  const suites = useGet(`${RULESETS}/{name}/tests`, { path: { oid, pid, name: ruleset } })
  if (suites.data === undefined) return <Pending of={suites} />
  const input = pretty(suites.data.items[0]?.cases[0]?.input ?? {})
  const call = {
    url: `${BASE}/api/v1/engine/${pid}/execute/${encodeURIComponent(ruleset)}`,
    variable: 'ENGINE_API_KEY',
    headers: { 'x-environment': environment.name },
    input,
  } as const
  const [, write = curlOf] = LANGUAGES.find(([id]) => id === language) ?? []
  return (
    <>
      <section className="card" aria-label={texts.proxy}>
        <div className="body stack">
          <div className="row wrap">
            <h2>{texts.proxy}</h2>
            <span className="grow" />
            <PermissionButton right="token.manage" run={() => setMaking(true)}>
              <Icon name="key" size={14} />
              {texts.makeKey}
            </PermissionButton>
          </div>
          <p>
            {texts.key} <Go to={paths.keys(oid)}>{texts.keys}</Go>
          </p>
          <div className="seg" role="group" aria-label={texts.language}>
            {LANGUAGES.map(([id]) => (
              <button key={id} type="button" aria-pressed={id === language} onClick={() => setLanguage(id)}>
                {texts.languages[id]}
              </button>
            ))}
          </div>
          <CodeBlock label={texts.languages[language]} text={write(call)} />
          <p className="muted">
            {texts.more} <a href={`${BASE}/api/v1/openapi.json`}>{texts.openapi}</a>,{' '}
            <a href={DOCUMENTATION}>{texts.documentation}</a>
          </p>
        </div>
      </section>
      <h2>{texts.direct}</h2>
      <Direct key={environment.id} ruleset={ruleset} environment={environment} input={input} />
      {isMaking && <NewKey close={() => setMaking(false)} />}
    </>
  )
}

/** Languages of requests, each with its generator. */
const LANGUAGES = [
  ['curl', curlOf],
  ['typescript', scriptOf],
  ['python', pythonOf],
  ['go', goOf],
  ['java', javaOf],
] as const satisfies readonly (readonly [string, (call: DecisionCall) => string])[]

type SnippetLanguage = (typeof LANGUAGES)[number][0]
