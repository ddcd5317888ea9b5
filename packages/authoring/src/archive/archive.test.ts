import type { Value } from '@engine/expression'
import { yamlForm } from '../../../rule-file/src/yaml-form.ts'
import { expect, test } from 'vitest'
import type { ArchiveFile } from './archive.ts'
import { fileName, nameOfFile } from './file-name.ts'
import { layOut } from './layout.ts'
import { readArchive } from './read.ts'
import { writeArchive } from './write.ts'

const json = (path: string, value: Value): ArchiveFile => ({ path, text: layOut(value) })

const PROJECT = json('project.json', {
  format: 1,
  name: 'Shop',
  current_environment: 'prod',
  environments: [{ name: 'dev' }, { name: 'prod', requires_release: true, canary: { canary_target: 'dev' } }],
})
const RULESET = json('rulesets/limit.json', {
  config: { name: 'limit', version: '1.0.0' },
  startStepId: 'end',
  steps: [{ id: 'end', name: 'Done', type: 'terminal', code: 'OK' }],
})
const SUITE: ArchiveFile = {
  path: 'tests/limit/main.yaml',
  text: 'ruleset: limit\ncases:\n  - name: any\n    input: {}\n    expect:\n      code: OK\n',
}
const WHOLE: readonly ArchiveFile[] = [
  PROJECT,
  RULESET,
  SUITE,
  json('inputs/limit/An%20adult.json', { age: 18, id: 12345678901234567890n }),
  json('sub-rules/risk.json', {
    name: 'risk',
    version: '1.0.0',
    bindings: [{ name: 'age', type: 'number', required: true }],
    outputs: [{ name: 'score', type: 'number' }],
    graph: { startStepId: 'end', steps: [{ id: 'end', type: 'terminal', code: 'OK' }] },
  }),
  json('concepts/address.json', { name: 'address', fields: [{ name: 'country', type: 'concept:country' }] }),
  json('concepts/country.json', { name: 'country', fields: [{ name: 'code', type: 'string' }] }),
  json('facts/user.age.json', { name: 'user.age', type: 'number', description: 'years', tags: ['user'] }),
  json('contracts/limit.json', {
    name: 'limit',
    version: '1.0.0',
    input: { fields: [{ name: 'home', type: 'concept:address' }] },
    outputs: [{ code: 'OK', fields: [] }],
  }),
]

/** Each is ten times the one before it. */
const ALIASES = Array.from(
  { length: 10 },
  (_, index) => `a${index}: &a${index} [${`${index === 0 ? 'x' : `*a${index - 1}`}, `.repeat(10)}]`,
).join(', ')

const sorted = (files: readonly ArchiveFile[]) => files.toSorted((a, b) => (a.path < b.path ? -1 : 1))

test('a project and its files are unchanged after a round trip', () => {
  const { archive, problems } = readArchive(WHOLE, yamlForm)
  expect(problems).toEqual([])
  if (archive === undefined) throw new Error('it was not read')
  const written = writeArchive(archive, yamlForm)
  expect(written).toEqual(sorted(WHOLE))
  expect(readArchive(written.toReversed(), yamlForm).archive).toEqual(archive)
})

test('files of other programs are ignored', () => {
  const others = [
    { path: 'README.md', text: '# Shop' },
    { path: '.github/workflows/check.yml', text: '{' },
    { path: 'package.json', text: '' },
  ]
  expect(readArchive([PROJECT, ...others], yamlForm).problems).toEqual([])
})

const at = (file: ArchiveFile, from: string, to: string): ArchiveFile => ({
  path: file.path,
  text: file.text.replace(from, to),
})

test.each<[string, readonly ArchiveFile[], string]>([
  ['no project', [RULESET], 'project.json missing-file'],
  ['a text that is not JSON', [at(PROJECT, '"Shop",', '"Shop"')], 'project.json 4:3 unreadable'],
  [
    'a member twice',
    [PROJECT, { path: 'facts/a.json', text: '{"name":"a","name":"b"}' }],
    'facts/a.json 1:13 unreadable',
  ],
  ['100,000 brackets', [PROJECT, { path: 'facts/a.json', text: '['.repeat(100_000) }], 'facts/a.json 1:129 unreadable'],
  [
    'a member named `__proto__`',
    [at(PROJECT, '"format"', '"__proto__": 1, "format"')],
    'project.json 2:3 unknown-member',
  ],
  ['a repeated file', [PROJECT, PROJECT], 'project.json 1:1 repeated-file'],
  ['a later form', [at(PROJECT, '1,', '2,')], 'project.json 2:3 later-format'],
  ['a misspelt setting', [at(PROJECT, 'requires_release', 'requires_relase')], 'project.json 7:61 unknown-member'],
  [
    'an environment that is not there',
    [at(PROJECT, '"current_environment": "prod"', '"current_environment": "prd"')],
    'project.json 4:3 unknown-environment',
  ],
  [
    'a split to one that is not there',
    [at(PROJECT, '"canary_target": "dev"', '"canary_target": "dve"')],
    'project.json 7:35 unknown-environment',
  ],
  ['a file with another ending', [PROJECT, { path: 'rulesets/a.yaml', text: '' }], 'rulesets/a.yaml unknown-file'],
  ['a path that leads upwards', [PROJECT, { path: 'tests/../main.yaml', text: '' }], 'tests/../main.yaml unknown-file'],
  [
    'a name with a percent sign that nothing made',
    [PROJECT, { path: 'facts/%61.json', text: '{}' }],
    'facts/%61.json unknown-file',
  ],
  ['another name within', [PROJECT, at(RULESET, '"limit"', '"limits"')], 'rulesets/limit.json 2:15 other-name'],
  [
    'a name that no ruleset has',
    [PROJECT, { path: 'rulesets/a%20b.json', text: RULESET.text.replace('"limit"', '"a b"') }],
    'rulesets/a%20b.json 2:15 bad-name',
  ],
  [
    'a draft of the wrong shape',
    [PROJECT, at(RULESET, '"terminal"', '"termnal"')],
    'rulesets/limit.json 4:44 wrong-type',
  ],
  ['tests of no ruleset', [PROJECT, SUITE], 'tests/limit/main.yaml 1:1 unknown-ruleset'],
  [
    'tests of another ruleset',
    [PROJECT, RULESET, at(SUITE, 'ruleset: limit', 'ruleset: other')],
    'tests/limit/main.yaml 1:1 other-name',
  ],
  [
    'a misspelt expectation',
    [PROJECT, RULESET, at(SUITE, 'code:', 'cod:')],
    'tests/limit/main.yaml 6:7 unknown-member',
  ],
  [
    'aliases that double',
    [PROJECT, RULESET, at(SUITE, 'input: {}', `input: {${ALIASES}}`)],
    'tests/limit/main.yaml unreadable',
  ],
  ['YAML that is none', [PROJECT, RULESET, at(SUITE, 'input: {}', 'input: {')], 'tests/limit/main.yaml 5:5 unreadable'],
  [
    'a repeated case',
    [PROJECT, RULESET, { ...SUITE, text: `${SUITE.text}${SUITE.text.split('\n').slice(2).join('\n')}` }],
    'tests/limit/main.yaml 7:5 repeated-name',
  ],
  ['an input of no ruleset', [PROJECT, json('inputs/a/b.json', {})], 'inputs/a/b.json 1:1 unknown-ruleset'],
  [
    'a concept that is not there',
    [PROJECT, json('facts/a.json', { name: 'a', type: 'concept:b' })],
    'facts/a.json 1:16 unknown-concept',
  ],
])('refuses %s', (_what, files, expected) => {
  const { archive, problems } = readArchive(files, yamlForm)
  expect(archive).toBeUndefined()
  expect(
    problems.map(({ file, line, column, code }) => `${file} ${line === undefined ? '' : `${line}:${column} `}${code}`),
  ).toEqual([expected])
})

test.each(['a', 'a.b', '.a', '..', 'An adult', 'größe', '中', 'a/b', 'con:x', '100%', "it's", '日 本', '👍'])(
  'the name %j becomes one part of a path, and is found again',
  (name) => {
    const part = fileName(name)
    expect(part).toMatch(/^[^/\\:.][^/\\:]*$/)
    expect(nameOfFile(part)).toBe(name)
  },
)

test.each([
  ['a*(b)', 'a%2A%28b%29'],
  ['.a.b', '%2Ea.b'],
  ['ö/', 'ö%2F'],
])('the name %j is the part %s', (name, part) => {
  expect(fileName(name)).toBe(part)
})

test.each(['a%2a', '%61', '.a', 'a*', '%', ''])('the part %j is not one of a name, or empty', (part) => {
  expect(nameOfFile(part) ?? '').toBe('')
})

test('writes on one line whatever fits there', () => {
  const long = Array.from({ length: 30 }, (_, index) => `item ${index}`)
  expect(layOut({ rows: [{ cells: { b: '1', a: '2' }, id: 'r1' }], list: long, id: 1 })).toBe(
    `{\n  "id": 1,\n  "rows": [{ "id": "r1", "cells": { "a": "2", "b": "1" } }],\n  "list": [\n${long.map((item) => `    "${item}"`).join(',\n')}\n  ]\n}\n`,
  )
})
