import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { ConnectBox } from '../engines/connect-box.tsx'
import { othersAlike } from '../engines/content.ts'
import { useLastHour } from '../engines/last-hour.ts'
import { MakeButton, PermissionButton } from '../frame/permission-button.tsx'
import { useEnvironments, useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useAgo } from '../texts/ago.ts'
import { useNumbers, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { type ListColumn, ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { EngineStatus } from './engine-status.tsx'
import { useEngineTexts } from '../engines/engine-texts.ts'

type Server = components['schemas']['Server']
type Environment = components['schemas']['Environment']
const TOKENS = '/api/v1/orgs/{oid}/connect-tokens'
/** Milliseconds between two polls of the directory. */
const POLL_INTERVAL_MS = 5000

/** The engines of the organization, and how to connect a new one. */
export function EnginesPage() {
  const texts = useEngineTexts()
  const [isOpen, setOpen] = useState(false)
  const servers = useServers()
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={<MakeButton right="token.manage" label={texts.connect} run={() => setOpen(true)} />}
    >
      <EngineList
        servers={servers}
        columns={[{ title: texts.region, cell: ({ region }) => region }]}
        empty={<Empty picture="signal" title={texts.none} text={texts.noneText} />}
      />
      <Tokens />
      {isOpen && <ConnectBox close={() => setOpen(false)} />}
    </Page>
  )
}

/** The engines that serve the environments of a project, and the remaining ones if an engine is silent. */
export function ProjectEnginesPage() {
  const texts = useEngineTexts()
  const { list: words } = useEngineTexts()
  const [isOpen, setOpen] = useState(false)
  const all = useServers()
  const environments = useEnvironments().data?.items ?? []
  const serves = ({ id }: Server) => environments.filter(({ server_ids: ids }) => ids.includes(id))
  const servers = { ...all, items: all.items?.filter((server) => serves(server).length > 0) }
  return (
    <Page
      title={texts.title}
      text={words.ofProject}
      actions={<MakeButton right="token.manage" label={texts.connect} run={() => setOpen(true)} />}
    >
      {servers.items
        ?.filter(({ status }) => status === 'offline')
        .map((server) => (
          <Silent key={server.id} server={server} environments={serves(server)} servers={servers.items ?? []} />
        ))}
      <EngineList
        servers={servers}
        columns={[
          {
            title: words.environments,
            cell: (server) =>
              serves(server)
                .map(({ name }) => name)
                .join(', '),
          },
        ]}
        empty={<Empty picture="signal" title={words.noneOfProject} text={words.noneOfProjectText} />}
      />
      {isOpen && <ConnectBox close={() => setOpen(false)} />}
    </Page>
  )
}

function useServers() {
  const { oid } = useIds()
  return useList('/api/v1/servers', { query: { org_id: oid } }, { refetchInterval: POLL_INTERVAL_MS })
}

/** An engine that does not report, and the remaining engines. */
function Silent({
  server: { id, name, last_heartbeat: last },
  environments,
  servers,
}: {
  readonly server: Server
  readonly environments: readonly Environment[]
  readonly servers: readonly Server[]
}) {
  const { list: words } = useEngineTexts()
  const ago = useAgo()
  const onlineIn = ({ server_ids: ids }: Environment) =>
    servers.filter((one) => one.id !== id && one.status === 'online' && ids.includes(one.id)).length
  return (
    <div className="note" data-tone="bad" role="alert">
      <Icon name="alert" />
      <div>
        <b>{words.silent(name)}</b> {last !== null && `(${ago(last)}). `}
        {environments.map((environment) => words.leaves(environment.name, onlineIn(environment))).join(' ')}
      </div>
    </div>
  )
}

interface EngineListProps {
  readonly servers: ReturnType<typeof useServers>
  /** Additional columns after the state. */
  readonly columns: readonly ListColumn<Server>[]
  readonly empty: React.ReactNode
}

function EngineList({ servers, columns, empty }: EngineListProps) {
  const texts = useEngineTexts()
  const { list: words } = useEngineTexts()
  const { oid } = useIds()
  const { number } = useNumbers()
  const time = useTime()
  const ago = useAgo()
  const items = servers.items ?? []
  const counts = useLastHour(items.map(({ id }) => id))
  const countsOf = (server: Server) => counts[items.indexOf(server)]
  const alike = othersAlike(items)
  const contentOf = ({
    id,
    current_rulesets: rulesets,
    applied_revision: applied,
    desired_revision: desired,
  }: Server) => {
    const others = alike.get(id)
    if (applied !== desired) return words.behind
    if (others === undefined) return words.empty
    return alike.size === 1 ? words.held(rulesets.length) : words.same(others)
  }
  return (
    <ListTable
      name={texts.title}
      list={servers}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.name, cell: ({ id, name }) => <Go to={paths.engine(oid, id)}>{name}</Go> },
        { title: texts.status, cell: ({ status, identity }) => <EngineStatus status={status} identity={identity} /> },
        ...columns,
        {
          title: words.decisions,
          kind: 'number',
          cell: (server) => {
            const own = countsOf(server)
            return own === undefined ? '' : number(own.decisions)
          },
        },
        {
          title: words.failures,
          kind: 'number',
          cell: (server) => {
            const errors = countsOf(server)?.errors
            return errors === undefined ? '' : <span className={errors > 0 ? 'bad' : undefined}>{number(errors)}</span>
          },
        },
        { title: words.content, cell: contentOf },
        { title: texts.version, cell: ({ version }) => <code>{version}</code> },
        {
          title: words.seen,
          cell: ({ last_heartbeat: at }) =>
            at === null ? (
              words.neverSeen
            ) : (
              <time className="muted" dateTime={at} title={time(at)}>
                {ago(at)}
              </time>
            ),
        },
      ]}
      empty={empty}
    />
  )
}

/** The tokens with which engines connect. */
function Tokens() {
  const texts = useEngineTexts()
  const { oid } = useIds()
  const time = useTime()
  const tokens = useList(TOKENS, { path: { oid } })
  const revoke = useSend('delete', '/api/v1/orgs/{oid}/connect-tokens/{id}', [TOKENS])
  return (
    <>
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
    </>
  )
}
