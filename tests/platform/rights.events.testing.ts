/** Access to event streams and to the interface for assistants, for rights.testing.ts. `{P}` means both paths of a project. */
export const EVENTS_MATRIX = `
GET    {P}/events                              member       401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/rulesets/{name}/events              member       401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/rulesets/{name}/branch-counts       member       401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/rulesets/{name}/stats               member       401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/rulesets/{name}/presence            member       401  404    200   200   200   200   200   200 403    401    404    403   403
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .join('\n')
  .concat('\nPOST /api/v1/mcp key 401 403 403 403 403 403 403 200 200 401 200 403 403')

/** The bodies of the requests below a project. */
export const eventBodies = (project: string): Readonly<Record<string, () => object>> => ({
  [`GET ${project}/rulesets/{name}/branch-counts`]: () => ({ query: `?digest=${'0'.repeat(64)}` }),
  [`PUT ${project}/rulesets/{name}/presence`]: () => ({ body: { step_id: 'start' } }),
})
