import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const STUDIO = join(import.meta.dirname, '../../apps/studio/src')

/** Paths that no page requests, each with the reason. */
const WITHOUT_PAGE: readonly (readonly [path: string, reason: string])[] = [
  [
    '/api/v1/auth/register',
    'only platforms that allow it have it, for programs that make accounts: people are invited',
  ],
  ['/api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members', 'a sub-organization has its own page of members'],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/openapi',
    'the page of a contract writes its address from a list of formats',
  ],
  ['/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/schema', 'as above'],
  ['/api/v1/orgs/{oid}/projects/{pid}/contracts/{name}/types', 'as above'],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions',
    'the page of a rollout shows the last one, by `execution`',
  ],
  ['/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/executions/{eid}', 'as above'],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/history',
    'the same events as `executions/:eid/events`, which the page of a rollout follows',
  ],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/signatures',
    'signatures are made outside of the platform, by `engine sign`',
  ],
  ['/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/signatures/{name}', 'as above'],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/convert',
    'for editors of other makers: the studio converts in its worker',
  ],
  ['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/validate', 'as above: the studio finds problems in its worker'],
  ['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/trace', 'as above: the studio simulates in its worker'],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/saves/{seq}/analysis',
    'as above: the studio analyses in its worker',
  ],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/history',
    'the board shows what is live; a release has its own page',
  ],
  [
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/history/{id}/rollback',
    'a rollback starts from the page of the release',
  ],
  ['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}', 'the page of tests changes single cases'],
  ['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}/cases', 'as above'],
  ['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests/{sid}/run', 'as above'],
  ['/api/v1/orgs/{oid}/sub-rules', 'sub-rules of an organization are for programs: people write those of a project'],
  ['/api/v1/orgs/{oid}/sub-rules/{name}', 'as above'],
  ['/api/v1/orgs/{oid}/sub-rules/{name}/diff', 'as above'],
  ['/api/v1/orgs/{oid}/sub-rules/{name}/versions', 'as above'],
  ['/api/v1/orgs/{oid}/sub-rules/{name}/versions/{seq}', 'as above'],
  ['/api/v1/servers/{id}/receipts/{chain}', 'an operator forgets a contradicted chain by the API after an inquiry'],
  ['/api/v1/templates/{id}', 'a project is made from the list of templates'],
]

/** The platform's paths with organization and project: the short ones name the same operations. */
const described = Array.from(
  readFileSync(join(STUDIO, 'api/schema.ts'), 'utf8').matchAll(/^ {2}"(\/api\/v1\/[^"]+)": \{/gm),
  ([, path = '']) => path,
)

/** The paths that a file requests: constants are put in, anything else between braces is one segment. */
function pathsIn(source: string): readonly string[] {
  const constants = new Map(
    Array.from(source.matchAll(/const (\w+) = ['`]([^'`\n]*)['`]/g), ([, name = '', text = '']) => [name, text]),
  )
  const filled = (text: string): string => {
    const next = text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole)
    return next === text ? text : filled(next)
  }
  return Array.from(source.matchAll(/['`]((?:\/api\/v1|\$\{\w+\})[^'`\n]*)['`]/g), ([, text = '']) =>
    filled(text)
      .replace(/^.*(?=\/api\/v1)/, '')
      .replace(/\?.*$/, ''),
  )
}

const requested = readdirSync(STUDIO, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(?:ing)?\.ts|schema\.ts$/.test(file))
  .flatMap((file) => pathsIn(readFileSync(join(STUDIO, file), 'utf8')))

/** Names of parameters do not matter. */
const shapeOf = (path: string) => path.replaceAll(/\$?\{[^}]*\}/g, '*')

test('every path of the platform is requested by a page of the studio, or is listed with the reason', () => {
  const shapes = new Set(requested.map(shapeOf))
  const known = WITHOUT_PAGE.map(([path]) => path)
  const missing = described.filter((path) => !shapes.has(shapeOf(path)))
  expect(described.length).toBeGreaterThan(100)
  expect(missing.toSorted()).toEqual(known.toSorted())
  expect(WITHOUT_PAGE.filter(([, reason]) => reason === '')).toEqual([])
})
