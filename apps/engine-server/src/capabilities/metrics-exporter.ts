import { isNumber, isObject, type Value, quote } from '@engine/expression'
import type { CapabilityProvider, CapabilityRequest } from '@engine/ruleset'

/** Where numbers of rules go. */
export interface RuleSeries {
  /** The last value counts. */
  gauge(entry: RuleMetric): void
  /** Values are added up. */
  counter(entry: RuleMetric): void
}

interface RuleMetric {
  readonly ruleset: string
  readonly name: string
  readonly value: number
  readonly tags: readonly (readonly [string, string])[]
}

/** `metrics.exporter` (specification 2.8): `gauge` and `counter` with payload `{name, value, tags?}`. */
export function createMetricsExporter(series: RuleSeries): CapabilityProvider {
  return {
    name: 'metrics.exporter',
    operations: ['gauge', 'counter'],
    required: ['name'],
    // Not `async`: a payload that is wrong is thrown.
    call({ operation, payload, ruleset }) {
      const metric = { ruleset, ...read(payload, operation) }
      if (operation === 'counter') series.counter(metric)
      else series.gauge(metric)
      return Promise.resolve({ payload: {}, metadata: { metric: metric.name, operation } })
    },
  }
}

/** A metric without a value counts as one: "this happened". */
function read({ name, value = 1, tags = {} }: CapabilityRequest['payload'], operation: string) {
  if (typeof name !== 'string' || !/^[a-zA-Z_:][a-zA-Z0-9_:.-]{0,119}$/.test(name))
    throw new Error('`name` must be 1 to 120 letters, digits, `_`, `:`, `.`, `-`, not beginning with a digit')
  if (!isNumber(value)) throw new Error('`value` must be a number')
  if (operation === 'counter' && Number(value) < 0) throw new Error('`value` of a counter must not be negative')
  if (!isObject(tags)) throw new Error('`tags` must be an object')
  return { name, value: Number(value), tags: Object.entries(tags).map(tagOf) }
}

function tagOf([key, value]: [string, Value]): readonly [string, string] {
  if (value === null || (typeof value === 'object' && !isNumber(value)))
    throw new Error(`the tag ${quote(key)} must be a text or a number`)
  return [key, String(value)]
}
