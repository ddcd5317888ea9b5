import { jsonValue } from '@engine/expression'
import { canonicalText, programParts } from '@engine/receipts'
import type { RulesetDocument } from '@engine/ruleset'
import { Command, CommanderError } from 'commander'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { linesOf, START, testChain, testKey } from '../../../../tests/receipts/chains.testing.ts'
import { ToolError } from '../tool.ts'
import { defineVerifyReceipt } from './command.ts'

/* `engine verify-receipt` in this process: its words, its JSON, and its exit codes. */

const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'
const [first, second] = [testKey('first'), testKey('second')]
const document: RulesetDocument = {
  config: { name: 'adult', entry_step: 'start' },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'age >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'welcome', output: [['age', 'age']] } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: '' } },
  },
}
const digestOf = (content: RulesetDocument) => createHash('sha256').update(canonicalText(content)).digest('hex')
const partsOf = (digest: string) => programParts({ digest, name: 'adult', version: '1.0.0' }, undefined)
const DIGEST = digestOf(document)

const folder = mkdtempSync(join(tmpdir(), 'engine-verify-receipt-'))
const at = (name: string) => join(folder, name)
const write = (name: string, content: string) => writeFileSync(at(name), content)
const segment = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

write('first.key', `${first.publicText}\n`)
write('second.key', `${second.publicText}\n`)
write('bad.key', 'not a key\n')
write('twice.key', `{"keys": [{"public_key": "${first.publicText}"}, {"public_key": "${first.publicText}"}]}`)
write('ended.key', `{"keys": [{"public_key": "${first.publicText}", "until": 1}]}`)
mkdirSync(at('rules'))
write('rules/adult.json', JSON.stringify(document, undefined, 2))
write('rules/note.json', '{"not": "a ruleset"}')

const chain = testChain(first.privateKey)
const good = { input: { age: 20 }, output: { age: 20 }, message: 'welcome', parts: partsOf(DIGEST) }
const seqs = [
  chain.add(good),
  chain.add({ ...good, code: 'MINOR', message: 'other', output: { age: 21 } }),
  chain.add({ ...good, parts: partsOf('0'.repeat(64)) }),
  chain.add({ input: { age: 'x' }, error: 'type-error', parts: partsOf(DIGEST) }),
]
const signed = chain.sign()
const [equal = '', different = '', unknown = '', failed = ''] = seqs.map((seq) =>
  JSON.stringify(chain.receipt(signed, seq)),
)
const changed = equal.replace('welcome', 'Welcome')
for (const [name, text] of Object.entries({ equal, different, unknown, failed, changed })) write(`${name}.json`, text)
write('lines.ndjson', `${equal}\n\n${unknown}\n`)
write('pretty.json', JSON.stringify(JSON.parse(equal), undefined, 2))
write('mixed.ndjson', `${equal}\nnothing\n`)
writeFileSync(at('bytes.json'), Buffer.from([0xff]))

for (const name of ['log', 'log/a', 'log/b', 'log/none', 'one', 'cut', 'bytes', 'faulty', 'anchored', 'many', 'empty'])
  mkdirSync(at(name))
const tree = linesOf(signed)
write('one/receipts-0.jsonl', segment(tree))
write('log/a/receipts-0.jsonl', segment(tree))
chain.log.addLost(5)
const later = linesOf(chain.sign())
write('log/a/receipts-1.jsonl', segment(later))
write('log/a/receipts-1.jsonl.tmp', 'no segment\n')
write('log/none/note.txt', 'no segment\n')
write('anchored/receipts-1.jsonl', segment(later))
const other = testChain(second.privateKey, INSTANCE.replace('eu-1', 'eu-2'))
other.add(good)
const otherTree = linesOf(other.sign())
write('log/b/receipts-0.jsonl', segment(otherTree))
// The order of segments is that of their numbers, not of their names.
const long = testChain(first.privateKey)
for (let n = 0; n < 11; n++) {
  long.add(good)
  write(`many/receipts-${n}.jsonl`, segment(linesOf(long.sign())))
}
write('cut/receipts-0.jsonl', segment(tree).slice(0, -1))
writeFileSync(at('bytes/receipts-0.jsonl'), Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(segment(tree))]))
write('faulty/receipts-0.jsonl', 'x\n'.repeat(1002))

interface Ended {
  readonly exitCode: number | undefined
  readonly output: string
}

const KEY = ['--key', '@first.key']
const RULES = ['--rules', '@rules']

/** Runs the command; `@` stands for the folder in its arguments and its output. */
async function run(...args: readonly string[]): Promise<Ended> {
  const program = new Command('engine').version('0.2.0')
  const command = program.command('verify-receipt').exitOverride()
  defineVerifyReceipt(command.configureOutput({ writeErr: () => {} }))
  let output = ''
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((text) => (output += String(text)) !== '')
  const before = process.exitCode
  process.exitCode = undefined
  try {
    await program.parseAsync(['verify-receipt', ...args.map((one) => one.replace(/^@/, `${folder}/`))], {
      from: 'user',
    })
    return { exitCode: Number(process.exitCode), output: output.replaceAll(`${folder}/`, '@') }
  } finally {
    process.exitCode = before
    writing.mockRestore()
  }
}

async function refusal(...args: readonly string[]): Promise<unknown> {
  const thrown: unknown = await run(...args).catch((error: unknown) => error)
  if (thrown instanceof ToolError) return thrown.message.replaceAll(`${folder}/`, '@')
  return thrown instanceof CommanderError ? [thrown.exitCode, thrown.message] : thrown
}

/** The words about a receipt that holds. */
const held = (file: string, seq: number, outcome = '`ADULT`') =>
  `@${file}: ${outcome} by adult 1.0.0 at ${new Date(START + 5 * (seq + 1)).toISOString()} (${INSTANCE}#${seq})`

describe('receipts', () => {
  test.each<[title: string, args: readonly string[], exitCode: number, lines: readonly string[]]>([
    ['one that holds', ['@equal.json', ...KEY], 0, [`✓ ${held('equal.json', 0)}`]],
    ['one on several lines', ['@pretty.json', ...KEY], 0, [`✓ ${held('pretty.json', 0)}`]],
    [
      'one of a failed execution',
      ['@failed.json', ...KEY],
      0,
      [`✓ ${held('failed.json', 3, 'failed with `type-error`')}`],
    ],
    ['one a line', ['@lines.ndjson', ...KEY], 0, [`✓ ${held('lines.ndjson:1', 0)}`, `✓ ${held('lines.ndjson:2', 2)}`]],
    [
      'decided again',
      ['@equal.json', ...KEY, ...RULES],
      0,
      [`✓ ${held('equal.json', 0)}: the rules decide the same again (equal)`],
    ],
    [
      'decided again, differently',
      ['@different.json', ...KEY, ...RULES],
      1,
      [
        `✗ ${held('different.json', 1, '`MINOR`')}: the rules decide differently (different): /code, /message, /output/age`,
      ],
    ],
    [
      'not reproducible',
      ['@unknown.json', ...KEY, ...RULES],
      3,
      [`✓ ${held('unknown.json', 2)}: not reproducible: the content ${'0'.repeat(64)} of \`adult\` was not given`],
    ],
    [
      'one of another key among others',
      ['@equal.json', '--key', '@second.key', '@first.key'],
      0,
      [`✓ ${held('equal.json', 0)}`],
    ],
    [
      'a changed one',
      ['@changed.json', ...KEY, ...RULES],
      1,
      ['✗ @changed.json: message: the evidence `message` does not match the commitment of the entry'],
    ],
    [
      'one of another key',
      ['@equal.json', '--key', '@second.key'],
      1,
      [
        expect.stringMatching(
          /^✗ @equal\.json: unknown-key: it is signed by the key [0-9a-f]{16}, which was not given$/,
        ),
      ],
    ],
    [
      'one after the end of its key',
      ['@equal.json', '--key', '@ended.key'],
      1,
      [
        expect.stringMatching(
          /^✗ @equal\.json: expired-key: the key [0-9a-f]{16} does not sign at the time of the checkpoint$/,
        ),
      ],
    ],
    ['bytes that are no text', ['@bytes.json', ...KEY], 1, ['✗ @bytes.json: malformed: the file is not UTF-8']],
    [
      'lines of which one is no receipt, which are one text',
      ['@mixed.ndjson', ...KEY],
      1,
      [expect.stringMatching(/^✗ @mixed\.ndjson: malformed: the receipt is not valid JSON/)],
    ],
    [
      'a fault weighs more than a decision that cannot be repeated',
      ['@unknown.json', '@different.json', '@changed.json', ...KEY, ...RULES],
      1,
      [expect.stringMatching(/^✓/), expect.stringMatching(/^✗/), expect.stringMatching(/^✗/)],
    ],
  ])('%s', async (_, args, exitCode, lines) => {
    const ended = await run(...args)
    expect(ended.output.split('\n')).toEqual([...lines, ''])
    expect(ended.exitCode).toBe(exitCode)
  })

  test('as JSON', async () => {
    const ended = await run('@equal.json', '@changed.json', '@unknown.json', '@bytes.json', ...KEY, ...RULES, '--json')
    const ruleset = { digest: DIGEST, name: 'adult', version: '1.0.0' }
    const entry = { ruleset, instance: INSTANCE, seq: 0 }
    expect(jsonValue(ended.output)).toEqual({
      valid: false,
      receipts: [
        { place: '@equal.json', valid: true, faults: [], ...entry, re_execution: { kind: 'equal' } },
        {
          place: '@changed.json',
          valid: false,
          faults: [{ code: 'message', message: 'the evidence `message` does not match the commitment of the entry' }],
          ...entry,
        },
        {
          place: '@unknown.json',
          valid: true,
          faults: [],
          ...entry,
          ruleset: { ...ruleset, digest: '0'.repeat(64) },
          seq: 2,
          re_execution: {
            kind: 'not-reproducible',
            reason: `the content ${'0'.repeat(64)} of \`adult\` was not given`,
          },
        },
        { place: '@bytes.json', valid: false, faults: [{ code: 'malformed', message: 'the file is not UTF-8' }] },
      ],
      logs: [],
    })
  })

  test('as JSON: one that is not reproducible is valid, another decision is not', async () => {
    expect(jsonValue((await run('@unknown.json', ...KEY, ...RULES, '--json')).output)).toMatchObject({ valid: true })
    expect(jsonValue((await run('@different.json', ...KEY, ...RULES, '--json')).output)).toMatchObject({
      valid: false,
      receipts: [{ valid: true, re_execution: { kind: 'different', paths: ['/code', '/message', '/output/age'] } }],
    })
  })
})

describe('logs', () => {
  test.each<[title: string, args: readonly string[], exitCode: number, lines: readonly unknown[]]>([
    ['of one chain', ['--log', '@one', ...KEY], 0, [`✓ @one: the log of ${INSTANCE} holds (4 entries, 1 checkpoint)`]],
    [
      'in eleven segments',
      ['--log', '@many', ...KEY],
      0,
      [`✓ @many: the log of ${INSTANCE} holds (11 entries, 11 checkpoints)`],
    ],
    [
      'of the chains of a directory, with lost decisions',
      ['--log', '@log', '--key', '@first.key', '@second.key'],
      0,
      [
        `✓ @log/a: the log of ${INSTANCE} holds (5 entries, 2 checkpoints, 5 decisions without a receipt)`,
        `✓ @log/b: the log of ${INSTANCE.replace('eu-1', 'eu-2')} holds (1 entry, 1 checkpoint)`,
      ],
    ],
    [
      'of which one holds',
      ['--log', '@log', ...KEY],
      1,
      [expect.stringMatching(/^✓ @log\/a: /), expect.stringMatching(/^✗ @log\/b\/receipts-0\.jsonl:2: unknown-key: /)],
    ],
    [
      'without its beginning',
      ['--log', '@anchored', ...KEY],
      0,
      [
        `✓ @anchored: the log of ${INSTANCE} holds (1 entry, 1 checkpoint, anchored at checkpoint 1: earlier ones were removed, 5 decisions without a receipt)`,
      ],
    ],
    [
      'with a last line without its end',
      ['--log', '@cut', ...KEY],
      1,
      ['✗ @cut/receipts-0.jsonl:5: malformed: the last line is not complete'],
    ],
    [
      'with bytes that are no text',
      ['--log', '@bytes', ...KEY],
      1,
      ['✗ @bytes/receipts-0.jsonl:1: malformed: the line is not UTF-8'],
    ],
  ])('%s', async (_, args, exitCode, lines) => {
    const ended = await run(...args)
    expect(ended.output.split('\n')).toEqual([...lines, ''])
    expect(ended.exitCode).toBe(exitCode)
  })

  test('with more faults than are listed', async () => {
    const { output, exitCode } = await run('--log', '@faulty', ...KEY)
    const lines = output.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^✗ @faulty\/receipts-0\.jsonl:1: malformed: the entry is not valid JSON/)
    // 1,002 lines, and the log that has no checkpoint.
    expect(lines.slice(999)).toEqual([expect.stringMatching(/receipts-0\.jsonl:1000: /), '✗ @faulty: 3 more faults'])
    expect(exitCode).toBe(1)
  })

  test('as JSON, with the head that a witness compares', async () => {
    const { output } = await run('--log', '@log', ...KEY, '--json')
    expect(jsonValue(output)).toEqual({
      valid: false,
      receipts: [],
      logs: [
        {
          directory: '@log/a',
          valid: true,
          faults: [],
          entries: 5,
          lost: 5,
          checkpoints: 2,
          anchor: null,
          head: { n: 1, hash: expect.stringMatching(/^[-_A-Za-z0-9]{43}$/) },
        },
        expect.objectContaining({
          directory: '@log/b',
          valid: false,
          faults: [expect.objectContaining({ code: 'unknown-key', place: '@log/b/receipts-0.jsonl:2' })],
        }),
      ],
    })
    expect(jsonValue((await run('--log', '@anchored', ...KEY, '--json')).output)).toMatchObject({
      valid: true,
      logs: [{ anchor: 1, head: { n: 1 } }],
    })
    expect(jsonValue((await run('--log', '@faulty', ...KEY, '--json')).output)).toMatchObject({
      logs: [{ anchor: null, head: null, checkpoints: 0, valid: false }],
    })
  })

  test('after receipts', async () => {
    const ended = await run('@equal.json', '--log', '@one', ...KEY)
    expect(ended.output).toMatch(/^✓ @equal\.json: .*\n✓ @one: .*\n$/)
    expect(ended.exitCode).toBe(0)
  })
})

describe('refused', () => {
  test.each<[title: string, args: readonly string[], expected: unknown]>([
    ['nothing to verify', KEY, [1, 'error: name a receipt, or a log by --log']],
    ['no key', ['@equal.json'], [1, expect.stringContaining("required option '-k, --key <files...>'")]],
    ['a key that is none', ['@equal.json', '--key', '@bad.key'], '@bad.key: the public key is not base64'],
    [
      'a list that repeats a key',
      ['@equal.json', '--key', '@twice.key'],
      '@twice.key: a key is listed twice: give it one time span',
    ],
    ['a receipt that is not there', ['@absent', ...KEY], '@absent: cannot be read: it does not exist'],
    [
      'rules that are not there',
      ['@equal.json', ...KEY, '--rules', '@absent'],
      '@absent: cannot be read: it does not exist',
    ],
    ['a folder without a log', ['--log', '@empty', ...KEY], '@empty: there is no receipts-<n>.jsonl'],
    ['a log that is not there', ['--log', '@absent', ...KEY], '@absent: cannot be read: it does not exist'],
  ])('%s', async (_, args, expected) => {
    expect(await refusal(...args)).toEqual(expected)
  })
})
