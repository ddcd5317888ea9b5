import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let P: string
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await newTeam(platform)
  P = `${team.path}/projects/${(await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))).id}`
})
afterAll(() => platform.stop())

const CASES = [
  { name: 'a "quoted", one', input: { points: 12, text: 'a\nb' }, expect: { code: 'GRANTED', output: { limit: 10 } } },
  { name: '= 1', input: {}, now: '2026-01-31T12:00:00Z', stubs: { 'a.b': { error: 'away' } }, expect: { error: 'x' } },
]

/** A ruleset with two suites. */
async function ruleset(): Promise<string> {
  const name = newName()
  await made(team.owner.request('POST', `${P}/rulesets/${name}`, { ruleset: grading(name), expected_seq: 0 }))
  for (const suite of ['first', 'second'])
    await made(team.owner.request('POST', `${P}/rulesets/${name}/tests`, { name: suite, cases: CASES }))
  return name
}
const suitesOf = async (name: string) => {
  const { body } = await team.owner.request('GET', `${P}/rulesets/${name}/tests`)
  return body.items.map((suite: { name: string; cases: { id: string }[] }) => [
    suite.name,
    suite.cases.map(({ id: _id, ...one }) => one),
  ])
}
const send = (name: string, type: string, text: string) =>
  team.owner.request('POST', `${P}/rulesets/${name}/tests/import`, text, { 'content-type': type })

test.each([
  ['yaml', 'application/yaml'],
  ['csv', 'text/csv; charset=utf-8'],
])('an export as %s is imported again, here and in another ruleset', async (format, type) => {
  const name = await ruleset()
  const exported = await team.owner.request('GET', `${P}/rulesets/${name}/tests/export?format=${format}`)
  expect(exported.headers.get('content-disposition')).toBe(`attachment; filename="${name}.cases.${format}"`)
  const before = await suitesOf(name)
  expect((await send(name, type, exported.text)).status).toBe(200)
  expect(await suitesOf(name)).toEqual(before)
  const other = newName()
  await made(team.owner.request('POST', `${P}/rulesets/${other}`, { ruleset: grading(other), expected_seq: 0 }))
  const elsewhere = await send(other, type, exported.text.replace(`ruleset: ${name}`, `ruleset: ${other}`))
  expect([elsewhere.status, await suitesOf(other)]).toEqual([200, before])
})

const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]', ...'bcdefghi'].map((line, index) =>
  index === 0 ? line : `${line}: &${line} [${`*${'abcdefghi'[index - 1]},`.repeat(10)}]`,
)

test.each([
  ['application/yaml', 'cases: [', /YAML/],
  ['application/yaml', '- a', /must be `\{ruleset, cases\}`/],
  ['application/yaml', 'cases: 1', /list `cases`/],
  [
    'application/yaml',
    `cases: [{name: a, input: {x: ${'9'.repeat(400)}}, expect: {code: A}}]`,
    /beyond the largest number/,
  ],
  ['application/yaml', 'cases: []\nextra: 1', /`extra`/],
  ['application/yaml', 'cases: []\nruleset: 1', /by a text/],
  ['application/yaml', 'ruleset: another\ncases: []', /another/],
  ['application/yaml', 'cases: [{name: "a\\0", expect: {code: A}}]', /NUL/],
  ['application/yaml', 'cases: [{name: a, expect: {codes: A}}]', /is unknown/],
  ['application/yaml', `${bomb.join('\n')}\ncases: *i`, /YAML|alias/],
  ['application/yaml', `cases: ${'['.repeat(5000)}`, /YAML/],
  ['application/yaml', 'cases: !!js/function "function () {}"', /./],
  ['text/csv', 'name,expect\na,"{', /CSV/],
  ['text/csv', 'title\na', /`title`/],
  ['text/csv', 'name,expect\na,"{""code"":1}"', /must be/],
  ['text/csv', `name,expect\n${'a,{}\n'.repeat(20_001)}`, /20001 cases: at most 20000/],
  ['text/csv', `name,expect\n${'a'.repeat(501)},"{""code"":""A""}"`, /500/],
  ['text/csv; charset=iso-8859-1', 'name,expect', /not supported/],
])('refuses %s %#', async (type, text, message) => {
  const name = await ruleset()
  const before = await suitesOf(name)
  const { status, body } = await send(name, type, text)
  expect([400, 415]).toContain(status)
  expect(body.error).toMatch(message)
  expect(await suitesOf(name)).toEqual(before)
})
