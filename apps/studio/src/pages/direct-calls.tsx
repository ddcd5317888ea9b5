import engineProto from '@engine/api/engine.proto?raw'
import { useState } from 'react'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { download } from '../ui/download.ts'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pending } from '../ui/states.tsx'
import { curlOf, grpcOf, scriptOf } from './snippets.ts'

interface DirectProps {
  readonly ruleset: string
  readonly environment: components['schemas']['Environment']
  /** JSON. */
  readonly input: string
}

/** Default port of an engine for gRPC. */
const GRPC_PORT = 50051

/**
 * Requests sent directly to an engine of the environment: this saves one hop, and works while the platform is
 * unavailable.
 */
export function Direct({ ruleset, environment, input }: DirectProps) {
  const { integrate: texts } = usePageTexts()
  const { oid } = useIds()
  const servers = useList('/api/v1/servers', { query: { org_id: oid } })
  const [name, choose] = useState<string>()
  if (servers.items === undefined) return <Pending of={servers} />
  const bound = servers.items.filter(({ id, url }) => environment.server_ids.includes(id) && url !== null)
  const server = bound.find((one) => one.name === name) ?? bound[0]
  if (server === undefined)
    return (
      <p className="note" data-tone="warn">
        {texts.noEngine(environment.name)}
      </p>
    )
  return (
    <>
      <div className="row wrap">
        <Choice label={texts.engine} value={server.name} options={bound.map((one) => one.name)} choose={choose} />
      </div>
      <p>{texts.engineToken}</p>
      <Requests ruleset={ruleset} input={input} server={server} tenant={environment.tenant_id} />
    </>
  )
}

interface RequestsProps extends Pick<DirectProps, 'ruleset' | 'input'> {
  readonly server: components['schemas']['Server']
  readonly tenant: string
}

function Requests({ ruleset, input, server, tenant }: RequestsProps) {
  const { integrate: texts } = usePageTexts()
  const url = URL.parse(server.url ?? '')
  const [typed, setTyped] = useState<string>()
  const address = typed ?? `${url?.hostname ?? ''}:${GRPC_PORT}`
  // An engine with tenants serves each environment as one tenant.
  const headers = server.tenants ? { 'x-tenant-id': tenant } : {}
  const call = {
    url: `${(server.url ?? '').replace(/\/$/, '')}/api/v1/execute/${encodeURIComponent(ruleset)}`,
    variable: 'ENGINE_TOKEN',
    headers,
    input,
  } as const
  return (
    <>
      <h3>{texts.languages.curl}</h3>
      <CodeBlock label={texts.directCurl} text={curlOf(call)} />
      <h3>{texts.languages.typescript}</h3>
      <CodeBlock label={texts.directTypescript} text={scriptOf(call)} />
      <h3>{texts.grpc}</h3>
      <p>
        {texts.grpcText} <code>npm install @grpc/grpc-js @grpc/proto-loader</code>
      </p>
      <div className="row wrap">
        <label className="row">
          <span className="label">{texts.grpcAddress}</span>
          <input className="input mono" value={address} onChange={({ target }) => setTyped(target.value)} />
        </label>
        <button type="button" className="btn" onClick={() => download('engine.proto', 'text/plain', engineProto)}>
          <Icon name="save" size={14} />
          {texts.proto}
        </button>
      </div>
      <CodeBlock label={texts.grpc} text={grpcOf({ address, ruleset, metadata: headers, input })} />
    </>
  )
}
