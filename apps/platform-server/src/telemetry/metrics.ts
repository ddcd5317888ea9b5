import { setImmediate } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Requests over HTTP, by method, route and status. */
export interface HttpRequests {
  /** Creates the series before its first event: a rate misses an event that creates its series. */
  offered(method: string, route: string): void
  /**
   * @param route undefined if no route matches, or if the request was refused before routing
   * @param status undefined if the connection was closed before an answer
   */
  ended(method: string, route: string | undefined, status: number | undefined, seconds: number): void
}

/** How an attempt to sign in ended. */
export type SignInResult = 'ok' | 'refused' | 'limited'

/** All metrics of this program. */
export interface Metrics {
  readonly httpRequests: HttpRequests
  /** An attempt to sign in ended. */
  signedIn(way: 'password' | 'link' | 'sso', result: SignInResult): void
  /** Sets the source of the number of open streams. */
  openStreams(count: () => number): void
  /** Other parts register their own metrics here. */
  readonly registry: Registry
  /** The text exposition format. */
  text(): Promise<string>
}

/** Upper bounds of the buckets in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics of the platform, `engine_platform_*`, and those of the process. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const info = new Gauge({
    name: 'engine_platform_info',
    help: 'Version of the platform.',
    labelNames: ['version'] as const,
    registers,
  })
  info.set({ version }, 1)
  const uptime: Gauge = new Gauge({
    name: 'engine_platform_uptime_seconds',
    help: 'Seconds since the start.',
    registers,
    collect: (): void => uptime.set(process.uptime()),
  })
  const requests = new Counter({
    name: 'engine_platform_http_requests_total',
    help: 'Requests over HTTP.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const durations = new Histogram({
    name: 'engine_platform_http_request_duration_seconds',
    help: 'Time of requests over HTTP.',
    labelNames: ['method', 'route'] as const,
    buckets: BUCKETS,
    registers,
  })
  const signIns = new Counter({
    name: 'engine_platform_sign_ins_total',
    help: 'Attempts to sign in.',
    labelNames: ['way', 'result'] as const,
    registers,
  })
  return {
    registry,
    httpRequests: {
      offered: (method, route) => requests.inc({ method, route, status: '200' }, 0),
      ended(method, route = 'none', status = 0, seconds) {
        requests.inc({ method, route, status: status === 0 ? 'closed' : String(status) })
        durations.observe({ method, route }, seconds)
      },
    },
    openStreams(count) {
      const streams: Gauge = new Gauge({
        name: 'engine_platform_streams',
        help: 'Answers that their readers hold open.',
        registers,
        collect: (): void => streams.set(count()),
      })
    },
    signedIn: (way, result) => signIns.inc({ way, result }),
    text: sharedByTurn(() => registry.metrics()),
  }
}

/** Calls of one turn of the event loop share a result: each costs milliseconds, and anyone may send many requests. */
function sharedByTurn<Result>(collect: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | undefined
  const collectNext = async () => {
    await setImmediate()
    shared = undefined
    return collect()
  }
  return () => (shared ??= collectNext())
}
