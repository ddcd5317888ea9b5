import { useParams, useRouterState } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { type MyOrganization, useIds, useProject } from './place.ts'

interface Crumb {
  readonly label: string
  readonly to?: string
}

/** The position of the page: organization, project, kind and object. */
export function Crumbs({ organization }: { readonly organization: MyOrganization }) {
  const { frame } = useTexts()
  const crumbs = useCrumbs(organization)
  return (
    <nav aria-label={frame.breadcrumb} style={{ minWidth: 0 }}>
      <ol className="crumbs">
        {crumbs.map(({ label, to }, index) => (
          <li key={label + index}>
            {index > 0 && <Icon name="right" size={13} />}
            {to === undefined || index === crumbs.length - 1 ? (
              <span aria-current="page">{label}</span>
            ) : (
              <Go to={to}>{label}</Go>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function useCrumbs({ name }: MyOrganization): readonly Crumb[] {
  const { nav } = useTexts()
  const { oid, pid } = useIds()
  const project = useProject().data
  const parameters = useParams({ strict: false })
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [kind = '', , last] = (pid === '' ? path.split('/').slice(3) : path.split('/').slice(5)) as (
    | string
    | undefined
  )[]
  const pages = pid === '' ? nav.pages.organization : nav.pages.project
  const base = pid === '' ? paths.organization(oid) : paths.rulesets(oid, pid).replace(/rulesets$/, '')
  const page = kind in pages ? pages[kind as keyof typeof pages] : undefined
  return [
    { label: name, to: paths.organization(oid) },
    ...(project === undefined || pid === '' ? [] : [{ label: project.name, to: paths.rulesets(oid, pid) }]),
    ...(page === undefined ? [] : [{ label: page, to: pid === '' ? `${base}/${kind}` : base + kind }]),
    ...(parameters.name === undefined
      ? []
      : [{ label: parameters.name, to: `${base}${kind}/${encodeURIComponent(parameters.name)}` }]),
    ...(last === 'history' ? [{ label: nav.history }] : []),
    ...(last === 'compare' ? [{ label: nav.compare }] : []),
  ]
}
