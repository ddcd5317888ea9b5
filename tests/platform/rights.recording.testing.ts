import type { World } from './world.testing.ts'

/** Access to recorded decisions, shadows and replays by role, for rights.testing.ts. `{P}` means both paths of a project. */
export const RECORDING_MATRIX = `
GET    {P}/rulesets/{name}/decisions  audit.read     401  404    200   200   403   403   200   200 403    401    404    200   200
GET    {P}/rulesets/{name}/decisions/{did} audit.read 401  404    200   200   403   403   200   200 403    401    404    200   200
DELETE {P}/rulesets/{name}/decisions  project.manage 401  404    204   204   403   403   204   204 403    401    404    403   403
GET    {P}/shadows                    member         401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/shadows                    release.create 401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/shadows/{id}               member         401  404    200   200   200   200   200   200 403    401    404    200   200
DELETE {P}/shadows/{id}               release.create 401  404    204   204   204   403   204   204 403    401    404    403   403
GET    {P}/replays                    audit.read     401  404    200   200   403   403   200   200 403    401    404    200   200
POST   {P}/replays                    audit.read     401  404    201   201   403   403   201   201 403    401    404    403   403
GET    {P}/replays/{id}               audit.read     401  404    200   200   403   403   200   200 403    401    404    200   200
GET    {P}/replays/{id}/events        audit.read     401  404    200   200   403   403   200   200 403    401    404    200   200
DELETE {P}/replays/{id}               audit.read     401  404    204   204   403   403   204   204 403    401    404    403   403
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .join('\n')

type Place = { readonly world: World }

const shadow = ({ world }: Place) => ({ params: { id: world.shadow } })

const replay = ({ world }: Place) => ({ params: { id: world.replay } })

/** The requests below a project. The world has a shadow and a replay of `kept` in `dev`, where it is live. */
export const recordingBodies = (project: string): Readonly<Record<string, (place: Place) => object>> => ({
  [`POST ${project}/shadows`]: () => ({
    body: {
      ruleset: 'kept',
      from_seq: 1,
      environment: 'prod',
      percent: 10,
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  }),
  [`GET ${project}/rulesets/{name}/decisions/{did}`]: ({ world }) => ({
    params: { name: 'kept', did: world.decision },
  }),
  [`GET ${project}/shadows/{id}`]: shadow,
  [`DELETE ${project}/shadows/{id}`]: shadow,
  [`POST ${project}/replays`]: () => ({ body: { ruleset: 'kept', from_seq: 1, environment: 'dev' } }),
  [`GET ${project}/replays/{id}`]: replay,
  [`GET ${project}/replays/{id}/events`]: replay,
  [`DELETE ${project}/replays/{id}`]: replay,
})
