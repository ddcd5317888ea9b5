import { generateKeys } from '@engine/signing'
import { randomUUID } from 'node:crypto'
import { type Action, isAction } from '../../apps/platform-server/src/access/actions.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { feeOf, grading } from './drafts.testing.ts'
import { PASSWORD } from './platform.testing.ts'
import { ARCHIVE_BODIES, archiveBodies, ARCHIVES_MATRIX } from './rights.archives.testing.ts'
import { CATALOG_MATRIX, catalogBodies } from './rights.catalog.testing.ts'
import { releaseBodies, RELEASES_MATRIX } from './rights.releases.testing.ts'
import { rolloutBodies, ROLLOUTS_MATRIX } from './rights.rollouts.testing.ts'
import { EVENTS_MATRIX, eventBodies } from './rights.events.testing.ts'
import { INTERCHANGE_MATRIX, interchangeRequests } from './rights.interchange.testing.ts'
import { recordingBodies, RECORDING_MATRIX } from './rights.recording.testing.ts'
import { addNotification, linkFor, type PersonName, type World, type WorldParts } from './world.testing.ts'

/**
 * Who may do what: the status of every route for every caller, as docs/platform/api.md has it. Written by hand: nothing here
 * is read from the route table. What the proxy would pass on is answered with 503: no engine serves the project.
 *
 * | caller | credentials |
 * |---|---|
 * | none | none |
 * | strngr | session of the owner of another organization |
 * | owner to viewer | session of a member with this built-in role |
 * | custom | session of a member whose only role has the right of the row, or no action |
 * | key | an API key that has the right of the row alone; where it is none, `project.read` |
 * | narrow | an API key with every action but that |
 * | expird | an API key with every action that has expired |
 * | foregn | an API key of another organization with every action |
 * | cross | session of the owner, sent by a page of another origin |
 * | bare | session of the owner, without an origin |
 */
export const CALLERS = [
  'none',
  'stranger',
  'owner',
  'admin',
  'editor',
  'viewer',
  'custom',
  'key',
  'narrow',
  'expired',
  'foreign',
  'cross',
  'bare',
] as const
export type CallerName = (typeof CALLERS)[number]

const MATRIX = `
                                                                      none strngr owner admin editr viewr custm key narrow expird foregn cross bare
GET    /health                                       -                200  200    200   200   200   200   200   200 200    200    200    200   200
GET    /healthz/ready                                -                200  200    200   200   200   200   200   200 200    200    200    200   200
GET    /healthz/live                                 -                200  200    200   200   200   200   200   200 200    200    200    200   200
GET    /healthz/proxy                                -                200  200    200   200   200   200   200   200 200    200    200    200   200
GET    /metrics                                      -                200  200    200   200   200   200   200   200 200    200    200    200   200
POST   /api/v1/auth/login                            -                200  200    200   200   200   200   200   200 200    200    200    403   403
POST   /api/v1/auth/token                            -                200  200    200   200   200   200   200   200 200    200    200    403   403
POST   /api/v1/auth/token/preview                    -                200  200    200   200   200   200   200   200 200    200    200    403   403
POST   /api/v1/auth/register                         -                201  201    201   201   201   201   201   201 201    201    201    403   403
POST   /api/v1/auth/reset                            -                202  202    202   202   202   202   202   202 202    202    202    403   403
GET    /api/v1/auth/options                          -                200  200    200   200   200   200   200   200 200    200    200    200   200
GET    /api/v1/auth/sso                              -                503  503    503   503   503   503   503   503 503    503    503    503   503
GET    /api/v1/auth/sso/callback                     -                400  400    400   400   400   400   400   400 400    400    400    400   400
POST   /api/v1/auth/logout                           person           401  204    204   204   204   204   204   403 403    401    403    403   403
POST   /api/v1/auth/change-password                  person           401  204    204   204   204   204   204   403 403    401    403    403   403
GET    /api/v1/auth/me                               any              401  200    200   200   200   200   200   200 200    401    200    200   200
PUT    /api/v1/auth/me                               person           401  200    200   200   200   200   200   403 403    401    403    403   403
GET    /api/v1/me                                    any              401  200    200   200   200   200   200   200 200    401    200    200   200
PUT    /api/v1/me                                    person           401  200    200   200   200   200   200   403 403    401    403    403   403
GET    /api/v1/me/sessions                           person           401  200    200   200   200   200   200   403 403    401    403    200   200
DELETE /api/v1/me/sessions                           person           401  204    204   204   204   204   204   403 403    401    403    403   403
GET    /api/v1/me/sessions/{id}                      person           401  200    200   200   200   200   200   403 403    401    403    200   200
DELETE /api/v1/me/sessions/{id}                      person           401  204    204   204   204   204   204   403 403    401    403    403   403
GET    /api/v1/orgs                                  any              401  200    200   200   200   200   200   200 200    401    200    200   200
POST   /api/v1/orgs                                  person           401  201    201   201   201   201   201   403 403    401    403    403   403
GET    /api/v1/orgs/{id}                             member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{id}                             org.manage       401  404    200   403   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{id}                             org.manage       401  404    204   403   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{id}/sub-orgs                    member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{id}/sub-orgs                    org.manage       401  404    201   403   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/members                    member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/members                    member.manage    401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members member      401  404    200   200   404   404   404   404 404    401    404    200   200
POST   /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members member.manage 401 404   201   201   404   404   404   404 404    401    404    403   403
PUT    /api/v1/orgs/{oid}/members/{uid}/roles        member.manage    401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/members/{uid}              member.manage    401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/invitations                member.manage    401  404    200   200   403   403   200   200 403    401    404    200   200
DELETE /api/v1/orgs/{oid}/invitations/{id}           member.manage    401  404    204   204   403   403   204   204 403    401    404    403   403
POST   /api/v1/invitations/preview                   -                200  200    200   200   200   200   200   200 200    200    200    403   403
POST   /api/v1/invitations/accept                    -                200  200    200   200   200   200   200   200 200    200    200    403   403
GET    /api/v1/orgs/{oid}/roles                      member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/roles                      role.manage      401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/roles/{id}                 member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/roles/{id}                 role.manage      401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/roles/{id}                 role.manage      401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/notifications              person           401  404    200   200   200   200   200   403 403    401    404    200   200
GET    /api/v1/orgs/{oid}/notifications/count        person           401  404    200   200   200   200   200   403 403    401    404    200   200
POST   /api/v1/orgs/{oid}/notifications/{nid}/read   person           401  404    204   204   204   204   204   403 403    401    404    403   403
POST   /api/v1/orgs/{oid}/notifications/read-all     person           401  404    204   204   204   204   204   403 403    401    404    403   403
GET    /api/v1/orgs/{oid}/api-keys                   token.manage     401  404    200   200   403   403   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/api-keys                   token.manage     401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/api-keys/{id}              token.manage     401  404    200   200   403   403   200   200 403    401    404    200   200
DELETE /api/v1/orgs/{oid}/api-keys/{id}              token.manage     401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/audit                      audit.read       401  404    200   200   403   403   200   200 403    401    404    200   200
GET    /api/v1/orgs/{oid}/projects                   member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/projects                   project.manage   401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}             member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}             project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}             project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/environments member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/environments environment.manage 401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/environments/{eid} member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}/environments/{eid} environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
PUT    /api/v1/orgs/{oid}/projects/{pid}/environments/{eid}/canary environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
PUT    /api/v1/orgs/{oid}/projects/{pid}/environments/{eid}/recording environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}/environments/{eid} environment.manage 401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/server      member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}/server      server.manage    401  404    200   200   403   403   200   200 403    401    404    403   403
GET    /api/v1/projects/{pid}                        member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/projects/{pid}                        project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/projects/{pid}                        project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/projects/{pid}/environments           member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/projects/{pid}/environments           environment.manage 401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/projects/{pid}/environments/{eid}     member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/projects/{pid}/environments/{eid}     environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
PUT    /api/v1/projects/{pid}/environments/{eid}/canary environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
PUT    /api/v1/projects/{pid}/environments/{eid}/recording environment.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/projects/{pid}/environments/{eid}     environment.manage 401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/projects/{pid}/server                 member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/projects/{pid}/server                 server.manage    401  404    200   200   403   403   200   200 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets           member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}    member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}    ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}    ruleset.edit     401   404   204   204   204   403   204   204   403   401   404   403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/duplicate ruleset.edit     401   404   201   201   201   403   201   201   403   401   404   403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/rename ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/restore ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/validate member           401   404   200   200   200   200   200   200   403   401   404   403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/convert member           401   404   200   200   200   200   200   200   403   401   404   403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq} member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}/analysis member 401 404 200 200 200 200 200 200 403 401 404 200 200
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}/restore ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/diff member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/publish ruleset.publish  401   404   202   202   403   403   202   202   403   401   404   403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/deployments member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments member 401 404 200 200 200 200 200 200 403 401 404 200 200
POST   /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments member 401 404 201 201 201 201 201 403 403 401 404 403 403
GET    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments/{cid} member 401 404 200 200 200 200 200 200 403 401 404 200 200
PUT    /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments/{cid} member 401 404 200 200 200 200 200 403 403 401 404 403 403
DELETE /api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments/{cid} project.manage 401 404 204 204 403 403 204 204 403 401 404 403 403
GET    /api/v1/projects/{pid}/rulesets                      member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/rulesets/{name}               member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/projects/{pid}/rulesets/{name}               ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
DELETE /api/v1/projects/{pid}/rulesets/{name}               ruleset.edit     401   404   204   204   204   403   204   204   403   401   404   403   403
POST   /api/v1/projects/{pid}/rulesets/{name}/duplicate     ruleset.edit     401   404   201   201   201   403   201   201   403   401   404   403   403
POST   /api/v1/projects/{pid}/rulesets/{name}/rename        ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
POST   /api/v1/projects/{pid}/rulesets/{name}/restore       ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
POST   /api/v1/projects/{pid}/rulesets/{name}/validate      member           401   404   200   200   200   200   200   200   403   401   404   403   403
POST   /api/v1/projects/{pid}/rulesets/{name}/convert       member           401   404   200   200   200   200   200   200   403   401   404   403   403
GET    /api/v1/projects/{pid}/rulesets/{name}/saves         member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/rulesets/{name}/saves/{seq}   member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/rulesets/{name}/saves/{seq}/analysis member 401 404 200 200 200 200 200 200 403 401 404 200 200
POST   /api/v1/projects/{pid}/rulesets/{name}/saves/{seq}/restore ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
GET    /api/v1/projects/{pid}/rulesets/{name}/diff          member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/projects/{pid}/rulesets/{name}/publish       ruleset.publish  401   404   202   202   403   403   202   202   403   401   404   403   403
GET    /api/v1/projects/{pid}/rulesets/{name}/deployments   member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/rulesets/{name}/comments member 401 404 200 200 200 200 200 200 403 401 404 200 200
POST   /api/v1/projects/{pid}/rulesets/{name}/comments member 401 404 201 201 201 201 201 403 403 401 404 403 403
GET    /api/v1/projects/{pid}/rulesets/{name}/comments/{cid} member 401 404 200 200 200 200 200 200 403 401 404 200 200
PUT    /api/v1/projects/{pid}/rulesets/{name}/comments/{cid} member 401 404 200 200 200 200 200 403 403 401 404 403 403
DELETE /api/v1/projects/{pid}/rulesets/{name}/comments/{cid} project.manage 401 404 204 204 403 403 204 204 403 401 404 403 403
GET    /api/v1/orgs/{oid}/sub-rules                         member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/orgs/{oid}/sub-rules                         ruleset.edit     401   404   201   201   201   403   201   201   403   401   404   403   403
GET    /api/v1/orgs/{oid}/sub-rules/{name}                  member           401   404   200   200   200   200   200   200   403   401   404   200   200
PUT    /api/v1/orgs/{oid}/sub-rules/{name}                  ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
DELETE /api/v1/orgs/{oid}/sub-rules/{name}                  ruleset.edit     401   404   204   204   204   403   204   204   403   401   404   403   403
GET    /api/v1/orgs/{oid}/sub-rules/{name}/versions         member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/sub-rules/{name}/versions/{seq}   member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/sub-rules/{name}/diff             member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/sub-rules          member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/sub-rules          ruleset.edit     401   404   201   201   201   403   201   201   403   401   404   403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}   member           401   404   200   200   200   200   200   200   403   401   404   200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}   ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}   ruleset.edit     401   404   204   204   204   403   204   204   403   401   404   403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/versions member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/versions/{seq} member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/sub-rules/{name}/diff member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/sub-rules                     member           401   404   200   200   200   200   200   200   403   401   404   200   200
POST   /api/v1/projects/{pid}/sub-rules                     ruleset.edit     401   404   201   201   201   403   201   201   403   401   404   403   403
GET    /api/v1/projects/{pid}/sub-rules/{name}              member           401   404   200   200   200   200   200   200   403   401   404   200   200
PUT    /api/v1/projects/{pid}/sub-rules/{name}              ruleset.edit     401   404   200   200   200   403   200   200   403   401   404   403   403
DELETE /api/v1/projects/{pid}/sub-rules/{name}              ruleset.edit     401   404   204   204   204   403   204   204   403   401   404   403   403
GET    /api/v1/projects/{pid}/sub-rules/{name}/versions     member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/sub-rules/{name}/versions/{seq} member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/projects/{pid}/sub-rules/{name}/diff         member           401   404   200   200   200   200   200   200   403   401   404   200   200
GET    /api/v1/orgs/{oid}/projects/{pid}/signing-key  project.manage   401  404    200   200   403   403   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}/signing-key  project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}/signing-key  project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/webhooks     member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/webhooks     project.manage   401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id} member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id} project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id} project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/deliveries member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/test project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
POST   /api/v1/orgs/{oid}/projects/{pid}/webhooks/{id}/deliveries/{did}/redeliver project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
GET    /api/v1/projects/{pid}/signing-key             project.manage   401  404    200   200   403   403   200   200 403    401    404    200   200
PUT    /api/v1/projects/{pid}/signing-key             project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/projects/{pid}/signing-key             project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/projects/{pid}/webhooks                member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/projects/{pid}/webhooks                project.manage   401  404    201   201   403   403   201   201 403    401    404    403   403
GET    /api/v1/projects/{pid}/webhooks/{id}           member           401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    /api/v1/projects/{pid}/webhooks/{id}           project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE /api/v1/projects/{pid}/webhooks/{id}           project.manage   401  404    204   204   403   403   204   204 403    401    404    403   403
GET    /api/v1/projects/{pid}/webhooks/{id}/deliveries member           401  404    200   200   200   200   200   200 403    401    404    200   200
POST   /api/v1/projects/{pid}/webhooks/{id}/test      project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
POST   /api/v1/projects/{pid}/webhooks/{id}/deliveries/{did}/redeliver      project.manage   401  404    200   200   403   403   200   200 403    401    404    403   403
GET    /api/v1/orgs/{oid}/connect-tokens             token.manage     401  404    200   200   403   403   200   200 403    401    404    200   200
POST   /api/v1/orgs/{oid}/connect-tokens             token.manage     401  404    201   201   403   403   201   201 403    401    404    403   403
DELETE /api/v1/orgs/{oid}/connect-tokens/{id}        token.manage     401  404    204   204   403   403   204   204 403    401    404    403   403
POST   /api/v1/internal/register                     server           401  403    403   403   403   403   403   401 401    401    401    403   403
POST   /api/v1/internal/heartbeat                    server           401  403    403   403   403   403   403   401 401    401    401    403   403
GET    /api/v1/internal/rulesets/{digest}            server           401  403    403   403   403   403   403   401 401    401    401    403   403
GET    /api/v1/servers                               any              401  200    200   200   200   200   200   200 200    401    200    200   200
GET    /api/v1/servers/{id}                          member           401  404    200   200   200   200   200   200 403    401    404    200   200
GET    /api/v1/servers/{id}/health                   member           401  404    200   200   200   200   200   200 403    401    404    200   200
GET    /api/v1/servers/{id}/metrics                  member           401  404    200   200   200   200   200   200 403    401    404    200   200
GET    /api/v1/servers/{id}/receipts                 member           401  404    200   200   200   200   200   200 403    401    404    200   200
DELETE /api/v1/servers/{id}/receipts/{chain}         server.manage    401  404    204   204   403   403   204   204 403    401    404    403   403
DELETE /api/v1/servers/{id}                          server.manage    401  404    204   204   403   403   204   204 403    401    404    403   403
POST   /api/v1/engine/{pid}/execute                  decision.execute 401  404    503   503   503   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/execute/{name}           decision.execute 401  404    503   503   503   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/execute/{name}/batch     decision.execute 401  404    503   503   503   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/eval                     decision.execute 401  404    503   503   503   403   503   503 403    401    404    403   403
GET    /api/v1/engine/{pid}/rulesets                 server.manage    401  404    503   503   403   403   503   503 403    401    404    503   503
GET    /api/v1/engine/{pid}/rulesets/{name}          server.manage    401  404    503   503   403   403   503   503 403    401    404    503   503
GET    /api/v1/engine/{pid}/rulesets/{name}/versions server.manage    401  404    503   503   403   403   503   503 403    401    404    503   503
GET    /api/v1/engine/{pid}/rulesets/{name}/versions/{seq} server.manage    401  404    503   503   403   403   503   503 403    401    404    503   503
POST   /api/v1/engine/{pid}/rulesets/{name}/filter   server.manage    401  404    503   503   403   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/sql      server.manage    401  404    503   503   403   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/analyze  server.manage    401  404    503   503   403   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/impact   server.manage    401  404    503   503   403   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/why-not  server.manage    401  404    503   503   403   403   503   503 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/replay   server.manage    401  404    415   415   403   403   415   415 403    401    404    403   403
GET    /api/v1/engine/{pid}/receipts/{instance}/{seq} audit.read      401  404    404   404   403   403   404   404 403    401    404    404   404
POST   /api/v1/engine/{pid}/rulesets                 never            401  404    403   403   403   403   403   403 403    401    404    403   403
DELETE /api/v1/engine/{pid}/rulesets/{name}          never            401  404    403   403   403   403   403   403 403    401    404    403   403
POST   /api/v1/engine/{pid}/rulesets/{name}/rollback never            401  404    403   403   403   403   403   403 403    401    404    403   403
PUT    /api/v1/engine/{pid}/config/audit-sample-rate never            401  404    403   403   403   403   403   403 403    401    404    403   403
POST   /api/v1/engine/{pid}/tenants                  never            401  404    403   403   403   403   403   403 403    401    404    403   403
PUT    /api/v1/engine/{pid}/tenants/{id}             never            401  404    403   403   403   403   403   403 403    401    404    403   403
DELETE /api/v1/engine/{pid}/tenants/{id}             never            401  404    403   403   403   403   403   403 403    401    404    403   403
${CATALOG_MATRIX}
${ARCHIVES_MATRIX}
${RELEASES_MATRIX}
${ROLLOUTS_MATRIX}
${EVENTS_MATRIX}
${INTERCHANGE_MATRIX}
${RECORDING_MATRIX}
`

/** One route: what its callers must be answered. */
export interface MatrixRow {
  /** `GET /api/v1/orgs/{id}`, as the OpenAPI document has it. */
  readonly route: string
  readonly method: string
  readonly path: string
  /** `-`: none is needed; `server`: for engines alone; `never`: the proxy changes no engine. */
  readonly right: string
  readonly expected: Readonly<Record<CallerName, number>>
}

/** The rows of the matrix. */
export const ROWS: readonly MatrixRow[] = MATRIX.trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [method = '', path = '', right = '', ...statuses] = line.trim().split(/ +/)
    if (statuses.length !== CALLERS.length) throw new Error(`not ${CALLERS.length} statuses: ${line}`)
    const expected = Object.fromEntries(CALLERS.map((name, index) => [name, Number(statuses[index])]))
    return { route: `${method} ${path}`, method, path, right, expected: expected as MatrixRow['expected'] }
  })

/** Callers of every row: `custom` and `narrow` show which right it needs, `stranger` and `foreign` in which organization. */
const ALWAYS: readonly CallerName[] = ['stranger', 'custom', 'narrow', 'foreign']
/** Callers of every fifth row, and of every fourth. */
const IN_TURN: readonly (readonly CallerName[])[] = [
  ['owner', 'admin', 'editor', 'viewer', 'key'],
  ['none', 'expired', 'cross', 'bare'],
]

/**
 * The callers of each row in a run that is not full. `http/route.ts` decides alike for all routes that need one right. The
 * first row of each right and pattern of statuses has all callers; the others have six.
 * A row that a stranger may find has all callers.
 */
export function sampledCallers(rows: readonly MatrixRow[]): ReadonlyMap<MatrixRow, readonly CallerName[]> {
  const alike = Map.groupBy(rows, ({ method, right, expected }) => {
    const statuses = CALLERS.map((name) => (expected[name] === expected.owner ? 'as the owner' : expected[name]))
    return [method === 'GET', right, ...statuses].join()
  })
  return new Map(
    Array.from(alike.values()).flatMap((group) =>
      group.map((row, index): [MatrixRow, readonly CallerName[]] => {
        if (index === 0 || row.expected.stranger !== 404) return [row, CALLERS]
        const asked = new Set([...ALWAYS, ...IN_TURN.map((names) => names[index % names.length])])
        return [row, CALLERS.filter((name) => asked.has(name))]
      }),
    ),
  )
}

/** The action that a row's custom role and key have alone; of rows for all members and persons the one of reading. */
export const actionOf = ({ right }: MatrixRow): Action => {
  if (right === 'never') return 'decision.execute'
  return isAction(right) ? right : 'project.read'
}

/** The session with which a caller comes. */
export const PERSON_OF: Readonly<Partial<Record<CallerName, PersonName>>> = {
  stranger: 'stranger',
  owner: 'owner',
  admin: 'admin',
  editor: 'editor',
  viewer: 'viewer',
  custom: 'custom',
  cross: 'owner',
  bare: 'owner',
}

/** The parts of a request. */
export interface RequestPlace {
  readonly database: Database
  readonly world: World
  /** The role of the caller; undefined: a key, or no credentials. */
  readonly userId: string | undefined
  readonly sessionId: string | undefined
}

/** The parameters of the path except the organization, and the body, with which a caller who has the right would succeed. */
interface RequestParts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
}

type Maker = (place: RequestPlace) => RequestParts | Promise<RequestParts>

const newName = () => `new ${randomUUID()}`
const newEmail = () => `${randomUUID()}@example.com`
const organization: Maker = ({ world }) => ({ params: { id: world.org } })
const session: Maker = ({ sessionId, world }) => ({ params: { id: sessionId ?? world.org } })
const role: Maker = ({ world }) => ({ params: { id: world.spareRole } })
const guest: Maker = ({ world }) => ({ params: { uid: world.guest.id } })
const key: Maker = ({ world }) => ({ params: { id: world.keys.target.id } })
const invited: Maker = () => ({ body: { email: newEmail(), roles: ['guest'] } })
const atEnvironment: Maker = ({ world }) => ({ params: { pid: world.project, eid: world.environment } })
const server: Maker = ({ world }) => ({ params: { id: world.server } })
/** A chain of receipts that the platform has witnessed. */
const receiptChain: Maker = async ({ database, world }) => {
  const chain = randomUUID()
  await database
    .scope(world.org)
    .insert('receipt_chains', {
      server_id: world.server,
      instance: `eu-1/${chain}`,
      opening: 'a',
      n: 0,
      entries: 1,
      checkpoint: '{}',
      signature: '',
      continued: true,
      reported_at: new Date(),
    })
    .execute()
  return { params: { id: world.server, chain } }
}
const engine = { name: 'e', instance_id: 'i', version: '1.0.0', capabilities: [], tenants: false }
const beat = { session: 's', health: {}, version: '1.0.0', capabilities: [], applied_revision: 0 }
const webhook = ({ world }: RequestPlace): RequestParts => ({ params: { pid: world.project, id: world.webhook } })
/** A project whose rulesets are signed: a key that is not there is 404. */
const withSigningKey: Maker = async ({ database, world }) => {
  await database.unscoped.tables
    .updateTable('projects')
    .set({ public_key: generateKeys().publicKey, private_key_encrypted: Buffer.alloc(0) })
    .where('id', '=', world.project)
    .execute()
  return {}
}
const me: Maker = () => ({ body: { display_name: newName() } })

const sending =
  (body: unknown): Maker =>
  () => ({ body })

const draftComment = ({ world }: { readonly world: World }) => ({ params: { cid: world.draftComment } })

/** The requests to a ruleset. */
const ofDrafts = (ruleset: string): Readonly<Record<string, Maker>> => ({
  [`POST ${ruleset}`]: sending({ ruleset: grading('rule', 20), expected_seq: 1 }),
  [`DELETE ${ruleset}`]: () => ({ query: '?expected_seq=1' }),
  [`POST ${ruleset}/duplicate`]: () => ({ body: { name: `r-${randomUUID()}` } }),
  [`POST ${ruleset}/rename`]: () => ({ body: { name: `r-${randomUUID()}` } }),
  [`POST ${ruleset}/restore`]: () => ({ params: { name: 'gone' } }),
  [`POST ${ruleset}/validate`]: sending({ ruleset: grading('rule') }),
  [`POST ${ruleset}/convert`]: sending({ ruleset: grading('rule') }),
  [`POST ${ruleset}/saves/{seq}/restore`]: sending({ expected_seq: 1 }),
  [`POST ${ruleset}/publish`]: sending({ environment: 'dev' }),
  [`POST ${ruleset}/comments`]: sending({ place: '/steps/start', text: 'a question' }),
  [`GET ${ruleset}/comments/{cid}`]: draftComment,
  [`PUT ${ruleset}/comments/{cid}`]: (place) => ({ ...draftComment(place), body: { settled: true } }),
  [`DELETE ${ruleset}/comments/{cid}`]: draftComment,
})

/** The requests to sub-rules of a project or an organization. */
const ofSubRules = (owner: string): Readonly<Record<string, Maker>> => ({
  [`POST ${owner}/sub-rules`]: () => ({ body: { name: `s-${randomUUID()}`, ...feeOf('3') } }),
  [`PUT ${owner}/sub-rules/{name}`]: sending({ ...feeOf('3'), expected_seq: 1 }),
  [`DELETE ${owner}/sub-rules/{name}`]: () => ({ query: '?expected_seq=1' }),
})

/** The requests below a project, at one of its two paths. */
const below = (project: string): Readonly<Record<string, Maker>> => {
  const toEnvironment =
    (body: unknown): Maker =>
    (place) => ({ ...atEnvironment(place), body })
  return {
    [`PUT ${project}`]: toEnvironment({ description: 'new' }),
    [`POST ${project}/environments`]: () => ({ body: { name: `e-${randomUUID()}` } }),
    [`PUT ${project}/environments/{eid}`]: toEnvironment({ order: 7 }),
    [`PUT ${project}/environments/{eid}/canary`]: toEnvironment({ on_failure: 'rollback' }),
    [`PUT ${project}/environments/{eid}/recording`]: toEnvironment({ rate: 1 }),
    ...ofDrafts(`${project}/rulesets/{name}`),
    ...ofSubRules(project),
    [`PUT ${project}/signing-key`]: () => ({ body: { private_key: generateKeys().privateKey } }),
    [`DELETE ${project}/signing-key`]: withSigningKey,
    [`POST ${project}/webhooks`]: () => ({ body: { url: 'https://hooks.example/x', events: ['*'] } }),
    [`GET ${project}/webhooks/{id}`]: webhook,
    [`PUT ${project}/webhooks/{id}`]: (place) => ({ ...webhook(place), body: { enabled: false } }),
    [`DELETE ${project}/webhooks/{id}`]: webhook,
    [`GET ${project}/webhooks/{id}/deliveries`]: webhook,
    [`POST ${project}/webhooks/{id}/test`]: webhook,
    [`POST ${project}/webhooks/{id}/deliveries/{did}/redeliver`]: ({ world }) => ({
      params: { pid: world.project, id: world.webhook, did: world.delivery },
    }),
    ...catalogBodies(project),
    ...archiveBodies(project),
    ...releaseBodies(project),
    ...rolloutBodies(project),
    ...eventBodies(project),
    ...interchangeRequests(project),
    ...recordingBodies(project),
    [`PUT ${project}/server`]: ({ world }) => ({ body: { environment: 'dev', server_ids: [world.server] } }),
  }
}

/** The proxy refuses a request without a body before it looks for an engine. */
const PROXIED: Readonly<Record<string, Maker>> = Object.fromEntries(
  [
    'execute/{name}',
    'execute/{name}/batch',
    'eval',
    ...['filter', 'sql', 'analyze', 'impact', 'why-not', 'replay'].map((path) => `rulesets/{name}/${path}`),
  ].map((path) => [`POST /api/v1/engine/{pid}/${path}`, () => ({ body: {} })]),
)

/** The requests of routes that need more than the organization. */
const REQUESTS: Readonly<Record<string, Maker>> = {
  ...below('/api/v1/orgs/{oid}/projects/{pid}'),
  ...below('/api/v1/projects/{pid}'),
  ...ofSubRules('/api/v1/orgs/{oid}'),
  ...ARCHIVE_BODIES,
  'POST /api/v1/mcp': () => ({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
  ...PROXIED,
  'GET /api/v1/engine/{pid}/receipts/{instance}/{seq}': () => ({
    params: { instance: `eu-1%2F${randomUUID()}`, seq: '0' },
  }),
  'POST /api/v1/engine/{pid}/execute': () => ({ query: '?ruleset=rule', body: {} }),
  'POST /api/v1/orgs/{oid}/projects': () => ({ body: { name: newName() } }),
  'POST /api/v1/orgs/{oid}/connect-tokens': () => ({ body: { label: 'new' } }),
  'PUT /api/v1/orgs/{oid}/trusted-keys': () => ({ body: { public_keys: [generateKeys().publicKey] } }),
  'DELETE /api/v1/orgs/{oid}/connect-tokens/{id}': ({ world }) => ({ params: { id: world.connectToken } }),
  'POST /api/v1/internal/register': () => ({ body: engine }),
  'POST /api/v1/internal/heartbeat': () => ({ body: beat }),
  'GET /api/v1/servers/{id}': server,
  'GET /api/v1/servers/{id}/health': server,
  'GET /api/v1/servers/{id}/metrics': server,
  'GET /api/v1/servers/{id}/receipts': server,
  'DELETE /api/v1/servers/{id}/receipts/{chain}': receiptChain,
  'DELETE /api/v1/servers/{id}': server,
  'POST /api/v1/auth/login': ({ world }) => ({ body: { email: world.cast.spare.email, password: PASSWORD } }),
  'POST /api/v1/auth/token': async ({ database, world }) => ({
    body: { token: await linkFor(database, world.cast.spare) },
  }),
  'POST /api/v1/auth/token/preview': async ({ database, world }) => ({
    body: { token: await linkFor(database, world.cast.spare) },
  }),
  'POST /api/v1/auth/register': () => ({ body: { email: newEmail(), password: PASSWORD, display_name: 'New' } }),
  'POST /api/v1/auth/reset': () => ({ body: { email: newEmail() } }),
  'POST /api/v1/auth/change-password': () => ({ body: { current: PASSWORD, next: PASSWORD } }),
  'PUT /api/v1/auth/me': me,
  'PUT /api/v1/me': me,
  'GET /api/v1/me/sessions/{id}': session,
  'DELETE /api/v1/me/sessions/{id}': session,
  'POST /api/v1/orgs': () => ({ body: { name: newName() } }),
  'GET /api/v1/orgs/{id}': organization,
  'PUT /api/v1/orgs/{id}': ({ world }) => ({ params: { id: world.org }, body: { name: newName() } }),
  'DELETE /api/v1/orgs/{id}': organization,
  'GET /api/v1/orgs/{id}/sub-orgs': organization,
  'POST /api/v1/orgs/{id}/sub-orgs': ({ world }) => ({ params: { id: world.org }, body: { name: newName() } }),
  'POST /api/v1/orgs/{oid}/members': invited,
  'POST /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members': invited,
  'PUT /api/v1/orgs/{oid}/members/{uid}/roles': ({ world }) => ({
    params: { uid: world.guest.userId },
    body: { roles: ['spare'] },
  }),
  'DELETE /api/v1/orgs/{oid}/members/{uid}': guest,
  'DELETE /api/v1/orgs/{oid}/invitations/{id}': ({ world }) => ({ params: { id: world.invitation.id } }),
  'POST /api/v1/invitations/preview': ({ world }) => ({ body: { token: world.invitation.token } }),
  'POST /api/v1/invitations/accept': ({ world }) => ({ body: { token: world.invitation.token, password: PASSWORD } }),
  'POST /api/v1/orgs/{oid}/roles': () => ({ body: { name: newName(), permissions: [] } }),
  'GET /api/v1/orgs/{oid}/roles/{id}': role,
  'PUT /api/v1/orgs/{oid}/roles/{id}': ({ world }) => ({ params: { id: world.spareRole }, body: { name: newName() } }),
  'DELETE /api/v1/orgs/{oid}/roles/{id}': role,
  'POST /api/v1/orgs/{oid}/notifications/{nid}/read': async ({ database, world, userId }) => ({
    params: { nid: await addNotification(database, world.org, userId ?? world.cast.owner.id) },
  }),
  'POST /api/v1/orgs/{oid}/api-keys': () => ({ body: { name: newName(), scopes: ['token.manage'] } }),
  'GET /api/v1/orgs/{oid}/api-keys/{id}': key,
  'DELETE /api/v1/orgs/{oid}/api-keys/{id}': key,
}

/** The resources that the world of a row needs. */
export const worldPartsOf = ({ path }: MatrixRow): WorldParts => ({
  hasSub: path.includes('{sub_id}'),
  hasProject: path.includes('{pid}'),
  hasCatalog: /\/(?:facts|concepts|contracts)\/\{name\}/.test(path),
  hasServer: /\/server(?:$|s\/\{id)/.test(path),
  hasDrafts:
    /\{pid\}\/(?:rulesets\/|shadows|replays|releases(?:\/preview)?$)|\/sub-rules\/|\/contracts\/derive$/.test(path) &&
    !path.includes('/engine/'),
  hasRelease: /\{rid\}|\/release-policies\/\{id\}|\/history\/\{id\}/.test(path),
})

/** Parameters other than ids. */
const NAMES = { digest: 'x', name: 'rule', seq: '1' }

/** The parts of a row's request: the parameters of its path and its query, for `pathOf`; its body. */
export async function partsOf(
  row: MatrixRow,
  place: RequestPlace,
): Promise<{ readonly params: Readonly<Record<string, string>>; readonly body: unknown }> {
  const { org, sub = '', project, environment, suite, testCase, release } = place.world
  const { params = {}, query = '', body } = (await REQUESTS[row.route]?.(place)) ?? {}
  const known = {
    oid: org,
    parent_id: org,
    sub_id: sub,
    pid: project,
    eid: environment,
    sid: suite,
    cid: testCase,
    rid: release,
    ...NAMES,
    ...params,
  }
  const named = Object.entries(known).filter(([name]) => row.path.includes(`{${name}}`))
  return { params: { ...Object.fromEntries(named), query }, body }
}

/** The path of a request of a row. */
export const pathOf = ({ path }: MatrixRow, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? name) + (params['query'] ?? '')
