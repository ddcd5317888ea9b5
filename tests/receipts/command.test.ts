import { jsonValue } from '@engine/expression'
import { canonicalText, programParts } from '@engine/receipts'
import type { RulesetDocument } from '@engine/ruleset'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemProgram } from '../programs.testing.ts'
import { linesOf, testChain, testKey } from './chains.testing.ts'

/* `engine verify-receipt` and `tools/verify_receipt.py` on files. */

const root = join(import.meta.dirname, '../..')
const first = testKey('first')
const document: RulesetDocument = {
  config: { name: 'adult', entry_step: 'start' },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'date_diff(now(), born, "years") >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'welcome', output: [['born', 'born']] } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: '' } },
  },
}
const digest = createHash('sha256').update(canonicalText(document)).digest('hex')

let folder: string
const at = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receipts-'))
  const write = (name: string, content: string) => writeFileSync(at(name), content)
  write('public.key', `${first.publicText}\n`)
  write('stranger.key', `${testKey('stranger').publicText}\n`)
  write('private.txt', 'not a key\n')
  mkdirSync(at('rules'))
  write('rules/adult.json', JSON.stringify(document, undefined, 2))
  const chain = testChain(first.privateKey)
  const now = Date.parse('2026-11-28')
  const parts = programParts({ digest, name: 'adult', version: '1.0.0' }, undefined)
  const good = { input: { born: '2008-01-01' }, output: { born: '2008-01-01' }, message: 'welcome', parts, now }
  const seqs = [
    chain.add(good),
    chain.add({ ...good, code: 'MINOR' }),
    chain.add({ ...good, parts: programParts({ digest: '0'.repeat(64), name: 'adult', version: '0.9.0' }, undefined) }),
  ]
  const signed = chain.sign()
  const [equal, different, unknown] = seqs.map((seq) => JSON.stringify(chain.receipt(signed, seq))) as [
    string,
    string,
    string,
  ]
  write('equal.json', equal)
  write('different.json', different)
  write('unknown.json', unknown)
  write('all.ndjson', `${equal}\n${unknown}\n`)
  write('changed.json', equal.replace('welcome', 'Welcome'))
  writeFileSync(at('bytes.json'), Buffer.from([0xff, 0xfe]))
  mkdirSync(at('logs'))
  mkdirSync(at('logs/eu-1'))
  write(
    'logs/eu-1/receipts-0.jsonl',
    linesOf(signed)
      .map((line) => `${line}\n`)
      .join(''),
  )
  chain.add(good)
  write(
    'logs/eu-1/receipts-1.jsonl',
    linesOf(chain.sign())
      .map((line) => `${line}\n`)
      .join(''),
  )
  mkdirSync(at('cut'))
  write('cut/receipts-0.jsonl', readFileSync(at('logs/eu-1/receipts-0.jsonl'), 'utf8').slice(0, -9))
  mkdirSync(at('empty'))
})

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (program: string, args: readonly string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(program, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
const engine = (...args: readonly string[]) => run(join(root, 'node_modules/.bin/engine'), ['verify-receipt', ...args])
const python = (...args: readonly string[]) =>
  run(systemProgram('python3'), [join(root, 'tools/verify_receipt.py'), ...args])

const KEY = ['--key', 'public.key']

describe('engine verify-receipt', () => {
  test.each([
    ['a receipt that holds', ['equal.json', ...KEY], 0, /^✓ equal\.json: `ADULT` by adult 1\.0\.0 at 2026-.*#0\)$/m],
    ['two on lines', ['all.ndjson', ...KEY], 0, /all\.ndjson:1: .*\n.*all\.ndjson:2: /],
    ['decided again: the same', ['equal.json', ...KEY, '--rules', 'rules'], 0, /equal\)$/m],
    ['decided again: another code', ['different.json', ...KEY, '--rules', 'rules'], 1, /^✗ .*different.*: \/code$/m],
    [
      'rules that are not there',
      ['unknown.json', ...KEY, '--rules', 'rules'],
      3,
      /not reproducible: the content 0{64} of `adult` was not given/,
    ],
    [
      'a fault before a decision that cannot be repeated',
      ['changed.json', 'unknown.json', ...KEY, '--rules', 'rules'],
      1,
      /✗ changed\.json: message:/,
    ],
    ['a changed text', ['changed.json', ...KEY], 1, /^✗ changed\.json: message: /m],
    ['bytes that are not text', ['bytes.json', ...KEY], 1, /malformed: the file is not UTF-8/],
    ['another key', ['equal.json', '--key', 'stranger.key'], 1, /unknown-key: /],
    ['one of two keys', ['equal.json', '--key', 'stranger.key', 'public.key'], 0, /✓/],
    ['a log in segments', ['--log', 'logs/eu-1', ...KEY], 0, /✓ .*holds \(4 entries, 2 checkpoints\)/],
    ['the logs of a directory', ['--log', 'logs', ...KEY], 0, /logs\/eu-1: the log of eu-1\//],
    [
      'a log that was cut',
      ['--log', 'cut', ...KEY],
      1,
      /receipts-0\.jsonl:4: malformed: the last line is not complete/,
    ],
    ['a receipt and a log', ['equal.json', '--log', 'logs', ...KEY], 0, /✓ equal\.json[^]*✓ logs\/eu-1/],
  ])('%s', async (_, args, code, output) => {
    const ended = await engine(...args)
    expect(ended.stderr).toBe('')
    expect(ended.stdout).toMatch(output)
    expect(ended.code).toBe(code)
  })

  test.each([
    ['nothing to verify', KEY, 2, /name a receipt, or a log by --log/],
    ['no key', ['equal.json'], 2, /--key/],
    ['an invalid key', ['equal.json', '--key', 'private.txt'], 1, /^private\.txt: the public key is not base64$/m],
    ['a file that is not there', ['absent.json', ...KEY], 1, /^absent\.json: cannot be read: it does not exist$/m],
    ['a folder without a log', ['--log', 'empty', ...KEY], 1, /^empty: there is no receipts-<n>\.jsonl$/m],
    ['a log that is not there', ['--log', 'absent', ...KEY], 1, /^absent: cannot be read: it does not exist$/m],
  ])('refuses %s', async (_, args, code, message) => {
    const ended = await engine(...args)
    expect(ended.stderr).toMatch(message)
    expect(ended.stdout).toBe('')
    expect(ended.code).toBe(code)
  })

  test('--json has every fault with its code, and the head of a log for a witness', async () => {
    const faulty = jsonValue((await engine('changed.json', ...KEY, '--json')).stdout)
    expect(faulty).toMatchObject({ valid: false, receipts: [{ valid: false, faults: [{ code: 'message' }] }] })
    const { stdout } = await engine('equal.json', ...KEY, '--rules', 'rules', '--log', 'logs', '--json')
    expect(jsonValue(stdout)).toMatchObject({
      valid: true,
      receipts: [{ place: 'equal.json', valid: true, seq: 0, re_execution: { kind: 'equal' } }],
      logs: [{ valid: true, entries: 4, lost: 0, checkpoints: 2, anchor: null, head: { n: 1 } }],
    })
  })
})

describe('tools/verify_receipt.py', () => {
  test.each([
    ['a receipt that holds', [...KEY, 'equal.json'], 0, /holds \(1 receipt\)/],
    ['two on lines', [...KEY, 'all.ndjson'], 0, /holds \(2 receipts\)/],
    ['a changed text', [...KEY, 'changed.json'], 1, /changed\.json:1: message: /],
    ['bytes that are not text', [...KEY, 'bytes.json'], 1, /malformed: the file is not UTF-8/],
    ['another key', ['--key', 'stranger.key', 'equal.json'], 1, /unknown-key/],
    ['a log', [...KEY, '--log', 'logs/eu-1'], 0, /holds \(4 entries, 2 checkpoints\)/],
    [
      'a log that was cut',
      [...KEY, '--log', 'cut'],
      1,
      /receipts-0\.jsonl:4: malformed: the last line is not complete/,
    ],
    ['a folder without a log', [...KEY, '--log', 'empty'], 1, /there is no receipts-<n>\.jsonl/],
    ['no key', ['equal.json'], 2, /^$/],
    ['an invalid key', ['--key', 'private.txt', 'equal.json'], 2, /^$/],
    ['a file that is not there', [...KEY, 'absent.json'], 2, /^$/],
  ])('%s', async (_, args, code, output) => {
    const ended = await python(...args)
    expect(ended.stdout).toMatch(output)
    expect(ended.code).toBe(code)
    expect(ended.stderr).not.toContain('Traceback')
  })
})
