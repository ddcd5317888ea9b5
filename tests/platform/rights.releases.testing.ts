import { randomUUID } from 'node:crypto'
import type { World } from './world.testing.ts'

/** The rows of policies, releases and reviews, at both paths of a project; as in rights.testing.ts. */
export const RELEASES_MATRIX = `
GET    {P}/release-policies        member          401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/release-policies        project.manage  401  404    201   201   403   403   201   201 403    401    404    403   403
GET    {P}/release-policies/{id}   member          401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/release-policies/{id}   project.manage  401  404    200   200   403   403   200   200 403    401    404    403   403
DELETE {P}/release-policies/{id}   project.manage  401  404    204   204   403   403   204   204 403    401    404    403   403
GET    {P}/freeze-windows          member          401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases                member          401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/releases                release.create  401  404    201   201   201   403   201   201 403    401    404    403   403
POST   {P}/releases/preview        release.create  401  404    200   200   200   403   200   200 403    401    404    403   403
GET    {P}/releases/{rid}          member          401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/diff     member          401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/impact   member          401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/history  member          401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/releases/{rid}/approve  release.approve 401  404    200   200   403   403   200   403 403    401    404    403   403
POST   {P}/releases/{rid}/reject   release.approve 401  404    200   200   403   403   200   403 403    401    404    403   403
POST   {P}/releases/{rid}/cancel   release.execute 401  404    200   200   403   403   200   200 403    401    404    403   403
GET    {P}/releases/{rid}/comments member          401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/releases/{rid}/comments member          401  404    201   201   201   201   201   403 403    401    404    403   403
GET    {P}/releases/{rid}/comments/{cid} member    401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/releases/{rid}/comments/{cid} member    401  404    200   200   200   200   200   403 403    401    404    403   403
DELETE {P}/releases/{rid}/comments/{cid} project.manage 401 404 204   204   403   403   204   204 403    401    404    403   403
GET    {P}/releases/{rid}/signatures member        401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/signatures/{name} member 401  404    404   404   404   404   404   404 403    401    404    404   404
PUT    {P}/releases/{rid}/signatures/{name} release.execute 401 404 404 404   403   403   404   404 403    401    404    403   403
GET    {P}/rulesets/{name}/history member          401  404    200   200   200   200   200   200 403    401    404    200   200
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .concat([
    'GET /api/v1/orgs/{oid}/trusted-keys            member 401 404 200 200 200 200 200 200 403 401 404 200 200',
    'PUT /api/v1/orgs/{oid}/trusted-keys        org.manage 401 404 200 403 403 403 200 200 403 401 404 403 403',
    'GET /api/v1/orgs/{oid}/releases                member 401 404 200 200 200 200 200 200 403 401 404 200 200',
    'GET /api/v1/orgs/{oid}/releases/pending-for-me member 401 404 200 200 200 200 200 200 403 401 404 200 200',
  ])
  .join('\n')

const policy = ({ world }: { world: World }) => ({ params: { id: world.policy } })
const comment = ({ world }: { world: World }) => ({ params: { cid: world.comment } })
/** Whose ruleset the release does not have: 404 for those who may sign. */
const signature = { algorithm: 'ed25519', public_key: 'A'.repeat(43) + '=', signature: 'A'.repeat(86) + '==' }
const request = { title: 'new', rulesets: [{ name: 'kept', from_seq: 1 }], environments: ['prod'] }

/** The requests below a project. */
export const releaseBodies = (project: string): Readonly<Record<string, (place: { world: World }) => object>> => ({
  [`POST ${project}/release-policies`]: () => ({ body: { name: `p-${randomUUID()}` } }),
  [`GET ${project}/release-policies/{id}`]: policy,
  [`PUT ${project}/release-policies/{id}`]: (place) => ({ ...policy(place), body: { priority: 7 } }),
  [`DELETE ${project}/release-policies/{id}`]: policy,
  [`POST ${project}/releases`]: () => ({ body: request }),
  [`POST ${project}/releases/preview`]: () => ({ body: request }),
  [`POST ${project}/releases/{rid}/approve`]: () => ({ body: { comment: 'fine' } }),
  [`POST ${project}/releases/{rid}/reject`]: () => ({ body: { reason: 'not fine' } }),
  [`POST ${project}/releases/{rid}/comments`]: () => ({ body: { text: 'a question' } }),
  [`GET ${project}/releases/{rid}/comments/{cid}`]: comment,
  [`PUT ${project}/releases/{rid}/comments/{cid}`]: (place) => ({ ...comment(place), body: { settled: true } }),
  [`DELETE ${project}/releases/{rid}/comments/{cid}`]: comment,
  [`GET ${project}/releases/{rid}/signatures/{name}`]: () => ({ params: { name: 'none' } }),
  [`PUT ${project}/releases/{rid}/signatures/{name}`]: () => ({ params: { name: 'none' }, body: signature }),
  [`POST ${project}/releases/{rid}/cancel`]: () => ({ body: {} }),
})
