import { between, pick, type Random } from '../../apps/engine-server/src/sync/random.testing.ts'
import { randomJson } from './random-json.testing.ts'

/** A change that an administrator requests. */
export type Write =
  | {
      readonly kind: 'put'
      readonly tenant: string
      readonly name: string
      readonly json: string
      readonly form: 'json' | 'compiled'
    }
  | { readonly kind: 'delete'; readonly tenant: string; readonly name: string }
  /** The content to roll back to, as a number of changes ago; 0: the last one. */
  | { readonly kind: 'rollback'; readonly tenant: string; readonly name: string; readonly back: number }
  | { readonly kind: 'create-tenant'; readonly json: string }
  | { readonly kind: 'replace-tenant'; readonly id: string; readonly json: string }
  | { readonly kind: 'delete-tenant'; readonly id: string }
  | { readonly kind: 'sample-rate'; readonly json: string }

/** Tenants that are always there; the others come and go, and have no separate rulesets for longer than a moment. */
export const LASTING = ['default', 'a', 'B-2'] as const

/** Few, so that they are updated, deleted and made again. */
const NAMES = [
  'a',
  'A',
  '7',
  '_',
  '-',
  'a.',
  'v1.2.3',
  'a.json',
  'a.cases',
  'a.contract',
  'constructor',
  '__proto__',
  'CON',
  'x'.repeat(128),
  ...Array.from({ length: 16 }, (_, index) => `rule-${index}`),
] as const
/** No names: each must be refused, or be somewhere that nothing else is. */
const NO_NAMES = [
  '',
  '.',
  '..',
  '../up',
  'a/b',
  'a\\\\b',
  '.versions',
  'tenants',
  'é',
  'a b',
  'x'.repeat(129),
  '\\u0000',
  '\\ud800',
] as const
/** Whether a ruleset may have the name. */
export const isName = (name: string): boolean => NAMES.some((one) => one === name)

const IDS = ['t1', 't2', 'T1', '_', '-', 'CON', '__proto__', 'constructor', 'y'.repeat(64)] as const
const NO_IDS = [
  '',
  '.',
  '..',
  '../../evil',
  'a/b',
  'tenants',
  '.versions',
  'é',
  'y'.repeat(65),
  '\\u0000',
  'a\\\\b',
] as const
const SETTINGS = [
  '"name":"x"',
  '"name":"\\ud800\\"\\\\\\u0000"',
  '"name":null',
  '"enabled":false',
  '"enabled":"no"',
  '"qps_limit":1e16',
  '"qps_limit":9007199254740993',
  '"qps_limit":0.5',
  '"qps_limit":-1',
  '"qps_limit":1.0',
  '"qps_limit":1e300',
  '"max_rulesets":1e20',
  '"max_rulesets":3',
  '"execution_timeout_ms":1e16',
  '"execution_timeout_ms":250',
  '"execution_timeout_ms":null',
  '"metadata":{"a\\\\/":"1","h":"2"}',
  '"metadata":{"h":"1","a\\/b":"2"}',
  '"metadata":{"h":"1","\\\\":"2"}',
  '"metadata":{"h":"1","\\"":"2"}',
  '"metadata":{"__proto__":"x","1":"y","":"z"}',
  '"metadata":{"n":1}',
  '"metadata":[]',
  '"metadata":{"\\u00e9":"\\ud800"}',
  '"id":"../../evil"',
  '"id":"other"',
  '"id":5',
  '"id":null',
  '"x":1e16',
  '"x":9007199254740993',
  `"x":${'['.repeat(120)}${']'.repeat(120)}`,
] as const

/** A change at random, mostly of rulesets. */
export function randomWrite(random: Random): Write {
  const at = random()
  if (at < 0.12) return tenantWrite(random)
  if (at < 0.14)
    return {
      kind: 'sample-rate',
      json: `{"sample_rate": ${pick(random, ['0', '50', '100', '1e1', '-1', '1e16', '0.5', '"1"'])}}`,
    }
  const tenant = pick(random, LASTING)
  const name = random() < 0.05 ? pick(random, NO_NAMES) : pick(random, NAMES)
  if (at < 0.26) return { kind: 'delete', tenant, name }
  if (at < 0.4) return { kind: 'rollback', tenant, name, back: Math.floor(between(random, 0, 6)) }
  return { kind: 'put', tenant, name, json: rulesetJson(random, name), form: random() < 0.2 ? 'compiled' : 'json' }
}

function tenantWrite(random: Random): Write {
  const id = random() < 0.3 ? pick(random, NO_IDS) : pick(random, IDS)
  const at = random()
  if (at < 0.2) return { kind: 'delete-tenant', id }
  if (at < 0.6) return { kind: 'create-tenant', json: `{"id":"${id}"${settings(random)}}` }
  // The parts of stored rulesets that do not prevent their execution.
  if (at < 0.7) return { kind: 'replace-tenant', id: pick(random, LASTING), json: `{${pick(random, HARMLESS)}}` }
  return { kind: 'replace-tenant', id, json: `{${settings(random).slice(1)}}` }
}

const HARMLESS = SETTINGS.filter((text) => /"(name|metadata|id|x)"|1e16|9007199254740993|1e300|1e20/.test(text))

function settings(random: Random): string {
  const chosen = new Map(
    Array.from({ length: Math.floor(between(random, 0, 3)) }, () => pick(random, SETTINGS)).map((text) => [
      text.split(':')[0],
      text,
    ]),
  )
  return Array.from(chosen.values(), (text) => `,${text}`).join('')
}

function rulesetJson(random: Random, name: string): string {
  const version = `${Math.floor(random() * 10)}.${Math.floor(random() * 10)}.0`
  const big = random()
  const value = big < 0.002 ? flat(60_000) : big < 0.006 ? nested(10_000) : randomJson(random)
  const other = random() < 0.5 ? `,"other":${randomJson(random)}` : ''
  return (
    `{"config":{"name":"${name}","version":"${version}","entry_step":"end","description":${pick(random, ['null', '"d"', '"\\ud800\\/"'])}},` +
    `"steps":{"end":{"id":"end","type":"terminal","result":{"code":"OK","message":"","value":${value}}}}${other}}`
  )
}

const flat = (count: number) => `[${Array.from({ length: count }, (_, index) => index % 10).join(',')}]`
/** Lists in lists: each character of it would be a separate line. */
const nested = (count: number) =>
  `[${Array.from({ length: count / 100 }, () => `${'['.repeat(50)}${']'.repeat(50)}`).join(',')}]`
