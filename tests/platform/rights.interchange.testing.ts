import { randomUUID } from 'node:crypto'

/** Access to imports and exports of rulesets, for rights.testing.ts. `{P}` means both paths of a project. */
export const INTERCHANGE_MATRIX = `
POST   {P}/imports                  ruleset.edit 401  404    200   200   200   403   200   200 403    401    404    403   403
GET    {P}/rulesets/{name}/export   member       401  404    200   200   200   200   200   200 403    401    404    200   200
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .join('\n')

const rule = { conditions: { all: [] }, event: { type: 'always' } }

/** The requests below a project. */
export const interchangeRequests = (project: string): Readonly<Record<string, () => object>> => ({
  [`POST ${project}/imports`]: () => ({
    query: `?format=json-rules-engine&apply=true&name=r-${randomUUID()}`,
    body: rule,
  }),
  [`GET ${project}/rulesets/{name}/export`]: () => ({ query: '?format=engine' }),
})
