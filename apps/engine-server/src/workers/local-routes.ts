import { patternOf } from '@engine/http-server'
import { type Route, routesOf } from '../http/routes.ts'

/** Whether the replica of the rulesets suffices to answer. Everything else goes to the owner. */
export function isLocal({ isServerWide, writes, path }: Route): boolean {
  if (path === '/healthz/live') return true
  return !isServerWide && !writes && !OWNED.some((ending) => path.endsWith(ending))
}

/** Replaced versions are not copied, and signatures are verified by the owner alone. */
const OWNED = ['/versions', '/versions/:seq', '/impact', '/replay', '/debug/execute-inline'] as const

const LOCAL = routesOf({
  hasTenants: true,
  hasMetrics: true,
  debugMode: true,
  hasAuthzen: true,
  hasFlags: true,
  hasReceipts: true,
}).filter(isLocal)

/** Whether a request is one of those routes, by its method and path. */
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
