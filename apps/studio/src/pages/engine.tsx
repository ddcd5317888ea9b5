import { isObject } from '@engine/expression'
import { useGet } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { pretty } from '../ui/json-text.ts'
import { Pending } from '../ui/states.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { EngineCharts } from './engine-charts.tsx'
import { EngineStatus } from './engine-status.tsx'
import { useEngineTexts } from '../engines/engine-texts.ts'

type Server = components['schemas']['Server']
/** About the interval of engine reports. */
const POLL_INTERVAL_MS = 5000

/** One engine: its status, its decisions, and its rulesets. */
export function EnginePage() {
  const texts = useEngineTexts()
  const { oid } = useIds()
  const id = useParameter('id')
  const found = useGet('/api/v1/servers/{id}', { path: { id } }, { refetchInterval: POLL_INTERVAL_MS })
  const server = found.data
  if (server === undefined)
    return (
      <Page title={texts.title}>
        <Pending of={found} />
      </Page>
    )
  return (
    <Page
      title={server.name}
      text={
        <>
          <Go to={paths.engines(oid)}>{texts.title}</Go>{' '}
          <EngineStatus status={server.status} identity={server.identity} />
        </>
      }
    >
      <Health server={server} />
      <EngineCharts id={id} />
      <Holdings server={server} />
    </Page>
  )
}

function Health({ server }: { readonly server: Server }) {
  const texts = useEngineTexts()
  const time = useTime()
  const health = useGet(
    '/api/v1/servers/{id}/health',
    { path: { id: server.id } },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const said = isObject(health.data?.health) ? health.data.health : {}
  const checks = said['checks'] !== undefined && isObject(said['checks']) ? Object.entries(said['checks']) : []
  const uptime = Number(said['uptime_seconds'])
  const names: Readonly<Record<string, string>> = texts.checks
  const checkName = (name: string) => names[name] ?? name
  const { applied_revision: applied, desired_revision: desired } = server
  const facts: readonly (readonly [string, string])[] = [
    [texts.heartbeat, time(server.last_heartbeat)],
    [texts.uptime, Number.isFinite(uptime) && said['uptime_seconds'] !== undefined ? texts.lasting(uptime) : '–'],
    [texts.version, server.version],
    [texts.region, server.region === '' ? '–' : server.region],
    [texts.address, server.url ?? texts.noAddress],
    [texts.revision, applied === desired ? String(applied) : texts.behind(applied, desired)],
    [texts.tenants, server.tenants ? texts.yes : texts.no],
    [texts.capabilities, server.capabilities.join(', ') || '–'],
  ]
  return (
    <section className="card">
      <header>
        <h2>{texts.health}</h2>
        {checks.map(([name, state]) => (
          <span key={name} className="tag" data-tone={state === 'ok' ? 'ok' : 'bad'}>
            <Icon name={state === 'ok' ? 'check' : 'alert'} size={12} />
            {checkName(name)}: {typeof state === 'string' ? state : pretty(state)}
          </span>
        ))}
      </header>
      <dl className="body pairs">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tnum">{value}</dd>
          </div>
        ))}
      </dl>
      {server.problems.map((problem, index) => (
        <p key={index} className="note" data-tone="bad" role="alert">
          <Icon name="alert" />
          <code>{pretty(problem)}</code>
        </p>
      ))}
    </section>
  )
}

function Holdings({ server: { current_rulesets: rulesets } }: { readonly server: Server }) {
  const texts = useEngineTexts()
  if (rulesets.length === 0) return <p className="muted">{texts.noRulesets}</p>
  return (
    <div className="card scroll" tabIndex={0} role="region" aria-label={texts.rulesets}>
      <table className="list stacked">
        <thead>
          <tr>
            <th scope="col">{texts.ruleset}</th>
            <th scope="col">{texts.version}</th>
            <th scope="col">{texts.content}</th>
            <th scope="col">{texts.tenant}</th>
          </tr>
        </thead>
        <tbody>
          {rulesets.map(({ tenant, name, version, digest }) => (
            <tr key={`${tenant ?? ''} ${name}`}>
              <td data-title={texts.ruleset}>{name}</td>
              <td data-title={texts.version}>
                <code>{version}</code>
              </td>
              <td data-title={texts.content}>
                <code>{digest.slice(0, 8)}</code>
              </td>
              <td data-title={texts.tenant}>
                <code className="muted">{tenant}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
