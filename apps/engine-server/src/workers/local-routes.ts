import { patternOf } from '@engine/http-server'
import { type Route, routesOf } from '../http/routes.ts'

/** True if a worker can answer from its replica of the rulesets. Everything else goes to the owner. */
export function isLocal({ isServerWide, writes, path }: Route): boolean {
  if (path === '/healthz/live') return true
  return !isServerWide && !writes && !OWNED.some((ending) => path.endsWith(ending))
}

/** Workers have no copies of replaced versions, and only the owner verifies signatures. */
const OWNED = ['/versions', '/versions/:seq', '/impact', '/replay', '/debug/execute-inline'] as const

const LOCAL = routesOf({
  hasTenants: true,
  hasMetrics: true,
  debugMode: true,
  hasAuthzen: true,
  hasFlags: true,
  hasReceipts: true,
}).filter(isLocal)

/** True if a request is for one of those routes, by its method and path. */
export function asksLocalRoute({
  method,
  url = '',
}: {
  readonly method?: string | undefined
  readonly url?: string | undefined
}): boolean {
  const [path = ''] = url.split('?', 1)
  const wanted = method === 'HEAD' ? 'GET' : method
  return LOCAL.some((route) => route.method === wanted && patternOf(route).test(path))
}
