import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useList, useSend } from '../api/data.ts'
import { useEnvironments, useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Refusal } from '../ui/states.tsx'
import { useEngineTexts } from './engine-texts.ts'

const TOKENS = '/api/v1/orgs/{oid}/connect-tokens'
const PORT = '8080'
/** Milliseconds between two looks for the new engine. */
const POLL_INTERVAL_MS = 2000

interface Started {
  readonly name: string
  readonly port: string
  readonly token: string
}

/** Connects an engine: its name and port, the command that starts it with a new token, and its connection state. */
export function ConnectBox({ close }: { readonly close: () => void }) {
  const texts = useEngineTexts()
  const { list: words } = useEngineTexts()
  const { oid } = useIds()
  const make = useSend('post', TOKENS, [TOKENS])
  const [started, setStarted] = useState<Started>()
  if (started !== undefined) return <Waiting {...started} close={close} />
  return (
    <FormBox
      title={texts.connect}
      close={close}
      fields={[
        { name: 'label', label: words.engineName, hint: words.engineNameHint },
        { name: 'port', label: words.port, hint: words.portHint, kind: 'number' },
      ]}
      initial={{ port: PORT }}
      submit={texts.makeToken}
      send={async ({ label, port }) => {
        const { token } = await make.mutateAsync({ path: { oid }, body: { label } })
        setStarted({ name: label, port, token })
      }}
    />
  )
}

/** A shell word, quoted if necessary. */
const quoted = (word: string) => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)

function Waiting({ name, port, token, close }: Started & { readonly close: () => void }) {
  const texts = useEngineTexts()
  const { list: words } = useEngineTexts()
  const { oid } = useIds()
  const servers = useList('/api/v1/servers', { query: { org_id: oid } }, { refetchInterval: POLL_INTERVAL_MS }).items
  const joined = servers?.find((server) => server.name === name && server.status === 'online')
  const command = [
    `npx --no-install engine-server --http-addr 0.0.0.0:${port}`,
    `--platform-url ${BASE}`,
    `--platform-server-name ${quoted(name)}`,
    `--platform-connect-token ${token}`,
  ].join(' \\\n  ')
  return (
    <Box title={texts.connect} isWide close={close}>
      <p>{texts.once}</p>
      <CodeBlock text={command} label={texts.command} />
      <p role="status" className="row">
        {joined === undefined ? (
          <>
            <Icon name="clock" />
            {words.waiting}
          </>
        ) : (
          <>
            <Icon name="ok" />
            {words.joined(name)} <Go to={paths.engine(oid, joined.id)}>{words.open}</Go>
          </>
        )}
      </p>
      {joined !== undefined && <EngineUses engine={joined.id} />}
    </Box>
  )
}

const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'
const ENVIRONMENTS = `${PROJECT}/environments` as const

/** The environments of the open project, and which of them the engine serves; renders nothing outside a project. */
function EngineUses({ engine }: { readonly engine: string }) {
  const { list: words } = useEngineTexts()
  const { oid, pid } = useIds()
  const may = useMay('server.manage')
  const environments = useEnvironments().data?.items ?? []
  const bind = useSend('put', `${PROJECT}/server`, [ENVIRONMENTS])
  if (!may || environments.length === 0) return null
  return (
    <fieldset className="checks">
      <legend>{words.serves}</legend>
      {environments.map(({ id, name, server_ids: ids }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={ids.includes(engine)}
            disabled={bind.isPending}
            onChange={({ target }) => {
              const server_ids = target.checked ? [...ids, engine] : ids.filter((one) => one !== engine)
              bind.mutate({ path: { oid, pid }, body: { environment: name, server_ids } })
            }}
          />
          {name}
        </label>
      ))}
      <Refusal error={bind.error} />
    </fieldset>
  )
}
