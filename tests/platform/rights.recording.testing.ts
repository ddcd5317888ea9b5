import type { World } from './world.testing.ts'

/** Access to recorded decisions and shadows by role, for rights.testing.ts. `{P}` means both paths of a project. */
export const RECORDING_MATRIX = `
GET    {P}/rulesets/{name}/decisions  audit.read     401  404    200   200   403   403   200   200 403    401    404    200   200
DELETE {P}/rulesets/{name}/decisions  project.manage 401  404    204   204   403   403   204   204 403    401    404    403   403
GET    {P}/shadows                    member         401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/shadows                    release.create 401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/shadows/{id}               member         401  404    200   200   200   200   200   200 403    401    404    200   200
DELETE {P}/shadows/{id}               release.create 401  404    204   204   204   403   204   204 403    401    404    403   403
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

/** The requests below a project. The world has a shadow of `kept` in `dev`. */
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
  [`GET ${project}/shadows/{id}`]: shadow,
  [`DELETE ${project}/shadows/{id}`]: shadow,
})
