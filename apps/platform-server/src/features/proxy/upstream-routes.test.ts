import { expect, test } from 'vitest'
import { FORWARDED_PARAMETERS, UPSTREAM_ROUTES } from './upstream-routes.ts'

/** The allowed requests, written by hand and not read from the table. */
const EXPECTED: readonly (readonly [request: string, right: string, ruleset: string, flags: string, bodies: string])[] =
  [
    ['POST execute/:name', 'decision.execute', 'path', 'split decision', 'json'],
    ['POST execute/:name/batch', 'decision.execute', 'path', 'split', 'json ndjson csv'],
    ['POST execute', 'decision.execute', 'request', 'split decision', 'json'],
    ['POST eval', 'decision.execute', 'none', 'split', 'json'],
    ['GET rulesets', 'server.manage', 'none', 'list', ''],
    ['GET rulesets/:name', 'server.manage', 'path', 'conditional', ''],
    ['GET rulesets/:name/versions', 'server.manage', 'path', '', ''],
    ['GET rulesets/:name/versions/:seq', 'server.manage', 'path', 'conditional', ''],
    ['POST rulesets/:name/filter', 'server.manage', 'path', '', 'json'],
    ['POST rulesets/:name/sql', 'server.manage', 'path', '', 'json'],
    ['POST rulesets/:name/analyze', 'server.manage', 'path', '', 'json'],
    ['POST rulesets/:name/impact', 'server.manage', 'path', '', 'json'],
    ['POST rulesets/:name/why-not', 'server.manage', 'path', '', 'json'],
    ['POST rulesets/:name/replay', 'server.manage', 'path', '', 'ndjson'],
    ['GET receipts/:instance/:seq', 'audit.read', 'receipt', '', ''],
  ]

const SHORT: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
}

test('the requests that reach engines, with their rights', () => {
  const listed = UPSTREAM_ROUTES.map(({ method, path, right, ruleset, bodies, ...one }) => {
    const flags = [
      one.isSplit && 'split',
      one.isDecision && 'decision',
      one.isList && 'list',
      one.headers.length > 0 && 'conditional',
    ].filter((flag) => flag !== false)
    return [`${method} ${path}`, right, ruleset, flags.join(' '), bodies.map((body) => SHORT[body]).join(' ')]
  })
  expect(listed).toEqual(EXPECTED)
})

test('a path at an engine has the parameters of that at the platform, and no others', () => {
  const parameters = (path: string) => path.match(/:\w+/g) ?? []
  for (const { path, upstreamPath, ruleset } of UPSTREAM_ROUTES) {
    const [own, upstream] = [parameters(path), parameters(upstreamPath)]
    expect(upstream, path).toEqual(ruleset === 'request' ? [':name'] : own)
    expect(upstreamPath.startsWith('/api/v1/'), path).toBe(true)
  }
})

test('conditional reads send both of their headers on', () => {
  const conditional = UPSTREAM_ROUTES.filter(({ headers }) => headers.length > 0)
  for (const { headers, method } of conditional)
    expect([method, headers]).toEqual(['GET', ['if-match', 'if-none-match']])
})

test('every parameter but the name of the ruleset is sent on', () => {
  const taken = new Set(UPSTREAM_ROUTES.flatMap(({ query }) => Object.keys(query)))
  expect([...taken].filter((name) => !FORWARDED_PARAMETERS.has(name))).toEqual(['ruleset'])
})
