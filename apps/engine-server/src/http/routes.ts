import type { Route } from './route.ts'
import { ANALYSIS_ROUTES } from './routes/analysis.ts'
import { authzenRoutes } from './routes/authzen.ts'
import { CONFIGURATION_ROUTES } from './routes/configuration.ts'
import { EXECUTION_ROUTES } from './routes/execution.ts'
import { DEBUG_ROUTES } from './routes/debug.ts'
import { FILTER_ROUTES } from './routes/filters.ts'
import { FLAG_ROUTES } from './routes/flags.ts'
import { IDENTITY_ROUTE, METRICS_ROUTE, PROBE_ROUTES } from './routes/operation.ts'
import { RECEIPT_ROUTES } from './routes/receipts.ts'
import { RULESET_ROUTES } from './routes/rulesets.ts'
import { TENANT_ROUTES } from './routes/tenants.ts'

export type { Route } from './route.ts'
/** Configuration that adds or removes routes. */
interface Offered {
  readonly hasTenants: boolean
  readonly hasMetrics: boolean
  readonly debugMode: boolean
  readonly hasAuthzen: boolean
  readonly hasFlags: boolean
  readonly hasReceipts: boolean
}

/** The routes offered with a configuration. */
export const routesOf = ({
  hasTenants,
  hasMetrics,
  debugMode,
  hasAuthzen,
  hasFlags,
  hasReceipts,
}: Offered): readonly Route[] => [
  ...ROUTES,
  ...(hasTenants ? TENANT_ROUTES : []),
  ...(hasMetrics ? [METRICS_ROUTE] : []),
  ...(debugMode ? DEBUG_ROUTES : []),
  ...(hasAuthzen ? authzenRoutes(hasTenants) : []),
  ...(hasFlags ? FLAG_ROUTES : []),
  ...(hasReceipts ? RECEIPT_ROUTES : []),
]

/**
 * The HTTP interface: specification 4.1, docs/http.md.
 *
 * @internal
 */
export const ROUTES: readonly Route[] = [
  ...RULESET_ROUTES,
  ...FILTER_ROUTES,
  ...ANALYSIS_ROUTES,
  ...EXECUTION_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...PROBE_ROUTES,
  IDENTITY_ROUTE,
]
