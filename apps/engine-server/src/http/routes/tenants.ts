import { ErrorBody, TenantList, TenantRequest, TenantSettings, TenantSummary } from '@engine/api'
import { isObject, type Value } from '@engine/expression'
import { Type } from 'typebox'
import { EngineError } from '../../errors.ts'
import { pageOf } from '../../services/page.ts'
import { refuseFaults, requireShape } from '@engine/http-api'
import { settingsFaults } from '../../tenants/settings.ts'
import { json, jsonOf } from '@engine/http-server'
import { nextPage, PAGE_HEADERS, pageQueryOf, PAGING } from '../query.ts'
import { type Route, type RouteRequest, API, Empty, readText } from '../route.ts'

const tenants = { scope: 'admin', isServerWide: true, group: 'Tenants' } as const

/** Only with `--multi-tenancy-enabled`. */
export const TENANT_ROUTES: readonly Route[] = [
  {
    ...tenants,
    method: 'GET',
    path: `${API}/tenants`,
    writes: false,
    summary: 'List tenants',
    query: PAGING,
    answers: { 200: TenantList },
    answerHeaders: { 200: PAGE_HEADERS },
    handle(request) {
      const { rows, next } = pageOf(
        tenantsOf(request).list(),
        pageQueryOf(request.query),
        ({ id }) => id,
        ({ id, name }) => [id, name],
      )
      return { ...json(200, rows), headers: nextPage(`${API}/tenants`, request.query, next) }
    },
  },
  {
    ...tenants,
    method: 'POST',
    path: `${API}/tenants`,
    writes: true,
    summary: 'Create a tenant',
    body: TenantRequest,
    answers: { 201: TenantSummary, 409: ErrorBody },
    answerHeaders: { 201: { location: 'path of the tenant' } },
    async handle(request) {
      const { id, settings } = await readTenant(request)
      const created = await tenantsOf(request).create(id, settings, request.by)
      return { ...json(201, created), headers: { location: `${API}/tenants/${id}` } }
    },
  },
  {
    ...tenants,
    method: 'GET',
    path: `${API}/tenants/:id`,
    writes: false,
    summary: 'Get a tenant',
    answers: { 200: TenantSummary },
    handle: (request) => json(200, tenantsOf(request).get(request.params['id'] ?? '')),
  },
  {
    ...tenants,
    method: 'PUT',
    path: `${API}/tenants/:id`,
    writes: true,
    summary: 'Replace the settings of a tenant; omitted settings get their defaults',
    body: TenantSettings,
    answers: { 200: TenantSummary, 409: ErrorBody },
    async handle(request) {
      const settings = settingsOf(await jsonOf(await readText(request), 'refuse'))
      return json(200, await tenantsOf(request).replace(request.params['id'] ?? '', settings, request.by))
    },
  },
  {
    ...tenants,
    method: 'DELETE',
    path: `${API}/tenants/:id`,
    writes: true,
    summary: 'Delete a tenant without rulesets',
    answers: { 204: Empty, 409: ErrorBody },
    async handle(request) {
      await tenantsOf(request).delete(request.params['id'] ?? '', request.by)
      return { status: 204 }
    },
  },
]

/** A missing or non-text id is reported with the message of the schema; the sizes of the settings are checked first. */
async function readTenant(request: RouteRequest): Promise<{ id: string; settings: TenantSettings }> {
  const body = await jsonOf(await readText(request), 'refuse')
  if (!isObject(body)) requireShape(TenantRequest, body)
  const { id, ...rest } = isObject(body) ? body : {}
  if (typeof id !== 'string') requireShape(TenantId, id === undefined ? {} : { id })
  return { id: id as string, settings: settingsOf(rest) }
}

const TenantId = Type.Pick(TenantRequest, ['id'])

/** Throws an `EngineError` that locates every fault. */
function settingsOf(body: Value): TenantSettings {
  refuseFaults(settingsFaults(body))
  return body as TenantSettings
}

function tenantsOf({ server }: RouteRequest) {
  if (server.tenants === undefined) throw new EngineError('not-found', 'there are no tenants (--multi-tenancy-enabled)')
  return server.tenants
}
