import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimedOrgId, type OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { refuseLarge } from '../../apps/platform-server/src/features/archives/size-limit.ts'
import { asRequest, type RequestMemory } from '../../apps/platform-server/src/memory/memory-budget.ts'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made } from './team.testing.ts'

// Imports into a small project: deletions, required rights, and environments.
const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
let P: string
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
})
beforeEach(async () => {
  const project = await made(scene.owner.request('POST', `${scene.team.path}/projects`, { name: newName() }))
  P = `${scene.team.path}/projects/${project.id}`
})
afterAll(() => platform.stop())

interface File {
  readonly path: string
  readonly text: string
}
const end = { startStepId: 'end', steps: [{ id: 'end', type: 'terminal', code: 'A' }] }
const using = (rule: string) => ({
  startStepId: 's',
  steps: [{ id: 's', type: 'sub_rule', refName: rule, bindings: [], outputs: [], nextStepId: 'end' }, ...end.steps],
})
const file = (path: string, content: object): File => ({ path, text: JSON.stringify(content) })
/** One resource of each kind. */
const EXTRA: readonly File[] = [
  file('concepts/spare.json', { name: 'spare', fields: [] }),
  file('facts/spare.json', { name: 'spare', type: 'string' }),
  file('contracts/spare.json', {
    name: 'spare',
    version: '1.0.0',
    input: { fields: [] },
    outputs: [{ code: 'A', fields: [] }],
  }),
  file('sub-rules/spare.json', { name: 'spare', version: '1.0.0', graph: end, bindings: [], outputs: [] }),
  file('rulesets/spare.json', { config: { name: 'spare', version: '1.0.0' }, ...end }),
  {
    path: 'tests/spare/all.yaml',
    text: 'ruleset: spare\ncases:\n  - name: one\n    input: {}\n    expect: {code: A}\n',
  },
]
const paths = (files: readonly File[]) => files.map(({ path }) => path).toSorted()

const exported = async (): Promise<readonly File[]> =>
  (await scene.owner.request('GET', `${P}/export`, undefined, { accept: 'application/json' })).body.files
async function into(
  files: readonly File[],
  query = '',
): Promise<{ created: string[]; changed: string[]; removed: string[] }> {
  const { status, body, text } = await scene.owner.request('POST', `${P}/import${query}`, { files })
  expect(status, text).toBe(200)
  return { created: body.created.toSorted(), changed: body.changed.toSorted(), removed: body.removed.toSorted() }
}

/** A project with one resource of each kind, and its archive without them. */
async function filled(): Promise<{ readonly before: readonly File[]; readonly whole: readonly File[] }> {
  const before = await exported()
  expect(await into([...before, ...EXTRA])).toEqual({ created: paths(EXTRA), changed: [], removed: [] })
  return { before, whole: await exported() }
}

describe('an import deletes nothing', () => {
  test('without a request, whatever is left out', async () => {
    const { before, whole } = await filled()
    expect(await into(before)).toEqual({ created: [], changed: [], removed: [] })
    expect(await exported()).toEqual(whole)
  })

  test('that is only tried', async () => {
    const { before, whole } = await filled()
    expect((await into(before, '?prune=true&dry_run=true')).removed).toEqual(paths(EXTRA))
    expect(await exported()).toEqual(whole)
  })

  test('of what it has, and stores nothing twice', async () => {
    const { whole } = await filled()
    expect(await into(whole, '?prune=true')).toEqual({ created: [], changed: [], removed: [] })
    expect(await exported()).toEqual(whole)
  })
})

describe('on request an import deletes', () => {
  test('each kind of resource that it leaves out', async () => {
    const { before } = await filled()
    expect(await into(before, '?prune=true')).toEqual({ created: [], changed: [], removed: paths(EXTRA) })
    expect(await exported()).toEqual(before)
  })

  test('one resource and no other', async () => {
    const { whole } = await filled()
    const gone = 'facts/spare.json'
    expect(
      (
        await into(
          whole.filter(({ path }) => path !== gone),
          '?prune=true',
        )
      ).removed,
    ).toEqual([gone])
    expect(paths(await exported())).toEqual(paths(whole).filter((path) => path !== gone))
  })

  test('what uses others before these', async () => {
    const before = await exported()
    const tied = [
      file('concepts/inner.json', { name: 'inner', fields: [] }),
      file('concepts/outer.json', { name: 'outer', fields: [{ name: 'x', type: 'concept:inner' }] }),
      // Names in the order of the alphabet, and uses against it.
      file('concepts/about.json', { name: 'about', fields: [{ name: 'x', type: 'concept:outer' }] }),
      file('concepts/left.json', { name: 'left', fields: [{ name: 'x', type: 'concept:right' }] }),
      file('concepts/right.json', { name: 'right', fields: [{ name: 'x', type: 'concept:left' }] }),
      file('sub-rules/above.json', {
        name: 'above',
        version: '1.0.0',
        graph: using('used'),
        bindings: [],
        outputs: [],
      }),
      file('sub-rules/used.json', { name: 'used', version: '1.0.0', graph: end, bindings: [], outputs: [] }),
      file('rulesets/user.json', {
        config: { name: 'user', version: '1.0.0' },
        ...using('above'),
      }),
    ]
    expect((await into([...before, ...tied])).created).toEqual(paths(tied))
    expect(await into(await exported())).toEqual({ created: [], changed: [], removed: [] })
    expect((await into(before, '?prune=true')).removed).toEqual(paths(tied))
  })

  test('environments, and without a request none', async () => {
    const before = await exported()
    const project = JSON.parse(before.find(({ path }) => path === 'project.json')?.text ?? '')
    const fewer = {
      ...project,
      environments: project.environments.filter(({ name }: { name: string }) => name !== 'staging'),
    }
    const files = before.map((one) => (one.path === 'project.json' ? file('project.json', fewer) : one))
    const names = async () =>
      (await scene.owner.request('GET', `${P}/environments`)).body.items
        .map(({ name }: { name: string }) => name)
        .toSorted()
    await into(files)
    expect(await names()).toEqual(['dev', 'prod', 'staging'])
    await into(files, '?prune=true')
    expect(await names()).toEqual(['dev', 'prod'])
  })
})

describe('an import by a key needs the right for each kind of resource', () => {
  const ALL = ['fact.edit', 'contract.edit', 'ruleset.edit', 'environment.manage'] as const
  const project = (more: object, files: readonly File[]) =>
    files.map((one) => (one.path === 'project.json' ? file(one.path, { ...JSON.parse(one.text), ...more }) : one))
  const sorted = (files: readonly File[], folder: string) => files.filter(({ path }) => path.startsWith(folder))
  const environments = [
    { name: 'dev', order: 0, requires_release: true },
    { name: 'staging', order: 1 },
    { name: 'prod', order: 2 },
  ]

  test.each<[kind: string, right: (typeof ALL)[number], change: (files: readonly File[]) => readonly File[]]>([
    ['a fact', 'fact.edit', (files) => [...files, ...sorted(EXTRA, 'facts/')]],
    ['a concept', 'fact.edit', (files) => [...files, ...sorted(EXTRA, 'concepts/')]],
    ['a contract', 'contract.edit', (files) => [...files, ...sorted(EXTRA, 'contracts/')]],
    ['a sub-rule', 'ruleset.edit', (files) => [...files, ...sorted(EXTRA, 'sub-rules/')]],
    [
      'a ruleset with tests',
      'ruleset.edit',
      (files) => [...files, ...sorted(EXTRA, 'rulesets/'), ...sorted(EXTRA, 'tests/')],
    ],
    ['an environment', 'environment.manage', (files) => project({ environments }, files)],
  ])('%s: %s', async (_kind, right, change) => {
    const before = await exported()
    const files = change(before)
    const by = async (scopes: readonly string[]) => {
      const key = { name: newName(), scopes: ['project.read', 'project.manage', ...scopes] }
      const { token } = await made(scene.owner.request('POST', `${scene.team.path}/api-keys`, key))
      return platform.program(token).request('POST', `${P}/import`, { files })
    }
    const refused = await by(ALL.filter((one) => one !== right))
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, right])
    expect(await exported()).toEqual(before)
    const answer = await by([right])
    expect(answer.status, answer.text).toBe(200)
    expect(await exported()).not.toEqual(before)
  })
})

test('an import sets what an environment has, and what the archive omits is as in a new one', async () => {
  const before = await exported()
  const stage = { percent: 10, duration_s: 60, min_requests: 5 }
  const dev = {
    name: 'dev',
    order: 0,
    requires_release: true,
    hold_before: true,
    canary: { stages: [stage], canary_target: 'prod', canary_percentage: 5 },
    recording: { rate: 50, retention_days: 7, mask: ['ssn'] },
  }
  const rest = JSON.parse(before.find(({ path }) => path === 'project.json')?.text ?? '')
  const others = rest.environments.filter(({ name }: { name: string }) => name !== 'dev')
  const files = before.map((one) =>
    one.path === 'project.json' ? file(one.path, { ...rest, environments: [dev, ...others] }) : one,
  )
  expect((await into(files)).changed).toEqual(['project.json'])
  const shown = async () => (await scene.owner.request('GET', `${P}/environments/dev`)).body
  expect(await shown()).toMatchObject({
    requires_release: true,
    hold_before: true,
    canary: { stages: [stage], canary_percentage: 5, canary_target_env_id: expect.any(String) },
    recording: { rate: 50, retention_days: 7, mask: ['ssn'] },
  })
  expect(await into(files)).toEqual({ created: [], changed: [], removed: [] })
  await into(before)
  expect(await shown()).toMatchObject({
    requires_release: false,
    hold_before: false,
    canary: { stages: [], canary_percentage: 0, canary_target_env_id: null },
    recording: { rate: 0, mask: [] },
  })
})

interface ProjectFile {
  readonly environments: readonly { readonly name: string; readonly order: number }[]
  readonly [member: string]: unknown
}

/** The archive of a project with another `project.json`. */
function changed(files: readonly File[], change: (project: ProjectFile) => object): readonly File[] {
  return files.map((one) => (one.path === 'project.json' ? file(one.path, change(JSON.parse(one.text))) : one))
}
const projectIn = (files: readonly File[]): ProjectFile =>
  JSON.parse(files.find(({ path }) => path === 'project.json')?.text ?? '')

describe('one setting of a project is a change, and comes back by an export', () => {
  const ofDev = (settings: object) => (project: ProjectFile) => ({
    ...project,
    environments: project.environments.map((one) => (one.name === 'dev' ? { ...one, ...settings } : one)),
  })
  test.each<[string, (project: ProjectFile) => object]>([
    ['order', ofDev({ order: 7 })],
    ['requires_release', ofDev({ requires_release: true })],
    ['hold_before', ofDev({ hold_before: true })],
    ['allow_local_rulesets', ofDev({ allow_local_rulesets: true })],
    ['canary', ofDev({ canary: { canary_target: 'prod', canary_percentage: 5 } })],
    ['recording', ofDev({ recording: { rate: 50 } })],
    ['current_environment', (project) => ({ ...project, current_environment: 'staging' })],
    ['contract_mode', (project) => ({ ...project, contract_mode: 'warn' })],
  ])('%s', async (_setting, change) => {
    const before = await exported()
    const after = changed(before, change)
    expect(await into(after)).toEqual({ created: [], changed: ['project.json'], removed: [] })
    const { environments, ...rest } = projectIn(after)
    const sorted = environments.toSorted((one, other) => one.order - other.order)
    expect(projectIn(await exported())).toMatchObject({ ...rest, environments: sorted })
    expect(await into(after)).toEqual({ created: [], changed: [], removed: [] })
    await into(before)
    expect(await exported()).toEqual(before)
  })
})

test('what an archive omits of an environment is that of a new one; of the project it stays', async () => {
  const before = await exported()
  await into(changed(before, (project) => ({ ...project, contract_mode: 'enforce' })))
  const names = ['dev', 'staging', 'prod', 'test']
  await into(
    changed(before, ({ contract_mode: _, ...project }) => ({
      ...project,
      environments: names.map((name) => ({ name })),
    })),
  )
  expect(projectIn(await exported())).toMatchObject({
    contract_mode: 'enforce',
    environments: names.map((name, order) => ({ name, order, requires_release: name !== 'dev' })),
  })
  expect(JSON.stringify(projectIn(await exported()))).not.toMatch(/hold_before|allow_local_rulesets|canary"|recording/)
})

test('an import changes each kind of resource', async () => {
  const { whole } = await filled()
  const after = whole.map(({ path, text }) => {
    if (path === 'concepts/spare.json')
      return file(path, { ...JSON.parse(text), fields: [{ name: 'x', type: 'number' }] })
    if (path === 'facts/spare.json')
      return file(path, { ...JSON.parse(text), description: 'a fact', example: 'x', tags: ['a'] })
    if (path.startsWith('tests/')) return { path, text: text.replace('one', 'two') }
    return { path, text: text.replace(/"version": ?"1\.0\.0"/, '"version":"1.1.0"') }
  })
  expect(await into(after)).toEqual({ created: [], changed: paths(EXTRA), removed: [] })
  expect(await into(after)).toEqual({ created: [], changed: [], removed: [] })
  const again = await exported()
  expect(JSON.parse(again.find(({ path }) => path === 'facts/spare.json')?.text ?? '')).toMatchObject({
    description: 'a fact',
    example: 'x',
    tags: ['a'],
  })
})

test('suites of two rulesets that have the same name are two', async () => {
  const before = await exported()
  const suite = (ruleset: string, name: string): File => ({
    path: `tests/${ruleset}/all.yaml`,
    text: `ruleset: ${ruleset}\ncases:\n  - name: ${name}\n    input: {}\n    expect: {code: A}\n`,
  })
  const rulesets = ['a', 'b'].map((name) =>
    file(`rulesets/${name}.json`, { config: { name, version: '1.0.0' }, ...end }),
  )
  const both = [...before, ...rulesets, suite('a', 'one'), suite('b', 'one')]
  await into(both)
  expect(await into([...both.slice(0, -1), suite('b', 'two')])).toEqual({
    created: [],
    changed: ['tests/b/all.yaml'],
    removed: [],
  })
  expect((await into(both.slice(0, -1), '?prune=true')).removed).toEqual(['tests/b/all.yaml'])
  expect(paths(await exported()).filter((path) => path.startsWith('tests/'))).toEqual(['tests/a/all.yaml'])
})

describe('the size of a project counts', () => {
  /** The memory that its archive reserves, and so the bytes of its resources. */
  async function charged(): Promise<number> {
    let held = 0
    const memory = { hold: (bytes: number) => void (held = bytes) } as unknown as RequestMemory
    const project = P.slice(P.lastIndexOf('/') + 1)
    await asRequest(memory, () => refuseLarge(database().scope(claimedOrgId(scene.team.id) ?? ('' as OrgId)), project))
    return held
  }
  const text = 'x'.repeat(1000)
  const ruleset = (description: string, name = 'spare') =>
    file(`rulesets/${name}.json`, { config: { name, version: '1.0.0', description }, ...end })

  test.each<[string, readonly File[], readonly File[]]>([
    ['facts', [], [file('facts/spare.json', { name: 'spare', type: 'string', example: text })]],
    [
      'concepts',
      [],
      [file('concepts/spare.json', { name: 'spare', fields: [{ name: 'x', type: 'string', description: text }] })],
    ],
    [
      'contracts',
      [],
      [
        file('contracts/spare.json', {
          name: 'spare',
          version: '1.0.0',
          input: { fields: [{ name: 'x', type: 'string', description: text }] },
          outputs: [{ code: 'A', fields: [] }],
        }),
      ],
    ],
    ['rulesets', [], [ruleset(text)]],
    ['the last save of a ruleset', [ruleset(text.repeat(9))], [ruleset(text)]],
    [
      'the last save of a sub-rule',
      [
        file('sub-rules/spare.json', {
          name: 'spare',
          version: '1.0.0',
          graph: { ...end, steps: [{ ...end.steps[0], description: text.repeat(9) }] },
          bindings: [],
          outputs: [],
        }),
      ],
      [
        file('sub-rules/spare.json', {
          name: 'spare',
          version: '1.1.0',
          graph: { ...end, steps: [{ ...end.steps[0], description: text }] },
          bindings: [],
          outputs: [],
        }),
      ],
    ],
  ])('%s, four bytes for each', async (_title, first, then) => {
    const empty = await exported()
    const none = await charged()
    await into([...empty, ...first])
    await into([...empty, ...then])
    const more = (await charged()) - none
    expect([more >= 4000, more < 8000]).toEqual([true, true])
  })

  test('no deleted ruleset, and none of its tests', async () => {
    const empty = await charged()
    const { before } = await filled()
    expect((await charged()) - empty).toBeGreaterThan(4 * 200)
    await into(before, '?prune=true')
    expect(await charged()).toBe(empty)
  })
})
