import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import { BASE } from './api/client.ts'
import { prefetch } from './api/data.ts'
import type { EditorSearch } from './editor/state/search.ts'
import { loadView } from './editor/lazy-views.ts'
import { Frame } from './frame/frame.tsx'
import type { AuditSearch } from './pages/audit.tsx'
import type { CompareSearch } from './save-diff/search.ts'
import type { HistorySearch } from './pages/history.tsx'
import type { NewReleaseSearch } from './pages/new-release.tsx'
import { loadPart } from './review/lazy-parts.ts'
import { releaseSearch } from './review/search.ts'
import { HomePage, OrganizationsPage } from './pages/home.tsx'
import { RulesetsPage } from './pages/rulesets.tsx'
import { InvitationPage, SignInPage } from './pages/sign-in.tsx'
import type { TestsSearch } from './pages/tests.tsx'
import { Unknown } from './pages/not-found.tsx'

type Search = Readonly<Record<string, unknown>>

const text = (search: Search, name: string) =>
  typeof search[name] === 'string' && search[name] !== '' ? { [name]: search[name] } : {}

const VIEWS = ['flow', 'table', 'text'] as const

function editorSearch(search: Search): EditorSearch {
  const view = VIEWS.find((one) => one === search['view'])
  const names = ['step', 'in', 'row', 'run'].map((name) => text(search, name))
  return Object.assign({ ...(view !== undefined && { view }) }, ...names) as EditorSearch
}

const auditSearch = (search: Search): AuditSearch => ({ ...text(search, 'action'), ...text(search, 'object_type') })

const historySearch = ({ seq }: Search): HistorySearch => (typeof seq === 'number' ? { seq } : {})

const testsSearch = (search: Search): TestsSearch => text(search, 'case')

const count = (search: Search, name: string) =>
  typeof search[name] === 'number' && Number.isSafeInteger(search[name]) ? { [name]: search[name] } : {}

const compareSearch = (search: Search): CompareSearch => ({
  ...count(search, 'from'),
  ...count(search, 'to'),
  ...(search['view'] === 'table' && { view: 'table' }),
  ...text(search, 'in'),
  ...text(search, 'step'),
  ...count(search, 'row'),
})

const newReleaseSearch = (search: Search): NewReleaseSearch => ({
  ...text(search, 'ruleset'),
  ...text(search, 'environment'),
  ...text(search, 'again'),
})

const root = createRootRoute({ component: Outlet, notFoundComponent: Unknown })
const open = (path: string, component: RouteComponent) => createRoute({ getParentRoute: () => root, path, component })
const organization = createRoute({ getParentRoute: () => root, path: '/o/$org', component: Frame })
const project = createRoute({ getParentRoute: () => organization, path: '/p/$project' })

const ofOrganization = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => organization, path, component })
const ofProject = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => project, path, component })

const routeTree = root.addChildren([
  open('/', HomePage),
  open('/organizations', OrganizationsPage),
  open('/sign-in', SignInPage),
  open('/invitation', InvitationPage),
  organization.addChildren([
    ofOrganization(
      '/',
      lazyRouteComponent(() => import('./pages/organization.tsx'), 'OrganizationPage'),
    ),
    ofOrganization(
      '/inbox',
      lazyRouteComponent(() => import('./pages/inbox.tsx'), 'InboxPage'),
    ),
    ofOrganization(
      '/members',
      lazyRouteComponent(() => import('./pages/members.tsx'), 'MembersPage'),
    ),
    ofOrganization(
      '/invitations',
      lazyRouteComponent(() => import('./pages/invitations.tsx'), 'InvitationsPage'),
    ),
    ofOrganization(
      '/account',
      lazyRouteComponent(() => import('./pages/account.tsx'), 'AccountPage'),
    ),
    ofOrganization(
      '/roles',
      lazyRouteComponent(() => import('./pages/roles.tsx'), 'RolesPage'),
    ),
    ofOrganization(
      '/keys',
      lazyRouteComponent(() => import('./pages/keys.tsx'), 'KeysPage'),
    ),
    ofOrganization(
      '/engines',
      lazyRouteComponent(() => import('./pages/engines.tsx'), 'EnginesPage'),
    ),
    ofOrganization(
      '/engines/$id',
      lazyRouteComponent(() => import('./pages/engine.tsx'), 'EnginePage'),
    ),
    ofOrganization(
      '/settings',
      lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
    ),
    createRoute({
      getParentRoute: () => organization,
      path: '/audit',
      validateSearch: auditSearch,
      component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
    }),
    project.addChildren([
      ofProject('/rulesets', RulesetsPage),
      ofProject(
        '/deleted',
        lazyRouteComponent(() => import('./pages/deleted-rulesets.tsx'), 'DeletedRulesetsPage'),
      ),
      ofProject(
        '/import',
        lazyRouteComponent(() => import('./pages/import.tsx'), 'ImportPage'),
      ),
      createRoute({
        getParentRoute: () => project,
        path: '/rulesets/$name',
        validateSearch: editorSearch,
        // The draft takes longest to fetch: it loads in parallel with the session and the scripts of the page.
        loader: ({ params: { org, project: id, name }, cause, location: { search } }) => {
          if (cause !== 'enter') return
          prefetch('/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}', { path: { oid: org, pid: id, name } })
          loadView(editorSearch(search).view ?? 'flow')
        },
        component: lazyRouteComponent(() => import('./pages/ruleset.tsx'), 'RulesetPage'),
      }),
      createRoute({
        getParentRoute: () => project,
        path: '/rulesets/$name/history',
        validateSearch: historySearch,
        component: lazyRouteComponent(() => import('./pages/history.tsx'), 'HistoryPage'),
      }),
      createRoute({
        getParentRoute: () => project,
        path: '/rulesets/$name/compare',
        validateSearch: compareSearch,
        component: lazyRouteComponent(() => import('./pages/save-diff.tsx'), 'ComparePage'),
      }),
      createRoute({
        getParentRoute: () => project,
        path: '/tests',
        validateSearch: testsSearch,
        component: lazyRouteComponent(() => import('./pages/tests.tsx'), 'TestsPage'),
      }),
      ofProject(
        '/releases',
        lazyRouteComponent(() => import('./pages/releases.tsx'), 'ReleasesPage'),
      ),
      createRoute({
        getParentRoute: () => project,
        path: '/releases/new',
        validateSearch: newReleaseSearch,
        component: lazyRouteComponent(() => import('./pages/new-release.tsx'), 'NewReleasePage'),
      }),
      createRoute({
        getParentRoute: () => project,
        path: '/releases/$rid',
        validateSearch: releaseSearch,
        // Loads in parallel with the release itself.
        loader: ({ cause, location: { search } }) => {
          if (cause === 'enter') loadPart(releaseSearch(search).tab ?? 'behavior')
        },
        component: lazyRouteComponent(() => import('./pages/release.tsx'), 'ReleasePage'),
      }),
      ofProject(
        '/policies',
        lazyRouteComponent(() => import('./pages/policies.tsx'), 'PoliciesPage'),
      ),
      ofProject(
        '/facts',
        lazyRouteComponent(() => import('./pages/facts.tsx'), 'FactsPage'),
      ),
      ofProject(
        '/concepts',
        lazyRouteComponent(() => import('./pages/concepts.tsx'), 'ConceptsPage'),
      ),
      ofProject(
        '/contracts',
        lazyRouteComponent(() => import('./pages/contracts.tsx'), 'ContractsPage'),
      ),
      ofProject(
        '/contracts/$name',
        lazyRouteComponent(() => import('./pages/contract.tsx'), 'ContractPage'),
      ),
      ofProject(
        '/integrate',
        lazyRouteComponent(() => import('./pages/integrate.tsx'), 'IntegratePage'),
      ),
      ofProject(
        '/settings',
        lazyRouteComponent(() => import('./pages/project-settings.tsx'), 'ProjectSettingsPage'),
      ),
    ]),
  ]),
])

/** All pages by their addresses, below the base of the page. */
export const router = createRouter({ routeTree, basepath: new URL(BASE).pathname, defaultPreload: 'intent' })
