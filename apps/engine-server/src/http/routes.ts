import type { Route } from './route.ts'
import { ANALYSIS_ROUTES } from './routes/analysis.ts'
import { CONFIGURATION_ROUTES } from './routes/configuration.ts'
import { EXECUTION_ROUTES } from './routes/execution.ts'
import { FILTER_ROUTES } from './routes/filters.ts'
import { IDENTITY_ROUTE, PROBE_ROUTES } from './routes/operation.ts'
import { RULESET_ROUTES } from './routes/rulesets.ts'

export type { Route } from './route.ts'
export { DEBUG_ROUTES } from './routes/debug.ts'
export { METRICS_ROUTE } from './routes/operation.ts'
export { TENANT_ROUTES } from './routes/tenants.ts'

/** The interface over HTTP: specification 4.1, docs/http.md. */
export const ROUTES: readonly Route[] = [
  ...RULESET_ROUTES,
  ...FILTER_ROUTES,
  ...ANALYSIS_ROUTES,
  ...EXECUTION_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...PROBE_ROUTES,
  IDENTITY_ROUTE,
]
