import { type ErrorDetail, TENANT_LIMITS, TenantSettings } from '@engine/api'
import { defined, escapedKey, isObject, nearest, type Value } from '@engine/expression'
import { quoted } from '../errors.ts'
import { shapeFaults } from '@engine/http-api'

/** The settings of a tenant, by name. */
const NAMES = Object.keys(TenantSettings.properties)

/** Maximum number of unknown settings named in an error. */
const MAX_NAMED = 20

/**
 * The problems of a tenant's settings; empty if they are valid. Valid settings are read back as written. Sizes are
 * checked first, so that the cost stays proportional to the size of the request.
 *
 * @param unknown how unknown settings are handled
 */
export function settingsFaults(value: Value, unknown: 'refuse' | 'pass-over' = 'refuse'): readonly ErrorDetail[] {
  if (!isObject(value)) return shapeFaults(TenantSettings, value)
  const settings = Object.fromEntries(
    NAMES.flatMap((name) => (Object.hasOwn(value, name) ? [[name, defined(value[name])]] : [])),
  )
  const strangers =
    unknown === 'refuse'
      ? Object.keys(value)
          .filter((name) => !NAMES.includes(name))
          .slice(0, MAX_NAMED)
      : []
  const sizes = sizeFaults(settings)
  return [...strangers.map(stranger), ...(sizes.length > 0 ? sizes : shapeFaults(TenantSettings, settings))]
}

function stranger(name: string): ErrorDetail {
  const path = `/${escapedKey(name.slice(0, 80))}`
  if (name === 'id') return { path, message: 'is not a setting: the tenant id is part of the path' }
  const suggestion = nearest(name, NAMES)
  const message = `is not known: the settings are ${NAMES.map((one) => quoted(one)).join(', ')}`
  return suggestion === undefined ? { path, message } : { path, message, suggestion }
}

function sizeFaults({ name, metadata, ...others }: Readonly<Record<string, Value>>): readonly ErrorDetail[] {
  const faults: ErrorDetail[] = []
  const most = TENANT_LIMITS
  for (const [key, value] of Object.entries(others))
    if (typeof value === 'bigint') faults.push({ path: `/${key}`, message: `must be at most ${most.number}` })
  if (typeof name === 'string' && name.length > most.name)
    faults.push({ path: '/name', message: tooLong(name, most.name) })
  if (metadata === undefined || !isObject(metadata)) return faults
  const entries = Object.entries(metadata)
  if (entries.length > most.metadataEntries)
    return [
      ...faults,
      { path: '/metadata', message: `must have at most ${most.metadataEntries} entries, found ${entries.length}` },
    ]
  for (const [key, value] of entries) {
    if (key.length > most.metadataKey)
      faults.push({ path: '/metadata', message: `has the key ${quoted(key)}, which ${tooLong(key, most.metadataKey)}` })
    if (typeof value === 'string' && value.length > most.metadataValue)
      faults.push({ path: '/metadata', message: `${quoted(key)} ${tooLong(value, most.metadataValue)}` })
  }
  return faults
}

const tooLong = (text: string, most: number) => `must have at most ${most} characters, found ${text.length}`
