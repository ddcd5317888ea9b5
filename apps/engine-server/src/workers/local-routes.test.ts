import { expect, test } from 'vitest'
import { ROUTES } from '../http/routes.ts'
import { DEBUG_ROUTES } from '../http/routes/debug.ts'
import { METRICS_ROUTE } from '../http/routes/operation.ts'
import { TENANT_ROUTES } from '../http/routes/tenants.ts'
import { asksLocalRoute, isLocal } from './local-routes.ts'

test('nothing that changes anything, and nothing about the whole server, is answered by a worker', () => {
  const all = [...ROUTES, ...TENANT_ROUTES, METRICS_ROUTE, ...DEBUG_ROUTES]
  expect(all.filter(isLocal).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/rulesets',
    'POST /api/v1/rulesets/validate',
    'GET /api/v1/rulesets/:name',
    'GET /api/v1/rulesets/:name/inputs',
    'GET /api/v1/rulesets/:name/graph',
    'POST /api/v1/rulesets/:name/filter',
    'POST /api/v1/rulesets/:name/sql',
    'POST /api/v1/rulesets/:name/analyze',
    'POST /api/v1/rulesets/:name/why-not',
    'POST /api/v1/execute/:name',
    'POST /api/v1/execute/:name/batch',
    'POST /api/v1/eval',
    'GET /healthz/live',
    'POST /api/v1/debug/execute/:name',
    'POST /api/v1/debug/eval',
  ])
})

test.each([
  ['GET', '/api/v1/rulesets?x=1', true],
  ['GET', '/api/v1/rulesets/a%2fb', true],
  ['POST', '/api/v1/rulesets', false],
  ['POST', '/api/v1/rulesets#x', false],
  ['HEAD', '/api/v1/rulesets', true],
  ['GET', '/api/v1/rulesets/a/versions', false],
  ['GET', '/api/v1/rulesets/a/versions/1', false],
  ['POST', '/api/v1/debug/execute-inline', false],
  ['GET', '/docs', false],
])('%s %s is local: %s', (method, url, whether) => {
  expect(asksLocalRoute({ method, url })).toBe(whether)
})
