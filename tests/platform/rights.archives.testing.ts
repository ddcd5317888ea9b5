import { randomUUID } from 'node:crypto'

/** Access to templates and archives by role, for rights.testing.ts. `{P}` means both paths of a project. */
export const ARCHIVES_MATRIX = `
GET    /api/v1/templates                        any            401  200    200   200   200   200   200   200 200    401    200    200   200
GET    /api/v1/templates/{id}                   any            401  200    200   200   200   200   200   200 200    401    200    200   200
POST   /api/v1/orgs/{oid}/projects/from-template project.manage 401  404    201   201   403   403   201   201 403    401    404    403   403
POST   /api/v1/orgs/{oid}/projects/import       project.manage 401  404    201   201   403   403   201   201 403    401    404    403   403
GET    {P}/export                               member         401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/import                               project.manage 401  404    200   200   403   403   200   200 403    401    404    403   403
`
  .trim()
  .split('\n')
  .flatMap((line) =>
    line.includes('{P}')
      ? [line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'), line.replace('{P}', '/api/v1/projects/{pid}')]
      : [line],
  )
  .join('\n')

/** The present state of a project of the world: its import changes nothing, so it requires no other right. */
const project = (name: string) => ({
  format: 1,
  name,
  current_environment: 'prod',
  environments: [
    { name: 'dev', order: 0, allow_local_rulesets: true },
    { name: 'prod', order: 1, allow_local_rulesets: true },
  ],
})
const archive = () => ({ files: [{ path: 'project.json', text: JSON.stringify(project(`new ${randomUUID()}`)) }] })

/** The bodies of the requests of an organization. */
export const ARCHIVE_BODIES: Readonly<Record<string, () => object>> = {
  'GET /api/v1/templates/{id}': () => ({ params: { id: 'tax' } }),
  'POST /api/v1/orgs/{oid}/projects/from-template': () => ({
    body: { template_id: 'feature-access', project_name: `new ${randomUUID()}` },
  }),
  'POST /api/v1/orgs/{oid}/projects/import': () => ({ body: archive() }),
}

/** The bodies of the requests below a project. */
export const archiveBodies = (path: string): Readonly<Record<string, () => object>> => ({
  [`POST ${path}/import`]: () => ({ body: archive() }),
})
