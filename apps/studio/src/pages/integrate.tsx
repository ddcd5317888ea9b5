import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useGet, useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty } from '../ui/json-text.ts'
import { Empty, Pending } from '../ui/states.tsx'
import { Direct } from './direct-calls.tsx'
import { curlOf, scriptOf } from './snippets.ts'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Decision requests, ready to be copied. */
export function IntegratePage() {
  const { integrate: texts } = useTexts()
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
      <Page title={texts.title}>
        <Pending of={rulesets} />
      </Page>
    )
  if (ruleset === undefined)
    return (
      <Page title={texts.title}>
        <Empty picture="signal" title={texts.none} text={texts.noneText} />
      </Page>
    )
  return (
    <Page title={texts.title} text={texts.text}>
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
  const { integrate: texts } = useTexts()
  const { oid, pid } = useIds()
  const suites = useGet(`${RULESETS}/{name}/tests`, { path: { oid, pid, name: ruleset } })
  if (suites.data === undefined) return <Pending of={suites} />
  const input = pretty(suites.data.items[0]?.cases[0]?.input ?? {})
  const call = {
    url: `${BASE}/api/v1/engine/${pid}/execute/${encodeURIComponent(ruleset)}`,
    variable: 'ENGINE_API_KEY',
    headers: { 'x-environment': environment.name },
    input,
  } as const
  return (
    <>
      <h2>{texts.proxy}</h2>
      <p>
        {texts.key} <Go to={paths.keys(oid)}>{texts.keys}</Go>
      </p>
      <h3>{texts.curl}</h3>
      <CodeBlock label={texts.curl} text={curlOf(call)} />
      <h3>{texts.typescript}</h3>
      <CodeBlock label={texts.typescript} text={scriptOf(call)} />
      <h2>{texts.direct}</h2>
      <Direct key={environment.id} ruleset={ruleset} environment={environment} input={input} />
    </>
  )
}
