import { grading } from './drafts.testing.ts'
import type { World } from './world.testing.ts'

/**
 * Access to facts, concepts, contracts and tests by role, for rights.testing.ts. `{P}` means both paths of a project; the
 * resources of the world are all named `rule`.
 */
export const CATALOG_MATRIX = `
GET    {P}/facts                   member        401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/facts                   fact.edit     401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/facts/{name}            member        401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/facts/{name}            fact.edit     401  404    200   200   200   403   200   200 403    401    404    403   403
DELETE {P}/facts/{name}            fact.edit     401  404    204   204   204   403   204   204 403    401    404    403   403
GET    {P}/facts/{name}/usage      member        401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/concepts                member        401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/concepts                fact.edit     401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/concepts/{name}         member        401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/concepts/{name}         fact.edit     401  404    200   200   200   403   200   200 403    401    404    403   403
DELETE {P}/concepts/{name}         fact.edit     401  404    204   204   204   403   204   204 403    401    404    403   403
GET    {P}/contracts               member        401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/contracts               contract.edit 401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/contracts/{name}        member        401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/contracts/{name}        contract.edit 401  404    200   200   200   403   200   200 403    401    404    403   403
DELETE {P}/contracts/{name}        contract.edit 401  404    204   204   204   403   204   204 403    401    404    403   403
GET    {P}/contracts/{name}/schema  member       401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/contracts/{name}/openapi member       401  404    200   200   200   200   200   200 403    401    404    200   200
GET    {P}/contracts/{name}/types   member       401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/contracts/{name}/check   member       401  404    200   200   200   200   200   200 403    401    404    403   403
POST   {P}/contracts/derive         member       401  404    200   200   200   200   200   200 403    401    404    403   403
POST   {P}/rulesets/{name}/trace               test.run     401  404    200   200   200   403   200   200 403    401    404    403   403
GET    {P}/rulesets/{name}/tests               member       401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/rulesets/{name}/tests               ruleset.edit 401  404    201   201   201   403   201   201 403    401    404    403   403
GET    {P}/rulesets/{name}/tests/{sid}         member       401  404    200   200   200   200   200   200 403    401    404    200   200
PUT    {P}/rulesets/{name}/tests/{sid}         ruleset.edit 401  404    200   200   200   403   200   200 403    401    404    403   403
DELETE {P}/rulesets/{name}/tests/{sid}         ruleset.edit 401  404    204   204   204   403   204   204 403    401    404    403   403
POST   {P}/rulesets/{name}/tests/{sid}/cases   ruleset.edit 401  404    201   201   201   403   201   201 403    401    404    403   403
PUT    {P}/rulesets/{name}/tests/{sid}/cases/{cid} ruleset.edit 401 404 200   200   200   403   200   200 403    401    404    403   403
DELETE {P}/rulesets/{name}/tests/{sid}/cases/{cid} ruleset.edit 401 404 204   204   204   403   204   204 403    401    404    403   403
POST   {P}/rulesets/{name}/tests/run           test.run     401  404    200   200   200   403   200   200 403    401    404    403   403
POST   {P}/rulesets/{name}/tests/{sid}/run     test.run     401  404    200   200   200   403   200   200 403    401    404    403   403
POST   {P}/tests/run                           test.run     401  404    200   200   200   403   200   200 403    401    404    403   403
GET    {P}/rulesets/{name}/tests/export        member       401  404    200   200   200   200   200   200 403    401    404    200   200
POST   {P}/rulesets/{name}/tests/import        ruleset.edit 401  404    200   200   200   403   200   200 403    401    404    403   403
`
  .trim()
  .split('\n')
  .flatMap((line) => [
    line.replace('{P}', '/api/v1/orgs/{oid}/projects/{pid}'),
    line.replace('{P}', '/api/v1/projects/{pid}'),
  ])
  .join('\n')

const suite = () => ({ name: newName(), cases: [{ name: 'a', expect: { code: 'A' } }] })
const oneCase = () => ({ name: newName(), expect: { code: 'A' } })
const contract = { version: '1.0.0', input: { fields: [] }, outputs: [] }
const newName = () => `n${crypto.randomUUID().replaceAll('-', '')}`

/** The bodies of the requests below a project. */
export const catalogBodies = (project: string): Readonly<Record<string, (place: { world: World }) => object>> => ({
  [`POST ${project}/facts`]: () => ({ body: { name: newName(), type: 'string' } }),
  [`PUT ${project}/facts/{name}`]: () => ({ body: { type: 'number' } }),
  [`POST ${project}/concepts`]: () => ({ body: { name: newName(), fields: [] } }),
  [`PUT ${project}/concepts/{name}`]: () => ({ body: { fields: [{ name: 'a', type: 'string' }] } }),
  [`POST ${project}/contracts`]: () => ({ body: { name: newName(), ...contract } }),
  [`PUT ${project}/contracts/{name}`]: () => ({ body: contract }),
  [`POST ${project}/contracts/{name}/check`]: () => ({ body: contract }),
  [`POST ${project}/rulesets/{name}/trace`]: () => ({ body: { ruleset: grading('rule'), input: {} } }),
  [`POST ${project}/rulesets/{name}/tests`]: () => ({ body: suite() }),
  [`PUT ${project}/rulesets/{name}/tests/{sid}`]: () => ({ body: suite() }),
  [`POST ${project}/rulesets/{name}/tests/{sid}/cases`]: () => ({ body: oneCase() }),
  [`PUT ${project}/rulesets/{name}/tests/{sid}/cases/{cid}`]: () => ({ body: oneCase() }),
  [`POST ${project}/rulesets/{name}/tests/import`]: () => ({ body: { cases: [oneCase()] } }),
  [`POST ${project}/contracts/derive`]: () => ({ body: { ruleset: 'rule' } }),
})
