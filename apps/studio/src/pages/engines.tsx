import { useState } from 'react'
import { BASE } from '../api/client.ts'
import { useList, useSend } from '../api/data.ts'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { EngineStatus } from './engine-status.tsx'

const TOKENS = '/api/v1/orgs/{oid}/connect-tokens'
/** Milliseconds between two polls of the directory. */
const POLL_INTERVAL_MS = 5000

/** The engines of the organization, and how to connect another one. */
export function EnginesPage() {
  const { engines: texts } = useTexts()
  const { oid } = useIds()
  const time = useTime()
  const servers = useList('/api/v1/servers', { query: { org_id: oid } }, { refetchInterval: POLL_INTERVAL_MS })
  const tokens = useList(TOKENS, { path: { oid } })
  const revoke = useSend('delete', '/api/v1/orgs/{oid}/connect-tokens/{id}', [TOKENS])
  const [open, setOpen] = useState<{ readonly token?: string }>()
  const action = <MakeButton right="token.manage" label={texts.connect} run={() => setOpen({})} />
  return (
    <Page title={texts.title} text={texts.text} actions={action}>
      <ListTable
        name={texts.title}
        list={servers}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ id, name }) => <Go to={paths.engine(oid, id)}>{name}</Go> },
          { title: texts.status, cell: ({ status, identity }) => <EngineStatus status={status} identity={identity} /> },
          { title: texts.region, cell: ({ region }) => region },
          { title: texts.version, cell: ({ version }) => <code>{version}</code> },
          {
            title: texts.capabilities,
            cell: ({ capabilities }) => <span className="muted">{capabilities.join(', ')}</span>,
          },
          { title: texts.rulesets, kind: 'number', cell: ({ current_rulesets: rulesets }) => rulesets.length },
          {
            title: texts.revision,
            kind: 'number',
            cell: ({ applied_revision: applied, desired_revision: desired }) =>
              applied === desired ? applied : texts.behind(applied, desired),
          },
          { title: texts.heartbeat, cell: ({ last_heartbeat: at }) => <span className="muted tnum">{time(at)}</span> },
        ]}
        empty={<Empty picture="signal" title={texts.none} text={texts.noneText} />}
      />
      <h2>{texts.tokens}</h2>
      <ListTable
        name={texts.tokens}
        list={tokens}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.label, cell: ({ label }) => label },
          { title: texts.prefix, cell: ({ prefix }) => <code>{prefix}…</code> },
          { title: texts.used, cell: ({ last_used_at: at }) => <span className="muted tnum">{time(at)}</span> },
          {
            title: texts.revoke,
            kind: 'actions',
            cell: ({ id }) => (
              <PermissionButton right="token.manage" kind="quiet" run={() => revoke.mutate({ path: { oid, id } })}>
                {texts.revoke}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="key" title={texts.noTokens} text={texts.noTokensText} />}
      />
      {open !== undefined && (
        <Connect token={open.token} made={(token) => setOpen({ token })} close={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

/** A token for an engine, shown only here, with the command that uses it. */
function Connect({
  token,
  made,
  close,
}: {
  readonly token: string | undefined
  readonly made: (token: string) => void
  readonly close: () => void
}) {
  const { engines: texts } = useTexts()
  const { oid } = useIds()
  const make = useSend('post', TOKENS, [TOKENS])
  if (token === undefined)
    return (
      <FormBox
        title={texts.connect}
        close={close}
        fields={[{ name: 'label', label: texts.label, hint: texts.labelHint, isOptional: true }]}
        submit={texts.makeToken}
        send={async (values) => made((await make.mutateAsync({ path: { oid }, body: { label: values.label } })).token)}
      />
    )
  const command = `npx --no-install engine-server --http-addr 0.0.0.0:8080 \\\n  --platform-url ${BASE} \\\n  --platform-connect-token ${token}`
  return (
    <Box title={texts.connect} isWide close={close}>
      <p>{texts.once}</p>
      <CodeBlock text={command} label={texts.command} />
    </Box>
  )
}
