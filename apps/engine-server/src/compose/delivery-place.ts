import { EngineError } from '../errors.ts'
import type { DeliveryPlace } from '../platform/delivery.ts'
import type { Tenancy } from '../tenants/tenancy.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Workspace } from '../tenants/workspace.ts'

/**
 * The workspaces as deliveries of the platform see them. A tenant that the platform names and that is not there is created, as
 * by a request.
 *
 * @param first that of requests that name no tenant
 * @param tenancy undefined: there are no tenants
 */
export function deliveryPlaceOf(first: Workspace, tenancy: Tenancy | undefined): DeliveryPlace {
  const find = (tenant: string): Workspace | undefined =>
    tenancy === undefined ? (tenant === DEFAULT_TENANT ? first : undefined) : tenancy.workspace(tenant)
  return {
    find: (tenant) => find(tenant)?.delivery,
    async open(tenant, by) {
      if (tenancy !== undefined && find(tenant) === undefined) await tenancy.tenants.create(tenant, {}, by)
      const workspace = find(tenant)
      if (workspace !== undefined) return workspace.delivery
      throw new EngineError('conflict', 'this engine has no tenants (--multi-tenancy-enabled)')
    },
  }
}
