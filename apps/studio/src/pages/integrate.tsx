import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useGet, useList } from '../api/data.ts'
import { useEnvironments, useIds } from '../frame/place.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { CodeBlock } from '../ui/copied.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty } from '../ui/pretty.ts'
import { Empty, Pending } from '../ui/states.tsx'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Requests that decide, ready to be copied. */
export function IntegratePage() {
  const { integrate: texts } = useTexts()
  const { oid, pid } = useIds()
  const rulesets = useList(RULESETS, { path: { oid, pid } })
  const environments = useEnvironments().data?.items ?? []
  const [chosen, choose] = useState<{ readonly ruleset?: string; readonly environment?: string }>({})
  const ruleset = chosen.ruleset ?? rulesets.items?.[0]?.name
  const live = rulesets.items?.find(({ name }) => name === ruleset)?.live ?? []
  const environment = chosen.environment ?? live[0]?.environment ?? environments[0]?.name ?? ''
  if (rulesets.items === undefined)
    return (
      <Page title={texts.title}>
        <Pending of={rulesets} />
      </Page>
    )
  if (ruleset === undefined)
    return (
      <Page title={texts.title}>
        <Empty icon="plug" title={texts.none} text={texts.noneText} />
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
      <p>
        {texts.key} <Go to={paths.keys(oid)}>{texts.keys}</Go>
      </p>
      <Snippets ruleset={ruleset} environment={environment} />
    </Page>
  )
}

function Choice({
  label,
  value,
  options,
  choose,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  readonly choose: (value: string) => void
}) {
  return (
    <label className="row">
      <span className="label">{label}</span>
      <select className="input" value={value} onChange={({ target }) => choose(target.value)}>
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

/** The input of the first saved case, so that the request decides as it is. */
function Snippets({ ruleset, environment }: { readonly ruleset: string; readonly environment: string }) {
  const { integrate: texts } = useTexts()
  const { oid, pid } = useIds()
  const suites = useGet(`${RULESETS}/{name}/tests`, { path: { oid, pid, name: ruleset } }).data
  const input = suites?.items[0]?.cases[0]?.input ?? {}
  const url = `${BASE}/api/v1/engine/${pid}/execute/${encodeURIComponent(ruleset)}`
  return (
    <>
      <h2>{texts.curl}</h2>
      <CodeBlock label={texts.curl} text={curlOf(url, environment, pretty({ input }))} />
      <h2>{texts.typescript}</h2>
      <CodeBlock label={texts.typescript} text={scriptOf(url, environment, pretty({ input }))} />
    </>
  )
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const curlOf = (url: string, environment: string, body: string) =>
  [
    `curl -s ${url}`,
    `  -H "authorization: Bearer $ENGINE_API_KEY"`,
    `  -H 'content-type: application/json'`,
    `  -H ${quoted(`x-environment: ${environment}`)}`,
    `  -d ${quoted(body)}`,
  ].join(' \\\n')

const scriptOf = (url: string, environment: string, body: string) => `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.ENGINE_API_KEY}\`,
    'content-type': 'application/json',
    'x-environment': '${environment}',
  },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
})
console.log(await response.json())`
