import { useRouterState } from '@tanstack/react-router'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { MenuButton } from '../ui/menu-button.tsx'
import { useLastProject } from './last-project.ts'
import { type MyOrganization, useIds, useProject } from './route-scope.ts'

interface SideProps {
  readonly me: components['schemas']['Me']
  readonly organization: MyOrganization
}

/** The navigation of the open project or, outside projects, of the organization. */
export function Side({ me, organization }: SideProps) {
  const { frame } = useTexts()
  const { pid } = useIds()
  return (
    <nav className="side" aria-label={frame.main}>
      <Switch me={me} organization={organization} />
      {pid === '' ? <OfOrganization /> : <OfProject />}
    </nav>
  )
}

function OfProject() {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  useLastProject(oid, pid)
  return (
    <>
      <Entry icon="home" to={paths.overview(oid, pid)} label={nav.overview} isExact />
      <Inbox />
      <div className="cap">{nav.write}</div>
      <Entry
        icon="branch"
        to={paths.rulesets(oid, pid)}
        label={nav.rulesets}
        others={[paths.deletedRulesets(oid, pid), paths.import(oid, pid)]}
      />
      <Entry icon="sub_rule" to={paths.subRules(oid, pid)} label={nav.subRules} />
      <Entry
        icon="book"
        to={paths.facts(oid, pid)}
        label={nav.vocabulary}
        others={[paths.concepts(oid, pid), paths.contracts(oid, pid)]}
      />
      <div className="cap">{nav.check}</div>
      <Entry icon="test" to={paths.tests(oid, pid)} label={nav.tests} />
      <Entry icon="decisions" to={paths.decisions(oid, pid)} label={nav.decisions} />
      <div className="cap">{nav.ship}</div>
      <Entry icon="rocket" to={paths.releases(oid, pid)} label={nav.releases} />
      <Entry
        icon="layers"
        to={paths.environments(oid, pid)}
        label={nav.environments}
        others={[paths.policies(oid, pid)]}
      />
      <Entry icon="server" to={paths.projectEngines(oid, pid)} label={nav.engines} />
      <div className="cap">{nav.connect}</div>
      <Entry
        icon="plug"
        to={paths.integrate(oid, pid)}
        label={nav.integrate}
        others={[paths.webhooks(oid, pid), paths.signing(oid, pid)]}
      />
      <Entry icon="settings" to={paths.projectSettings(oid, pid)} label={nav.pages.project.settings} />
      <div className="foot">
        <Entry icon="building" to={paths.organization(oid)} label={nav.organization} isExact />
      </div>
    </>
  )
}

function OfOrganization() {
  const { nav } = useTexts()
  const { oid } = useIds()
  const last = useLastProject(oid, '')
  return (
    <>
      <Inbox />
      <div className="cap">{nav.organization}</div>
      <Entry icon="layout" to={paths.organization(oid)} label={nav.projects} isExact />
      <Entry icon="server" to={paths.engines(oid)} label={nav.engines} />
      <Entry
        icon="users"
        to={paths.members(oid)}
        label={nav.people}
        others={[paths.roles(oid), paths.invitations(oid)]}
      />
      <Entry icon="key" to={paths.keys(oid)} label={nav.keys} />
      <Entry icon="history" to={paths.audit(oid)} label={nav.audit} />
      <Entry icon="settings" to={paths.settings(oid)} label={nav.pages.organization.settings} />
      {last !== undefined && (
        <div className="foot">
          <Entry icon="back" to={paths.overview(oid, last.id)} label={nav.backTo(last.name)} />
        </div>
      )}
    </>
  )
}

/** Events cover the open project only; releases of other projects are polled. */
const POLL_INTERVAL_MS = 60_000

/** A link to the inbox, with the number of releases that wait for the user's approval. */
function Inbox() {
  const { nav, inbox } = useTexts()
  const { oid } = useIds()
  const waiting = useList(
    '/api/v1/orgs/{oid}/releases/pending-for-me',
    { path: { oid } },
    { refetchInterval: POLL_INTERVAL_MS },
  ).items
  const count = waiting?.length ?? 0
  return (
    <Entry icon="inbox" to={paths.inbox(oid)} label={nav.inbox}>
      {count > 0 && (
        <span className="count tnum">
          {count}
          <span className="vh"> {inbox.waiting}</span>
        </span>
      )}
    </Entry>
  )
}

function Entry({
  icon,
  to,
  label,
  others = [],
  isExact = false,
  children,
}: {
  readonly icon: IconName
  readonly to: string
  readonly label: string
  /** Further URLs of the entry: the other tabs of its page. */
  readonly others?: readonly string[]
  readonly isExact?: boolean
  readonly children?: React.ReactNode
}) {
  const isWithin = useRouterState({
    select: ({ location: { pathname } }) =>
      (!isExact && pathname.startsWith(`${to}/`)) ||
      others.some((one) => pathname === one || pathname.startsWith(`${one}/`)),
  })
  return (
    <Go to={to} title={label} data-within={isWithin ? '' : undefined}>
      <Icon name={icon} size={16} />
      <span className="label-text">{label}</span>
      {children}
    </Go>
  )
}

/** A menu to switch to other projects and organizations. */
function Switch({ me, organization }: SideProps) {
  const { frame, nav } = useTexts()
  const { oid } = useIds()
  const go = useGo()
  const project = useProject().data
  const { items: projects = [] } = useList('/api/v1/orgs/{oid}/projects', { path: { oid } })
  const name = project?.name ?? organization.name
  return (
    <MenuButton
      className="switch"
      label={frame.switchTitle}
      isNamedByContent
      button={
        <>
          <span className="logo" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span>
            <b>{name}</b>
            <small>{project === undefined ? nav.organization : organization.name}</small>
            <span className="vh">{frame.switch}</span>
          </span>
          <Icon name="switch" size={14} />
        </>
      }
      groups={[
        {
          title: nav.projects,
          items: projects.map(({ id, name: label }) => ({
            id,
            label,
            icon: <Icon name="branch" />,
            run: () => go(paths.overview(oid, id)),
          })),
        },
        {
          title: nav.organizations,
          items: [
            ...me.organizations.map(({ id, name: label }) => ({
              id,
              label,
              icon: <Icon name="building" />,
              run: () => go(paths.organization(id)),
            })),
            {
              id: 'all',
              label: frame.allOrganizations,
              icon: <Icon name="plus" />,
              run: () => go(paths.organizations()),
            },
          ],
        },
      ]}
    />
  )
}
