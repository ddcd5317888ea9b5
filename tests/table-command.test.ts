import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeRoles } from '../apps/engine-tools/src/table/column-question.ts'
import { startServer } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-table-'))
const PRICES = 'Country,Order weight,Price\nDE,< 2,4.5\nDE,-,9\nNO,-,12\n'
beforeAll(() => {
  writeFileSync(join(directory, 'prices.csv'), PRICES)
  writeFileSync(join(directory, 'roles.csv'), 'in:age:number,out:fee,next\n>= 18,5,ADULT\n< 18,0,MINOR\n')
  writeFileSync(join(directory, 'bad.csv'), 'Age,Fee\n10-20,1\n"1,500",2\n')
  writeFileSync(join(directory, 'input.json'), '{"country": "NO", "order_weight": 3}')
})
afterAll(() => rmSync(directory, { recursive: true }))
const engine = (...args: string[]) => runTool('engine', args, directory)
const JSON_TYPE = { 'content-type': 'application/json' }
const ROLES = ['--inputs', 'Country,Order weight', '--outputs', 'Price']

test('a sheet becomes a draft that the other commands and a server accept', async () => {
  expect(await engine('table', 'prices.csv', '-o', 'prices.json', ...ROLES)).toEqual({
    code: 0,
    stdout: '✓ prices.csv -> prices.json: 3 rows\n',
    stderr: '',
  })
  expect(JSON.parse((await engine('run', 'prices.json', '--input', 'input.json')).stdout)).toMatchObject({
    code: 'DONE',
    output: { price: 12 },
  })
  expect(await engine('check', 'prices.json')).toMatchObject({ code: 0 })
  expect((await engine('show', 'prices.json')).stdout).toContain('country == "DE"')
  const rules = mkdtempSync(join(directory, 'rules-'))
  writeFileSync(join(rules, 'prices.json'), readFileSync(join(directory, 'prices.json')))
  writeFileSync(join(rules, 'broken.json'), '{"config": {"name": "broken"}, "steps": [{"id": "a", "type": "table"}]}')
  expect(await engine('check', '--rules-dir', rules)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✓.*prices\.json/),
  })
  const server = await startServer('--rules-dir', rules)
  try {
    const body = JSON.stringify({ input: { country: 'DE', order_weight: 1 } })
    expect((await server.request('POST', '/api/v1/execute/prices', { body, headers: JSON_TYPE })).text).toContain(
      '"price":4.5',
    )
    expect((await server.request('GET', '/health')).text).toMatch(/it is a draft with errors: \/steps\/0/)
  } finally {
    await server.stop()
  }
})

test.each(['sheet.csv', 'sheet.xlsx'])('rules become %s, which is read as the same draft', async (sheet) => {
  await engine('table', 'prices.csv', '-o', 'first.json', '--name', 'prices', ...ROLES)
  expect(await engine('table', 'first.json', '-o', sheet)).toMatchObject({ code: 0, stderr: '' })
  expect(await engine('table', sheet, '-o', 'second.json', '--name', 'prices')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(directory, 'second.json'), 'utf8')).toBe(readFileSync(join(directory, 'first.json'), 'utf8'))
})

test('the column `next` has the codes of results, in both directions', async () => {
  expect(await engine('table', 'roles.csv', '-o', 'roles.yaml')).toMatchObject({ code: 0 })
  expect(await engine('table', 'roles.yaml', '-o', 'back.csv')).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(directory, 'back.csv'), 'utf8').replaceAll('\r', '')).toBe(
    readFileSync(join(directory, 'roles.csv'), 'utf8'),
  )
})

const AGE = ['--inputs', 'Age', '--outputs', 'Fee']

test.each([
  [
    ['prices.csv', '-o', 'x.json'],
    2,
    'name the columns by --inputs and --outputs: the sheet has "Country", "Order weight", "Price"',
  ],
  [['prices.csv', '-o', 'x.json', '--inputs', 'Contry', '--outputs', 'Price'], 2, 'did you mean `Country`?'],
  [['prices.csv', '-o', 'x.csv', ...ROLES], 2, 'one of the files is a sheet'],
  [['roles.csv', '-o', 'x.json', '--inputs', 'age'], 2, 'the header names inputs and outputs already'],
  [['bad.csv', '-o', 'x.json', ...AGE], 1, 'bad.csv:2:1: `10-20` may be a range or a text'],
  [['bad.csv', '-o', 'x.json', ...AGE], 1, 'bad.csv:3:1: `1,500` may be two numbers'],
  [['prices.csv', '-o', 'x.engine', ...ROLES], 1, 'a draft is JSON or YAML'],
  [['none.csv', '-o', 'x.json', ...ROLES], 1, 'none.csv: cannot be read: it does not exist'],
])('engine table %j ends with %i', async (args, code, message) => {
  expect(await engine('table', ...args)).toMatchObject({ code, stderr: expect.stringContaining(message) })
})

test('on a terminal the command asks for the columns that are missing', async () => {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  input.end('Country, Order weight\nPrice\n')
  const titles = ['Country', 'Order weight', 'Price']
  expect(await completeRoles(titles, { inputs: undefined, outputs: undefined }, { input, output })).toEqual({
    inputs: ['Country', 'Order weight'],
    outputs: ['Price'],
  })
  expect(output.read()).toBe(
    'Which columns are inputs? (Country, Order weight, Price): Which columns are outputs? (Price): ',
  )
})
