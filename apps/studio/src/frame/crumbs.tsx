import { useParams, useRouterState } from '@tanstack/react-router'
import { useGet } from '../api/data.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { type MyOrganization, useIds, useProject } from './route-scope.ts'

interface Crumb {
  readonly label: string
  readonly to?: string
}

/**
 * The breadcrumbs of the page: project or organization, kind and object. In a narrow window, a button to the parent
 * page.
 */
export function Crumbs({ organization }: { readonly organization: MyOrganization }) {
  const { frame } = useTexts()
  const crumbs = useCrumbs(organization)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const above = crumbs.at(-2)
  return (
    <>
      {above?.to !== undefined && (
        <Go to={above.to} className="btn icon back-button" data-kind="quiet" aria-label={frame.backTo(above.label)}>
          <Icon name="back" />
        </Go>
      )}
      <nav aria-label={frame.breadcrumb}>
        <ol className="crumbs">
          {crumbs.map(({ label, to }, index) => (
            <li key={label + index}>
              {index > 0 && <Icon name="right" size={14} />}
              {to === undefined || index === crumbs.length - 1 ? (
                <span aria-current="page" title={label}>
                  {label}
                </span>
              ) : to === path ? (
                // The start page of a project, which has its own crumb.
                label
              ) : (
                <Go to={to}>{label}</Go>
              )}
            </li>
          ))}
        </ol>
      </nav>
    </>
  )
}

function useCrumbs({ name }: MyOrganization): readonly Crumb[] {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  const project = useProject().data
  const object = useObject()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [kind = '', , last] = (pid === '' ? path.split('/').slice(3) : path.split('/').slice(5)) as (
    | string
    | undefined
  )[]
  const pages = pid === '' ? nav.pages.organization : nav.pages.project
  const base = pid === '' ? paths.organization(oid) : paths.overview(oid, pid)
  const page = kind in pages ? pages[kind as keyof typeof pages] : undefined
  const top: readonly Crumb[] =
    pid === ''
      ? [{ label: name, to: paths.organization(oid) }]
      : project === undefined
        ? []
        : [{ label: project.name, to: paths.overview(oid, pid) }]
  return [
    ...top,
    ...(pid !== '' && kind === '' ? [{ label: nav.overview }] : []),
    ...(page === undefined ? [] : [{ label: page, to: `${base}/${kind}` }]),
    ...(object === undefined ? [] : [{ label: object.label, to: `${base}/${kind}/${encodeURIComponent(object.id)}` }]),
    ...(last === 'history' ? [{ label: nav.history }] : []),
    ...(last === 'compare' ? [{ label: nav.compare }] : []),
    ...(last === 'rollout' ? [{ label: nav.rollout }] : []),
  ]
}

/** The name of the page's object: a ruleset, contract, release or engine. */
function useObject(): { readonly id: string; readonly label: string } | undefined {
  const { oid, pid } = useIds()
  const { name, rid = '', id = '', environment, ruleset, decision } = useParams({ strict: false })
  const release = useGet(
    '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}',
    { path: { oid, pid, rid } },
    { enabled: rid !== '' },
  ).data
  const engine = useGet('/api/v1/servers/{id}', { path: { id } }, { enabled: id !== '' }).data
  if (name !== undefined) return { id: name, label: name }
  if (ruleset !== undefined && decision !== undefined) return { id: `${ruleset}/${decision}`, label: ruleset }
  if (environment !== undefined) return { id: environment, label: environment }
  if (release !== undefined) return { id: rid, label: `${release.number} ${release.title}` }
  return engine === undefined ? undefined : { id, label: engine.name }
}
