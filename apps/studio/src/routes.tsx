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
import { decisionsSearch } from './decisions/search.ts'
import { releasesSearch } from './releases/search.ts'
import { loadPart } from './review/lazy-parts.ts'
import { releaseSearch } from './review/search.ts'
import type { TestsSearch } from './pages/tests.tsx'
import { Crashed } from './pages/crashed.tsx'
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

const auditSearch = (search: Search): AuditSearch => ({
  ...text(search, 'actor'),
  ...text(search, 'object_type'),
  ...text(search, 'project_id'),
  ...text(search, 'span'),
})

const historySearch = ({ seq }: Search): HistorySearch => (typeof seq === 'number' ? { seq } : {})

const testsSearch = (search: Search): TestsSearch => ({ ...text(search, 'case'), ...text(search, 'ruleset') })

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
  open(
    '/',
    lazyRouteComponent(() => import('./pages/home.tsx'), 'HomePage'),
  ),
  open(
    '/organizations',
    lazyRouteComponent(() => import('./pages/home.tsx'), 'OrganizationsPage'),
  ),
  open(
    '/sign-in',
    lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
  ),
  open(
    '/invitation',
    lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'InvitationPage'),
  ),
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
      ofProject(
        '/rulesets',
        lazyRouteComponent(() => import('./pages/rulesets.tsx'), 'RulesetsPage'),
      ),
      ofProject(
        '/',
        lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
      ),
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
      createRoute({
        getParentRoute: () => project,
        path: '/releases',
        validateSearch: releasesSearch,
        component: lazyRouteComponent(() => import('./pages/releases.tsx'), 'ReleasesPage'),
      }),
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
      createRoute({
        getParentRoute: () => project,
        path: '/decisions',
        validateSearch: decisionsSearch,
        component: lazyRouteComponent(() => import('./pages/decisions.tsx'), 'DecisionsPage'),
      }),
      ofProject(
        '/decisions/$ruleset/$decision',
        lazyRouteComponent(() => import('./pages/decision-record.tsx'), 'DecisionRecordPage'),
      ),
      ofProject(
        '/environments',
        lazyRouteComponent(() => import('./pages/environments.tsx'), 'EnvironmentsPage'),
      ),
      ofProject(
        '/environments/$environment',
        lazyRouteComponent(() => import('./pages/environment.tsx'), 'EnvironmentPage'),
      ),
      ofProject(
        '/releases/$rid/rollout',
        lazyRouteComponent(() => import('./pages/rollout.tsx'), 'RolloutPage'),
      ),
      ofProject(
        '/engines',
        lazyRouteComponent(() => import('./pages/engines.tsx'), 'ProjectEnginesPage'),
      ),
      ofProject(
        '/policies',
        lazyRouteComponent(() => import('./pages/policies.tsx'), 'PoliciesPage'),
      ),
      ofProject(
        '/sub-rules',
        lazyRouteComponent(() => import('./pages/sub-rules.tsx'), 'SubRulesPage'),
      ),
      ofProject(
        '/sub-rules/$name',
        lazyRouteComponent(() => import('./pages/sub-rule.tsx'), 'SubRulePage'),
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
        '/webhooks',
        lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
      ),
      ofProject(
        '/signing',
        lazyRouteComponent(() => import('./pages/signing.tsx'), 'SigningPage'),
      ),
      ofProject(
        '/settings',
        lazyRouteComponent(() => import('./pages/project-settings.tsx'), 'ProjectSettingsPage'),
      ),
    ]),
  ]),
])

/** All pages by their addresses, below the base of the page. */
export const router = createRouter({
  routeTree,
  basepath: new URL(BASE).pathname,
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
})
