import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components'
import { useRouterState } from '@tanstack/react-router'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { type MyOrganization, useIds, useProject } from './place.ts'

/** The navigation: the project's pages, then those of the organization. */
export function Side({
  me,
  organization,
}: {
  readonly me: components['schemas']['Me']
  readonly organization: MyOrganization
}) {
  const { frame, nav } = useTexts()
  const { oid, pid } = useIds()
  return (
    <nav className="side" aria-label={frame.main}>
      <Switch me={me} organization={organization} />
      {pid !== '' && (
        <>
          <Entry icon="branch" to={paths.rulesets(oid, pid)} label={nav.rulesets} />
          <Entry icon="test" to={paths.tests(oid, pid)} label={nav.tests} />
          <Entry icon="rocket" to={paths.releases(oid, pid)} label={nav.releases} />
          <Entry icon="link" to={paths.contracts(oid, pid)} label={nav.contracts} />
          <Entry icon="fact" to={paths.facts(oid, pid)} label={nav.facts} />
          <Entry icon="boxes" to={paths.concepts(oid, pid)} label={nav.concepts} />
          <Entry icon="plug" to={paths.integrate(oid, pid)} label={nav.integrate} />
          <Entry icon="settings" to={paths.projectSettings(oid, pid)} label={nav.projectSettings} />
        </>
      )}
      <div className="cap">{nav.organization}</div>
      <Entry icon="layout" to={paths.organization(oid)} label={nav.projects} isExact />
      <Entry icon="inbox" to={paths.inbox(oid)} label={nav.inbox} />
      <Entry icon="server" to={paths.engines(oid)} label={nav.engines} />
      <Entry icon="users" to={paths.members(oid)} label={nav.members} />
      <Entry icon="shield" to={paths.roles(oid)} label={nav.roles} />
      <Entry icon="key" to={paths.keys(oid)} label={nav.keys} />
      <Entry icon="history" to={paths.audit(oid)} label={nav.audit} />
      <Entry icon="settings" to={paths.settings(oid)} label={nav.settings} />
    </nav>
  )
}

function Entry({
  icon,
  to,
  label,
  isExact = false,
}: {
  readonly icon: IconName
  readonly to: string
  readonly label: string
  readonly isExact?: boolean
}) {
  const isWithin = useRouterState({ select: ({ location: { pathname } }) => !isExact && pathname.startsWith(`${to}/`) })
  return (
    <Go to={to} title={label} data-within={isWithin ? '' : undefined}>
      <Icon name={icon} />
      <span className="label">{label}</span>
    </Go>
  )
}

/** A menu of other projects and organizations. */
function Switch({
  me,
  organization,
}: {
  readonly me: components['schemas']['Me']
  readonly organization: MyOrganization
}) {
  const { frame, nav } = useTexts()
  const { oid } = useIds()
  const go = useGo()
  const project = useProject().data
  const { items: projects = [] } = useList('/api/v1/orgs/{oid}/projects', { path: { oid } })
  return (
    <MenuTrigger>
      <Button className="switch">
        <span className="logo" aria-hidden="true">
          {organization.name.slice(0, 1).toUpperCase()}
        </span>
        <span>
          <b>{project?.name ?? organization.name}</b>
          <small>{project === undefined ? nav.organization : organization.name}</small>
          <span className="vh">{frame.switch}</span>
        </span>
        <Icon name="switch" size={14} />
      </Button>
      <Popover className="menu" placement="bottom start">
        <Menu onAction={(key) => go(String(key))}>
          <MenuSection>
            <Header>{nav.projects}</Header>
            {projects.map(({ id, name }) => (
              <MenuItem key={id} id={paths.rulesets(oid, id)} textValue={name}>
                <Icon name="branch" />
                {name}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection>
            <Header>{nav.organizations}</Header>
            {me.organizations.map(({ id, name }) => (
              <MenuItem key={id} id={paths.organization(id)} textValue={name}>
                <Icon name="boxes" />
                {name}
              </MenuItem>
            ))}
            <MenuItem id={paths.organizations()}>
              <Icon name="plus" />
              {frame.allOrganizations}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
