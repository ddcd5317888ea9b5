import type { TenantSettings, TenantSummary } from '@engine/api'
import type { Requester } from '../requester.ts'

/** `GET/POST /tenants`, `GET/PUT/DELETE /tenants/:id`. Throws or rejects with `EngineError`. */
export interface TenantService {
  list(): readonly TenantSummary[]
  get(id: string): TenantSummary
  create(id: string, settings: TenantSettings, by: Requester): Promise<TenantSummary>
  replace(id: string, settings: TenantSettings, by: Requester): Promise<TenantSummary>
  delete(id: string, by: Requester): Promise<void>
}
