import { compileFunction } from 'node:vm'
import { performance } from 'node:perf_hooks'
import type { Host } from '@engine/ruleset'
import { type Log, pause, processor } from '@engine/process'

/** Metrics that rules update. */
export interface RuleMetrics {
  /** A `metric` action reported a value. */
  reported(entry: Parameters<Host['metric']>[0]): void
  /** A fire-and-forget external call failed. */
  callFailed(entry: Parameters<Host['callFailed']>[0]): void
}

/**
 * The host of every ruleset of this server. Generated code becomes a function through `vm`, which keeps working when
 * Node is started with `--disallow-code-generation-from-strings`.
 */
export function createHost(parts: {
  readonly rulesets: Host['rulesets']
  readonly capabilities: Host['capabilities']
  readonly log: Log
  readonly metrics: RuleMetrics
  /** `--request-timeout-secs`, in milliseconds. */
  readonly requestMs: number
  /** Named in the log; undefined if the server has no tenants. */
  readonly tenant?: string | undefined
}): Host {
  const { log, metrics, tenant } = parts
  const owner = tenant === undefined ? {} : { tenant }
  return {
    rulesets: parts.rulesets,
    capabilities: parts.capabilities,
    log: ({ level, message, ruleset, step }) => log[level]({ ...owner, ruleset, step }, message),
    metric: (entry) => metrics.reported(entry),
    callFailed: (entry) => {
      metrics.callFailed(entry)
      log.warn({ ...owner, ...entry }, 'an external call of a rule failed')
    },
    monotonic: () => performance.now(),
    processor,
    requestMs: parts.requestMs,
    now: () => Date.now(),
    makeFunction: (parameters, body) => compileFunction(body, parameters),
    limit,
    pause,
  }
}

function limit(milliseconds: number | undefined): ReturnType<Host['limit']> {
  const controller = new AbortController()
  if (milliseconds === undefined) return { signal: controller.signal, dispose: () => {} }
  const timer = setTimeout(() => controller.abort(), milliseconds)
  return { signal: controller.signal, dispose: () => clearTimeout(timer) }
}
