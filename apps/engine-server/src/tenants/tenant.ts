import type { Tenant, TenantSettings } from '@engine/api'
import { isObject, parseJson, stringifyJson, quote } from '@engine/expression'
import { settingsFaults } from './settings.ts'
import { refuseTenantId } from '../store/tenant-id.ts'

/** The settings of a tenant that is not configured. */
const NO_SETTINGS = {
  enabled: true,
  qps_limit: null,
  max_rulesets: null,
  execution_timeout_ms: null,
  metadata: {},
} as const

/** The tenants file is invalid. The message lists all mistakes. */
export class TenantsFileError extends Error {}

/**
 * A tenant with every setting filled in. Only the six settings are read, so that no other member of the object can
 * replace `id`. `null` is the same as an omitted setting.
 */
export function tenantOf(id: string, settings: TenantSettings): Tenant {
  return {
    id,
    name: settings.name ?? id,
    enabled: settings.enabled ?? NO_SETTINGS.enabled,
    qps_limit: settings.qps_limit ?? NO_SETTINGS.qps_limit,
    max_rulesets: settings.max_rulesets ?? NO_SETTINGS.max_rulesets,
    execution_timeout_ms: settings.execution_timeout_ms ?? NO_SETTINGS.execution_timeout_ms,
    metadata: { ...(settings.metadata ?? NO_SETTINGS.metadata) },
  }
}

/**
 * The tenants of `tenants.json`: `{id: settings}`. Throws `TenantsFileError`.
 *
 * @param unknown handling of unknown settings: in files they are refused, so that a typo does not lift a limit;
 *   in publications of newer instances they are ignored
 */
export function parseTenants(text: string, unknown: 'refuse' | 'pass-over' = 'refuse'): ReadonlyMap<string, Tenant> {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new TenantsFileError(parsed.problem.message)
  const { value } = parsed
  if (!isObject(value)) throw new TenantsFileError('it must hold an object from tenant id to settings')
  const tenants = new Map<string, Tenant>()
  const faults: string[] = []
  const taken = new Map<string, string>()
  for (const [id, settings] of Object.entries(value)) {
    const found = settingsFaults(settings, unknown).map(({ path, message }) => `${path} ${message}`.trim())
    const fault = refuseTenantId(id) ?? sameButForCase(taken, id) ?? (found.length === 0 ? undefined : found.join(', '))
    if (fault === undefined) tenants.set(id, tenantOf(id, settings as TenantSettings))
    else faults.push(`${quote(id)} ${fault}`)
    if (faults.length === MAX_FAULTS) break
    taken.set(id.toLowerCase(), id)
  }
  if (faults.length > 0) throw new TenantsFileError(faults.join('; '))
  return tenants
}

/** Maximum number of reported faults per file. */
const MAX_FAULTS = 20

function sameButForCase(taken: ReadonlyMap<string, string>, id: string): string | undefined {
  const other = taken.get(id.toLowerCase())
  return other === undefined ? undefined : `differs from ${quote(other)} only by case`
}

/** `tenants.json` with these tenants: one per line, so that a change is one line in a diff. */
export function tenantsText(tenants: Iterable<Tenant>): string {
  const rows = Array.from(tenants, (tenant) => rowOf(tenant))
  return rows.length === 0 ? '{}\n' : `{\n${rows.join(',\n')}\n}\n`
}

/** Tenants are immutable, so the text of each is built only once, however many others change. */
const rows = new WeakMap<Tenant, string>()

function rowOf(tenant: Tenant): string {
  const known = rows.get(tenant)
  if (known !== undefined) return known
  const { id, ...settings } = tenant
  const made = `  ${stringifyJson(id)}: ${stringifyJson(settings)}`
  rows.set(tenant, made)
  return made
}
