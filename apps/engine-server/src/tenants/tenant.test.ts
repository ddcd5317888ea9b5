import { describe, expect, test } from 'vitest'
import { refuseTenantId } from '../store/tenant-id.ts'
import { parseTenants, TenantsFileError, tenantsText } from './tenant.ts'

const SETTINGS = { enabled: true, qps_limit: null, max_rulesets: null, execution_timeout_ms: null, metadata: {} }

describe('tenants.json', () => {
  test('fills in defaults, and is read back as it was written', () => {
    const text = '{"a": {}, "b": {"name": "B", "enabled": false, "qps_limit": 5, "metadata": {"plan": "gold"}}}'
    const tenants = parseTenants(text)
    expect([...tenants.values()]).toEqual([
      { id: 'a', name: 'a', ...SETTINGS },
      { id: 'b', name: 'B', ...SETTINGS, enabled: false, qps_limit: 5, metadata: { plan: 'gold' } },
    ])
    expect(parseTenants(tenantsText(tenants.values()))).toEqual(tenants)
  })

  test.each([
    ['{"a":', 'line 1, column 6'],
    ['[]', 'it must hold an object from tenant id to settings'],
    ['{"a": {}, "a": {}}', 'twice'],
    ['{"a": {}, "A": {}}', '`A` differs from `a` only by case'],
    ['{"../x": {}}', '`../x` must be 1 to 64 letters, digits, `_` or `-`'],
    ['{"tenants": {}}', '`tenants` is reserved'],
    ['{"a": 1}', '`a` must be an object'],
    ['{"a": {"enabled": "no"}}', '`a` /enabled must be `true` or `false`, found the string `no`'],
    ['{"a": {"qps_limit": 0}, "b": {"max_rulesets": "x"}}', /`a` \/qps_limit .*`b` \/max_rulesets/],
  ])('%s is refused', (text, message) => {
    expect(() => parseTenants(text)).toThrow(TenantsFileError)
    expect(() => parseTenants(text)).toThrow(message)
  })
})

test.each(['', '.', '..', 'a/b', 'a\\b', 'a.b', 'a b', 'ä', '%2e', 'a\0', 'x'.repeat(65), 'TENANTS'])(
  '%j is not the id of a tenant',
  (id) => {
    expect(refuseTenantId(id)).toEqual(expect.any(String))
  },
)
