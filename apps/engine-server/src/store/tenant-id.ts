/** The tenant of requests that name none. It always exists. */
export const DEFAULT_TENANT = 'default'

/** Why a text is not a tenant id; undefined if it is one. The id becomes the name of a folder and part of a subject. */
export function refuseTenantId(id: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return 'must be 1 to 64 letters, digits, `_` or `-`'
  return id.toLowerCase() === 'tenants' ? 'is reserved: the events of tenants go under that name' : undefined
}
