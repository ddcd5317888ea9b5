import type { World } from './world.testing.ts'

/**
 * The rows of executions, as in rights.testing.ts: the release of the world awaits an approval, and its old execution has
 * ended.
 */
export const ROLLOUTS_MATRIX = `
POST   {P}/releases/{rid}/execute  release.execute 401  404    409   409   403   403   409   409 403    401    404    403   403
POST   {P}/releases/{rid}/pause    release.execute 401  404    409   409   403   403   409   409 403    401    404    403   403
POST   {P}/releases/{rid}/resume   release.execute 401  404    409   409   403   403   409   409 403    401    404    403   403
POST   {P}/releases/{rid}/promote  release.execute 401  404    409   409   403   403   409   409 403    401    404    403   403
POST   {P}/releases/{rid}/abort    release.execute 401  404    409   409   403   403   409   409 403    401    404    403   403
POST   {P}/releases/{rid}/rollback release.rollback 401 404    409   409   403   403   409   409 403    401    404    403   403
GET    {P}/releases/{rid}/execution  member        401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/executions member        401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/executions/{eid} member  401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/executions/{eid}/canaries member 401 404 200 200 200  200   200   200 403    401    404    200   200
GET    {P}/releases/{rid}/executions/{eid}/events member 401 404 200 200  200   200   200   200 403    401    404    200   200
POST   {P}/rulesets/{name}/history/{id}/rollback release.rollback 401 404 409 409 403 403 409 409 403 401 404 403 403
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .join('\n')

type Place = { readonly world: World }

const execution = ({ world }: Place) => ({ params: { eid: world.execution } })

/** The requests below a project. */
export const rolloutBodies = (project: string): Readonly<Record<string, (place: Place) => object>> => ({
  [`POST ${project}/releases/{rid}/execute`]: () => ({ body: {} }),
  [`POST ${project}/releases/{rid}/rollback`]: () => ({ body: { reason: 'too dear' } }),
  [`GET ${project}/releases/{rid}/executions/{eid}`]: execution,
  [`GET ${project}/releases/{rid}/executions/{eid}/canaries`]: execution,
  [`GET ${project}/releases/{rid}/executions/{eid}/events`]: execution,
  [`POST ${project}/rulesets/{name}/history/{id}/rollback`]: ({ world }) => ({ params: { id: world.entry } }),
})
