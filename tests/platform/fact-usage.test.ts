import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, grading, newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
/** Paths of a project of each test. */
let P: string
let project: string
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
beforeEach(async () => {
  ;({ id: project } = await made(team.owner.request('POST', `${team.O}/projects`, { name: newName() })))
  P = `${team.O}/projects/${project}`
})
afterAll(() => platform.stop())

const make = (path: string, body: object) => made(team.owner.request('POST', `${P}/${path}`, body))
const save = (ruleset: { readonly config: { readonly name: string } }) =>
  make(`rulesets/${ruleset.config.name}`, { ruleset, expected_seq: 0 })
const page = async (fact: string, query: string) => {
  const { status, body, text } = await team.owner.request('GET', `${P}/facts/${fact}/usage${query}`)
  expect(status, text).toBe(200)
  return body
}
/** All pages: on a busy machine one may be short. Each gets further, so there are no more than rulesets, and the last. */
const usage = async (fact: string, query = '') => {
  const found = await page(fact, `?${query}`)
  for (let pages = 1; found.next_cursor !== null; pages++) {
    expect(pages).toBeLessThanOrEqual(1000)
    const { items, next_cursor } = await page(fact, `?${query}&cursor=${found.next_cursor}`)
    found.items.push(...items)
    found.next_cursor = next_cursor
  }
  return found
}
const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name)

const contract = (name: string, ...fields: readonly string[]) => ({
  name,
  version: '1.0.0',
  input: { fields: fields.map((field) => ({ name: field, type: 'number' })) },
  outputs: [
    { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
    { code: 'REFUSED', fields: [] },
    { code: 'DONE', fields: [{ name: 'fee', type: 'number' }] },
  ],
})

/** A table whose column is the field. */
const tableOn = (name: string, field: string) => ({
  config: { name, version: '1.0.0' },
  startStepId: 't',
  steps: [
    {
      id: 't',
      type: 'table',
      hitPolicy: 'first',
      columns: [{ id: 'c', kind: 'input', field, type: 'number' }],
      rows: [{ id: 'r', cells: { c: '> 5' } }],
      nextStepId: 'end',
    },
    { id: 'end', type: 'terminal', code: 'DONE' },
  ],
})

test('a fact is used by contracts, by rulesets that attach them, and where expressions read it', async () => {
  await make('facts', { name: 'cart', type: 'number' })
  await make('facts', { name: 'points', type: 'number' })
  await make('contracts', contract('shared', 'cart', 'points'))
  await make('contracts', contract('other', 'carts'))
  await make('sub-rules', { name: 'fee', ...feeOf('2') })
  await save(asking('asks', 'fee'))
  await save(grading('attaches', 10, { contract: 'shared' }))
  await save(grading('beside'))
  await save(tableOn('sheet', 'cart'))
  await save(tableOn('deleted', 'cart'))
  await team.owner.request('DELETE', `${P}/rulesets/deleted?expected_seq=1`)
  const found = await usage('cart')
  expect(found.contracts).toEqual([{ name: 'shared', fields: ['cart'] }])
  const place = { reads: 'cart', line: 1, column: 1, length: 4 }
  expect(found.items).toEqual([
    {
      name: 'asks',
      seq: 1,
      contract: null,
      places: [{ step_id: 'ask', path: '/steps/0/bindings/0/expr', ...place }],
      place_count: 1,
      problems: [],
    },
    { name: 'attaches', seq: 1, contract: 'shared', places: [], place_count: 0, problems: [] },
    {
      name: 'sheet',
      seq: 1,
      contract: null,
      places: [{ step_id: 't', path: '/steps/0/columns/0/field', ...place }],
      place_count: 1,
      problems: [],
    },
  ])
  expect(found.next_cursor).toBeNull()
})

test('another type shows its breaks, and changes nothing', async () => {
  const fact = await make('facts', { name: 'points', type: 'number' })
  await make('contracts', contract('shared', 'points'))
  await save(grading('held', 10, { contract: 'shared' }))
  await save(grading('unheld'))
  const { items } = await usage('points', 'type=string')
  expect(namesOf(items)).toEqual(['held', 'unheld'])
  expect(items[0].problems).toEqual([
    expect.objectContaining({
      step_id: 'start',
      path: '/steps/0/branches/0/condition',
      severity: 'error',
      line: 1,
    }),
  ])
  expect(items[1].problems).toEqual([])
  expect((await usage('points', 'type=integer')).items[0].problems).toEqual([])
  expect((await team.owner.request('GET', `${P}/facts/points`)).body).toEqual({
    ...fact,
    used_by: [{ kind: 'contract', name: 'shared' }],
  })
})

test('each of a thousand rulesets is checked once, page by page', async () => {
  await make('facts', { name: 'points', type: 'number' })
  const scope = database().scope(team.org as OrgId)
  const names = Array.from({ length: 1000 }, (_, index) => `r-${String(index).padStart(4, '0')}`)
  const rows = names.map((name) => ({ id: randomUUIDv7(), project_id: project, name, seq: 1, created_by: 'system' }))
  const drafts = rows.map((row) => ({ ...row, version: '1.0.0', updated_by: 'system' }))
  await scope.insert('drafts', drafts).execute()
  const saves = rows.map(({ id, project_id, name, seq }, index) => {
    const ruleset = JSON.stringify(index % 3 === 0 ? grading(name) : tableOn(name, 'other'))
    return { project_id, name, seq, draft_id: id, ruleset, saved_by: 'system' }
  })
  await scope.insert('draft_saves', saves).execute()
  expect((await page('points', '?limit=150')).items.length).toBeLessThanOrEqual(150)
  const found = namesOf((await usage('points', 'limit=150')).items)
  expect(found).toEqual(names.filter((_name, index) => index % 3 === 0))
})
