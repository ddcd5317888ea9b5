import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Option } from './option.ts'
import { readOptions } from './read-options.ts'
import { integer, truth } from './value.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-config-'))
afterAll(() => rmSync(directory, { recursive: true }))

const option = <T>(row: Option<T>): Option<T> => row
const OPTIONS = {
  retries: option<number>({
    flag: '--retries',
    short: '-r',
    value: '<n>',
    env: 'SHOP_RETRIES',
    initial: 3,
    parse: integer(0, 9),
    meaning: 'attempts',
  }),
  dryRun: option<boolean>({
    flag: '--dry-run',
    env: 'SHOP_DRY_RUN',
    initial: false,
    parse: truth,
    meaning: 'sell nothing',
  }),
  hosts: option<readonly string[]>({
    flag: '--hosts',
    value: '<names>',
    initial: [],
    parse: (text) => text.split(','),
    meaning: 'where',
  }),
} as const
const SHOP = {
  name: 'shop',
  description: 'Sells.',
  version: '1.2.3',
  options: OPTIONS,
  combinations: [],
  envPrefix: 'SHOP_',
  ownVariables: [],
} as const

const file = join(directory, 'shop.yaml')
function read(text: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  writeFileSync(file, text)
  return readOptions(SHOP, ['--config', file, ...args], env)
}

test.each([
  ['retries: 5\ndry-run: true\nhosts: [a, b]', { retries: 5, dryRun: true, hosts: ['a', 'b'] }],
  ['{"retries": 5}', { retries: 5, dryRun: false, hosts: [] }],
  ['hosts: a,b # as on the command line', { retries: 3, dryRun: false, hosts: ['a', 'b'] }],
  ['retries: null\n', { retries: 3, dryRun: false, hosts: [] }],
  ['# nothing\n', { retries: 3, dryRun: false, hosts: [] }],
])('%j sets options by their flags', (text, values) => {
  expect(read(text)).toMatchObject({ kind: 'values', values, warnings: [] })
})

test('a variable overrides the file, a flag both', () => {
  expect(read('retries: 5', [], { SHOP_RETRIES: '6' })).toMatchObject({ values: { retries: 6 } })
  expect(read('retries: 5', ['-r', '7'], { SHOP_RETRIES: '6' })).toMatchObject({ values: { retries: 7 } })
})

test('the file may be named by a variable, without a warning', () => {
  writeFileSync(file, 'retries: 5')
  expect(readOptions(SHOP, [], { SHOP_CONFIG: file })).toMatchObject({ values: { retries: 5 }, warnings: [] })
})

test.each([
  ['retrys: 5', '`retrys` is not an option: did you mean `retries`?'],
  ['retries: many', '`retries`: `many` is not a whole number'],
  ['retries: {a: 1}', '`retries` must be a text, a number, `true`, `false` or a list of these'],
  ['- retries', 'must have options such as `log-level: debug`'],
  ['retries: 1\nretries: 2', 'is not YAML'],
  ['retries: [', 'is not YAML'],
  ['hosts: &a [x]\nretries: *a', 'must not have aliases'],
])('%j ends the start with the place', (text, message) => {
  const found = read(text)
  expect(found).toMatchObject({ kind: 'end', code: 2, output: expect.stringContaining(message) })
  expect(found).toMatchObject({ output: expect.stringContaining(file) })
})

test('a file that cannot be read ends the start', () => {
  expect(readOptions(SHOP, ['--config', join(directory, 'none')], {})).toMatchObject({
    code: 2,
    output: expect.stringContaining('cannot be read (ENOENT)'),
  })
  expect(readOptions(SHOP, ['--config'], {})).toMatchObject({
    code: 2,
    output: expect.stringContaining('option --config: a value is missing: <file>'),
  })
})
