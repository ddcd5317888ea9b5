import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { startServer } from '../http/server.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { digestOf } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made, refusal } from './team.testing.ts'

/** Contracts that rulesets carry to engines, in the mode of their project. */

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0', '--request-timeout-secs', '170'])
})
afterAll(() => platform.stop())

const contract = (name: string) => ({
  name,
  version: '1.2.0',
  input: {
    fields: [
      { name: 'points', type: 'number', required: true, minimum: 0 },
      { name: 'address', type: 'concept:address' },
      { name: 'tier', type: 'string', default: 'silver' },
      { name: 'email', type: 'string', enum: ['a@example.org'] },
    ],
  },
  outputs: [
    { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
    { code: 'REFUSED', fields: [] },
  ],
})

/** A new project with a saved ruleset that has a contract. */
async function project(settings?: object): Promise<{ readonly name: string; readonly seq: number }> {
  scene = await newScene(platform)
  const { owner, P } = scene
  if (settings !== undefined) expect((await owner.request('PUT', P, settings)).status).toBe(200)
  const name = newName()
  const concept = (of: string, type: string) => ({ name: of, fields: [{ name: 'part', type }] })
  for (const one of [concept('city', 'string'), concept('address', 'concept:city'), concept('unused', 'string')])
    await made(owner.request('POST', `${P}/concepts`, one))
  await made(owner.request('POST', `${P}/contracts`, contract(name)))
  return { name, seq: await scene.save(owner, name) }
}

const exported = async (name: string) =>
  (await scene.owner.request('GET', `${scene.P}/rulesets/${name}/export?format=engine`)).body.document

const preview = async (name: string, from_seq: number) =>
  (
    await scene.owner.request('POST', `${scene.P}/releases/preview`, {
      title: 'x',
      rulesets: [{ name, from_seq }],
      environments: ['prod'],
    })
  ).body

test('the content of a release carries the contract, which an engine enforces with its defaults', async () => {
  const { name, seq } = await project()
  expect((await scene.owner.request('GET', scene.P)).body.contract_mode).toBe('enforce')
  const document = await exported(name)
  const { version, input } = contract(name)
  const fields = [{ name: 'part', type: 'concept:city' }]
  expect(document.config.contract).toEqual({
    mode: 'enforce',
    contract: {
      name,
      version,
      input,
      concepts: [
        { name: 'address', fields },
        { name: 'city', fields: [{ name: 'part', type: 'string' }] },
      ],
    },
  })
  const release = await scene.release(scene.owner, name, seq)
  expect(release.rulesets).toMatchObject([{ name, digest: digestOf(document) }])

  const engine = await startServer()
  try {
    expect((await engine.post('/api/v1/rulesets', document)).status).toBe(201)
    const execute = (given: object) => engine.post(`/api/v1/execute/${name}`, { input: given })
    expect((await execute({ points: 10 })).body).toMatchObject({ code: 'GRANTED' })
    const refused = await execute({ points: -1, address: { part: { part: 5 } } })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(refused.body.details).toMatchObject([{ path: '/input/points' }, { path: '/input/address/part/part' }])
  } finally {
    await engine.stop()
  }
})

test.each([
  ['warn', 'warn'],
  ['off', undefined],
])('in a project with the mode %s', async (contract_mode, mode) => {
  const { name } = await project({ contract_mode })
  expect((await exported(name)).config.contract?.mode).toBe(mode)
})

test('an engine does not check fields with an index in their path, which is a warning', async () => {
  const { name } = await project()
  const { owner, P } = scene
  const base = contract(name)
  const input = { fields: [...base.input.fields, { name: 'lines[0].price', type: 'number' }] }
  expect((await owner.request('PUT', `${P}/contracts/${name}`, { ...base, version: '1.3.0', input })).status).toBe(200)
  const { body } = await owner.request('GET', `${P}/rulesets/${name}`)
  expect(body.problems).toMatchObject([{ path: '/config/contract', code: 'unchecked-field', severity: 'warning' }])
  expect((await exported(name)).config.contract.contract.input).toEqual(base.input)
})

test('a policy that requires a mode blocks rulesets with a weaker one or without a contract', async () => {
  const { name, seq } = await project({ contract_mode: 'warn' })
  const bare = newName()
  const bareSeq = await scene.save(scene.owner, bare)
  const { owner, P } = scene
  const policy = await scene.policy({ require_contract_mode: 'warn' })
  expect(policy.require_contract_mode).toBe('warn')
  expect((await preview(name, seq)).blocked.map((one: { code: string }) => one.code)).not.toContain('contract_mode')
  await owner.request('PUT', `${P}/release-policies/${policy.id}`, { require_contract_mode: 'enforce' })
  const blocked = await preview(name, seq)
  expect(blocked.would_create).toBe(false)
  expect(blocked.blocked).toMatchObject([
    {
      path: '/rulesets/0',
      code: 'contract_mode',
      severity: 'error',
      message: `\`prod\` requires the contract mode \`enforce\` of \`${name}\`, and its project has \`warn\``,
    },
  ])
  expect(await refusal(scene.ask(owner, name, seq))).toEqual([409, 'contract_mode'])
  expect((await scene.ask(owner, bare, bareSeq)).body.details.at(-1).message).toContain('it has no contract')
  expect((await scene.ask(owner, name, seq, ['staging'])).status).toBe(201)
  await owner.request('PUT', P, { contract_mode: 'enforce' })
  await made(scene.ask(owner, name, seq))
})

test('a preview counts the recorded decisions that the contract would refuse, and shows no values', async () => {
  const { name, seq } = await project()
  const { owner, P, team } = scene
  expect((await preview(name, seq)).refused).toEqual([])
  const { id: environment_id, project_id } = (await owner.request('GET', `${P}/environments/prod`)).body
  const ids: string[] = []
  await database().change(team.id as OrgId, SYSTEM, async ({ scope, audit }) => {
    for (const [index, input] of [
      { points: 5 },
      // A masked value may have been right.
      { points: 5, email: '***' },
      { points: '5' },
      { email: 'b@example.org' },
    ].entries()) {
      const id = randomUUIDv7()
      ids.push(id)
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index))
      const row = { id, project_id, environment_id, ruleset_name: name, digest: '0'.repeat(64), at, code: 'GRANTED' }
      const texts = { input: JSON.stringify(input), output: '{}' }
      const source = { server_id: randomUUIDv7(), session: 's', seq: index }
      await scope.insert('recorded_decisions', { ...row, ...texts, ...source }).execute()
    }
    await audit({ action: 'project.updated', object: { id: project_id, name: 'recorded by a test' } })
  })
  const violation = (path: string, code: string, expected: string) => ({ path, code, expected })
  const { refused } = await preview(name, seq)
  expect(refused).toEqual([
    {
      ruleset: name,
      environment: 'prod',
      mode: 'enforce',
      recorded: 4,
      refused: 2,
      examples: [
        {
          id: ids[3],
          at: '2026-01-01T00:00:03.000Z',
          violations: [
            violation('/input/points', 'required', 'a number'),
            violation('/input/email', 'enum', 'one of "a@example.org"'),
          ],
        },
        { id: ids[2], at: '2026-01-01T00:00:02.000Z', violations: [violation('/input/points', 'type', 'a number')] },
      ],
    },
  ])
  await owner.request('PUT', P, { contract_mode: 'off' })
  expect((await preview(name, seq)).refused).toEqual([])
})

test('an archive has the mode of its project, and an unknown one is refused at its place', async () => {
  await project({ contract_mode: 'warn' })
  const { owner, P, team } = scene
  const { files } = (await owner.request('GET', `${P}/export`, undefined, { accept: 'application/json' })).body
  const file = files.find(({ path }: { readonly path: string }) => path === 'project.json')
  expect(JSON.parse(file.text).contract_mode).toBe('warn')
  const importing = (text: string) =>
    owner.request('POST', `${team.path}/projects/import`, {
      files: files.map((one: { readonly path: string }) => (one.path === 'project.json' ? { ...one, text } : one)),
    })
  const copy = await made(importing(file.text.replace('"Shop"', '"Shop 2"')))
  expect(copy.project.contract_mode).toBe('warn')
  const { status, body } = await importing(file.text.replace('"warn"', '"wrn"'))
  expect([status, body.details]).toMatchObject([
    400,
    [{ path: expect.stringContaining('contract_mode'), message: expect.stringContaining('`wrn`') }],
  ])
})
