import { writeArchive } from '@engine/authoring'
import { yamlForm } from '@engine/rule-file'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { presentProject } from '../../apps/platform-server/src/features/archives/current-project.ts'
import { projectIn } from '../../apps/platform-server/src/features/projects/repository.ts'
import { Templates } from '../../apps/platform-server/src/features/templates/templates.ts'
import { TEMPLATE_IDS } from '../../apps/platform-server/src/template-ids.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const fromTemplate = (template_id: string, project_name: string, more: object = {}) =>
  team.owner.request('POST', `${team.O}/projects/from-template`, { template_id, project_name, ...more })

test('templates are listed, and each shows its files', async () => {
  const { body } = await team.owner.request('GET', '/api/v1/templates')
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([...TEMPLATE_IDS])
  const one = await team.owner.request('GET', '/api/v1/templates/ecommerce-coupon')
  expect(one.body).toMatchObject({
    id: 'ecommerce-coupon',
    rulesets: [{ name: 'ecommerce_coupon' }],
    contains: { facts: 5, concepts: 1, contracts: 1, sub_rules: 1, cases: 11, samples: 3 },
  })
  expect(one.body.files.map(({ path }: { path: string }) => path)).toContain('rulesets/ecommerce_coupon.json')
  expect((await team.owner.request('GET', '/api/v1/templates/..')).status).toBe(404)
})

test.each(TEMPLATE_IDS)('a project made of the template %s equals the template', async (id) => {
  const project = await made(fromTemplate(id, `From ${id}`, { project_description: 'ours' }))
  expect(project).toMatchObject({ name: `From ${id}`, description: 'ours', current_environment: 'prod' })
  const scope = database().scope(team.org as OrgId)
  const row = await projectIn(scope, project.id)
  if (row === undefined) throw new Error('it is not there')
  const { archive } = await presentProject(scope, row)
  const template = await new Templates().one(id)
  if (template === undefined) throw new Error('there is no such template')
  const stored = { ...archive, project: { ...template.archive.project, environments: archive.project.environments } }
  expect(writeArchive(stored, yamlForm)).toEqual(writeArchive(template.archive, yamlForm))
  const { body } = await team.owner.request('GET', `${team.O}/audit?project_id=${project.id}&limit=200`)
  const actions = new Set((body.items as { action: string }[]).map(({ action }) => action))
  for (const action of ['project', 'fact', 'concept', 'contract', 'draft', 'suite'])
    expect(actions).toContain(`${action}.created`)
})

test('a draft of a template can be published as it is', async () => {
  const { id } = await made(fromTemplate('loan-approval', 'Loans'))
  const P = `${team.O}/projects/${id}`
  const { body: draft } = await team.owner.request('GET', `${P}/rulesets/loan_approval`)
  expect(draft.problems).toEqual([])
  const published = await team.owner.request('POST', `${P}/rulesets/loan_approval/publish`, { environment: 'dev' })
  expect(published.status).toBe(202)
})

test('an unknown template, a duplicate name and a missing permission create nothing', async () => {
  const before = (await team.owner.request('GET', `${team.O}/projects?limit=200`)).body.items.length
  expect((await fromTemplate('nothing', 'A')).body.details[0].path).toBe('/template_id')
  expect((await fromTemplate('tax', 'Loans')).body.details[0].code).toBe('duplicate')
  expect((await team.owner.request('GET', `${team.O}/projects?limit=200`)).body.items.length).toBe(before)
})
