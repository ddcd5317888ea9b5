import { type Tenant, TenantSettings } from '@engine/api'
import { isObject, parseJson, type Value } from '@engine/expression'
import { shapeFaults } from '../shape.ts'
import { refuseTenantId } from './tenant-id.ts'

export { refuseTenantId }

/** The tenant of requests that name none. It is always there. */
export const DEFAULT_TENANT = 'default'

/** What every tenant has that nobody described. */
const NO_SETTINGS = {
  enabled: true,
  qps_limit: null,
  max_rulesets: null,
  execution_timeout_ms: null,
  metadata: {},
} as const

/** A file of tenants has mistakes. The message has all of them. */
export class TenantsFileError extends Error {}

/** A tenant with every setting filled in. */
export function tenantOf(id: string, settings: TenantSettings): Tenant {
  return { id, name: settings.name ?? id, ...NO_SETTINGS, ...withoutUndefined(settings) }
}

function withoutUndefined(settings: TenantSettings): TenantSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** The tenants of `tenants.json`: `{id: settings}`. Throws `TenantsFileError`. */
export function parseTenants(text: string): ReadonlyMap<string, Tenant> {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new TenantsFileError(parsed.problem.message)
  const { value } = parsed
  if (!isObject(value)) throw new TenantsFileError('it must hold an object from tenant id to settings')
  const tenants = new Map<string, Tenant>()
  const faults: string[] = []
  const taken = new Map<string, string>()
  for (const [id, settings] of Object.entries(value)) {
    const fault = refuseTenantId(id) ?? sameButForCase(taken, id) ?? settingsFault(settings)
    if (fault === undefined) tenants.set(id, tenantOf(id, settings as TenantSettings))
    else faults.push(`\`${id}\` ${fault}`)
    taken.set(id.toLowerCase(), id)
  }
  if (faults.length > 0) throw new TenantsFileError(faults.join('; '))
  return tenants
}

function sameButForCase(taken: ReadonlyMap<string, string>, id: string): string | undefined {
  const other = taken.get(id.toLowerCase())
  return other === undefined ? undefined : `differs from \`${other}\` only by case`
}

function settingsFault(settings: Value): string | undefined {
  const faults = shapeFaults(TenantSettings, settings).map(({ path, message }) => `${path} ${message}`.trim())
  return faults.length === 0 ? undefined : faults.join(', ')
}

/** `tenants.json` with these tenants. */
export function tenantsText(tenants: Iterable<Tenant>): string {
  const rows = Array.from(tenants, ({ id, ...settings }) => [id, settings] as const)
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`
}
