import { afterAll, beforeAll, expect, test } from 'vitest'
import { dmnText } from '../../packages/interchange/src/dmn/model.testing.ts'
import { formula, number, text, workbookBytes } from '../../packages/interchange/src/xlsx/workbook.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const send = (query: string, document: string, type: string): Promise<Answered> =>
  team.owner.request('POST', `${team.P}/imports?${query}`, document, { 'content-type': type })

const traced = async (name: string, input: object) => {
  const { body: draft } = await team.owner.request('GET', `${team.P}/rulesets/${name}`)
  const { body } = await team.owner.request('POST', `${team.P}/rulesets/${name}/trace`, {
    ruleset: draft.ruleset,
    input,
  })
  return [body.code, body.output]
}

test('a table in CSV becomes a draft that decides', async () => {
  const { status, body } = await send(
    'format=csv&name=fees&apply=true',
    'in:age:number,out:fee\n>= 18,10\n',
    'text/csv',
  )
  expect([status, body.lost]).toEqual([200, []])
  expect(await traced('fees', { age: 20 })).toEqual(['DONE', { fee: 10 }])
  expect(await traced('fees', { age: 2 })).toEqual(['NO_MATCH', { fee: null }])
})

test('a workbook is read as bytes, and nothing is stored while a formula is lost', async () => {
  const rows = [
    [text('in:age'), text('out:fee')],
    [number(7), formula('1+1', '2')],
  ]
  const sent = (body: Uint8Array<ArrayBuffer>, apply: boolean) =>
    fetch(`${platform.url}${team.P}/imports?format=xlsx&apply=${apply}`, {
      method: 'POST',
      headers: {
        cookie: [...team.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        origin: new URL(platform.url).origin.replace('127.0.0.1', 'localhost'),
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body,
    })
  const withFormula = Uint8Array.from(workbookBytes({ sheets: [{ name: 'Ages', rows }] }))
  expect(await (await sent(withFormula, false)).json()).toMatchObject({
    rulesets: [{ name: 'Ages' }],
    lost: [{ path: '/Ages/B2', code: 'formula', severity: 'error' }],
  })
  const refused = await sent(withFormula, true)
  expect([refused.status, await refused.json()]).toMatchObject([400, { details: [{ path: '/Ages/B2' }] }])
  const plain = [rows[0] ?? [], [number(7), number(2)]]
  const stored = await sent(Uint8Array.from(workbookBytes({ sheets: [{ name: 'Ages', rows: plain }] })), true)
  expect(stored.status).toBe(200)
  expect(await traced('Ages', { age: 7 })).toEqual(['DONE', { fee: 2 }])
})

test('a decision model becomes a draft, and is written again', async () => {
  const table = { inputs: [['Age', 'number']] as const, outputs: [{}], rules: [['>= 18', '"adult"']] }
  const document = dmnText([{ name: 'Group', table, requires: ['Age'] }], [['Age', 'number']])
  const { status, body } = await send('format=dmn&name=group&apply=true', document, 'application/xml')
  expect([status, body.lost]).toEqual([200, []])
  expect(await traced('group', { Age: 20 })).toEqual(['DECIDED', { Group: 'adult' }])
  const written = await team.owner.request('GET', `${team.P}/rulesets/group/export?format=dmn`)
  expect([written.status, written.body.lost]).toEqual([200, []])
  const again = await send('format=dmn&name=again&apply=true', written.body.document, 'application/xml')
  expect([again.status, again.body.lost]).toEqual([200, []])
  expect(await traced('again', { Age: 20 })).toEqual(['DECIDED', { Group: 'adult' }])
})

test('a ruleset with branches has no form as a decision model', async () => {
  const steps = [
    { id: 'a', type: 'decision', branches: [], defaultNextStepId: 'b' },
    { id: 'b', type: 'terminal', code: 'B' },
  ]
  const ruleset = { config: { name: 'branches' }, startStepId: 'a', steps }
  await team.owner.request('POST', `${team.P}/rulesets/branches`, { ruleset, expected_seq: 0 })
  const { status, body } = await team.owner.request('GET', `${team.P}/rulesets/branches/export?format=dmn`)
  expect([status, body.details]).toMatchObject([400, [{ path: '/steps/0', code: 'step' }]])
})

test('more rows than the limit are 413', async () => {
  const { status, body } = await send('format=csv', `in:a\n${'1\n'.repeat(100_001)}`, 'text/csv')
  expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
})

test('other requests are answered while a large table is read', async () => {
  const rows = Array.from({ length: 15_000 }, (_, at) => `[${at}..${at + 5}],"""name ${at}""",${at} * 2\n`)
  const importing = send('format=csv', `in:a,in:b,out:c\n${rows.join('')}`, 'text/csv')
  const first = await Promise.race([importing, team.owner.request('GET', team.P)])
  expect([first.status, first.body.name]).toEqual([200, 'Shop'])
  const { status, body } = await importing
  // A busy machine takes longer for the rows than a document may take.
  expect(status === 200 ? body.lost : body.details[0].code).toEqual(status === 200 ? [] : 'too-large')
})
