import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringifyJson } from '@engine/expression'
import { encodeBinary } from '@engine/signing'
import { afterAll, describe, expect, test } from 'vitest'
import { readRulesets, RuleFileError } from './files.ts'
import { createEngine } from './index.ts'

const root = mkdtempSync(join(tmpdir(), 'engine-files-'))
afterAll(() => rmSync(root, { recursive: true }))

const ruleset = (name: string, code: string) => ({
  config: { name, entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code, message: '' } } },
})
const YAML = `config: { name: fee, entry_step: end }
steps:
  end: { id: end, type: terminal, result: { code: FROM_YAML, message: '' } }
`
/** A draft of the editor. */
const DRAFT = {
  config: { name: 'drafted' },
  startStepId: 'end',
  steps: [
    {
      id: 'end',
      name: 'End',
      type: 'terminal',
      code: 'FROM_DRAFT',
      message: { type: 'literal', value: '' },
      output: [],
    },
  ],
}

/** A new folder with files, `text`, bytes or a document each. */
function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(root, 'rules-'))
  for (const [name, content] of Object.entries(files)) {
    const isContent = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(join(folder, name), isContent ? content : JSON.stringify(content))
  }
  return folder
}

const codesOf = (texts: readonly string[]) => {
  const engine = createEngine({ rulesets: texts })
  return Object.fromEntries(engine.names().map((name) => [name, engine.decideSync(name, {}).code]))
}

/** The message of the rejected `readRulesets`, without the folder's path. */
async function refusal(path: string): Promise<string> {
  const error = await readRulesets(path).then(
    () => expect.fail('it is read'),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(RuleFileError)
  return (error as RuleFileError).message.replaceAll(/[^\s`]*rules-\w+\//g, '')
}

describe('readRulesets', () => {
  test.each<[string, string, unknown, Readonly<Record<string, string>>]>([
    ['JSON', 'a.json', ruleset('limit', 'FROM_JSON'), { limit: 'FROM_JSON' }],
    ['YAML', 'fee.yaml', YAML, { fee: 'FROM_YAML' }],
    ['YAML with the other ending', 'fee.yml', YAML, { fee: 'FROM_YAML' }],
    ['compiled', 'small.engine', encodeBinary(ruleset('small', 'FROM_BINARY')), { small: 'FROM_BINARY' }],
    ['a draft', 'drafted.json', DRAFT, { drafted: 'FROM_DRAFT' }],
  ])('of a file: %s', async (_form, name, content, expected) => {
    expect(codesOf(await readRulesets(join(folderOf({ [name]: content }), name)))).toEqual(expected)
  })

  test('of a folder: all rule files, but no cases, contracts, hidden files and sub-folders', async () => {
    const folder = folderOf({
      'limit.json': ruleset('limit', 'A'),
      'limit.cases.json': [{ input: {}, expect: { code: 'A' } }],
      'limit.contract.json': { inputs: [] },
      'fee.yaml': YAML,
      '.hidden.json': '{',
      'notes.txt': 'not read',
    })
    mkdirSync(join(folder, 'old'))
    writeFileSync(join(folder, 'old/limit.json'), '{')
    expect(codesOf(await readRulesets(folder))).toEqual({ fee: 'FROM_YAML', limit: 'A' })
  })

  test('numbers keep their digits', async () => {
    const folder = folderOf({
      'exact.yaml': `config: { name: exact, numbers: decimal, entry_step: end }
steps:
  end: { id: end, type: terminal, result: { code: OK, message: '', output: [[n, { Literal: 1.0000000000000000001 }]] } }
`,
    })
    const { output } = createEngine({ rulesets: await readRulesets(folder) }).decideSync('exact', {})
    expect(stringifyJson(Object.values(output)[0] ?? null)).toBe('1.0000000000000000001')
  })

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a fault inside an expression, at its place in JSON',
      {
        'fee.json':
          '{"config": {"name": "fee", "entry_step": "a"}, "steps": {\n  "a": {"id": "a", "type": "decision",\n    "branches": [{"condition": "x > uper(y)", "next_step": "a"}]}}}',
      },
      'fee.json:3:37: `/steps/a/branches/0/condition` there is no function `uper`',
    ],
    [
      'a fault in YAML, at its place',
      { 'fee.yaml': YAML.replace('entry_step: end', 'entry_step: ende') },
      'fee.yaml:1:',
    ],
    ['no JSON', { 'fee.json': '{"config": ' }, 'fee.json:1:12: expected a value'],
    ['a draft with an error', { 'd.json': { ...DRAFT, startStepId: 'other' } }, 'd.json:1:'],
    ['bytes that are not compiled', { 'x.engine': 'ENGL' }, 'x.engine: it does not start with the tag `ENGR`'],
    [
      'a ruleset in two files',
      { 'a.json': ruleset('limit', 'A'), 'b.json': ruleset('limit', 'B') },
      'b.json: `a.json` holds the ruleset `limit` too',
    ],
  ])('rejects %s', async (_case, files, message) => {
    expect(await refusal(folderOf(files))).toContain(message)
  })

  test('names the problems of all files', async () => {
    const said = await refusal(folderOf({ 'a.json': '{', 'b.json': '[]' }))
    expect(said.split('\n').map((line) => line.slice(0, 6))).toEqual(['a.json', 'b.json'])
  })

  test('refuses a file of another kind, and a path that does not exist', async () => {
    expect(await refusal(join(folderOf({ 'rules.txt': '{}' }), 'rules.txt'))).toBe(
      'rules.txt: the name of a rule file ends with one of .json, .yaml, .yml, .engine',
    )
    await expect(readRulesets(join(root, 'absent'))).rejects.toThrow('ENOENT')
  })
})
