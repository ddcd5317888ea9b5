import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { StartError } from '@engine/process'
import { killAll, run, start } from '../engine-server.testing.ts'
import { adultCheck, startServer } from '../http/server.testing.ts'

/** Files of AuthZEN and OFREP that are wrong: each ends the start with its place, and changes nothing later. */

const folder = mkdtempSync(join(tmpdir(), 'engine-hostile-'))
afterEach(killAll)
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function written(content: unknown, ending = 'json'): string {
  const path = join(folder, `file-${files++}.${ending}`)
  writeFileSync(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content))
  return path
}

/** The message of the start with these options. */
async function refusal(...options: readonly string[]): Promise<string> {
  const error: unknown = await startServer(...options).then(
    (server) => server.stop(),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StartError)) throw error ?? new Error('the server started')
  expect(error.exitCode).toBe(2)
  return error.message
}

const RULE = { resource: 'record', ruleset: 'adult-check', permit: ['ADULT'] }
const mapping = (changes: object = {}) => ({ rules: [RULE], ...changes })
const rule = (changes: object) => mapping({ rules: [{ ...RULE, ...changes }] })
const billion = `a: &a [x, x]\n${'bcdefghijklmnopq'
  .split('')
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijklmnopq'[index]}`).join(', ')}]`)
  .join('\n')}`

describe('a mapping that is refused', () => {
  test.each<[what: string, content: unknown, message: string, ending?: string]>([
    ['not JSON', '{"rules": [', 'expected a value, found the end of the text'],
    ['empty', '', 'cannot use'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'it is not valid UTF-8'],
    ['not YAML', 'rules: [', 'line', 'yaml'],
    ['aliases that expand to billions', billion, 'alias', 'yaml'],
    ['a list', [], 'the file must be an object, found a list'],
    ['too deep', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, 'deep'],
    ['too large', ' '.repeat(300_000), 'it has more than 262144 bytes'],
    ['a repeated key', '{"rules": [], "rules": []}', 'rules'],
    ['no rules', {}, '`rules` is missing'],
    ['an empty list of rules', mapping({ rules: [] }), '`rules` must be a list of 1 to 1000 items, found a list of 0'],
    ['rules that are an object', mapping({ rules: { a: RULE } }), '`rules` must be a list'],
    [
      'a rule that is a text',
      mapping({ rules: ['record'] }),
      '`rules[0]` must be an object, found the string `record`',
    ],
    ['too many rules', mapping({ rules: Array.from({ length: 1001 }, () => RULE) }), 'found a list of 1001'],
    ['a misspelt member', mapping({ max_candidate: 5 }), '`max_candidate` is unknown: did you mean `max_candidates`?'],
    ['a misspelt member of a rule', rule({ permits: ['A'] }), '`rules[0].permits` is unknown: did you mean `permit`?'],
    ['no permit', rule({ permit: undefined }), '`rules[0].permit` is missing: the result codes that permit'],
    ['a permit that is a text', rule({ permit: 'ADULT' }), '`rules[0].permit` must be a list of 1 to 1000 strings'],
    [
      'an empty permit',
      rule({ permit: [] }),
      '`rules[0].permit` must be a list of 1 to 1000 strings, found a list of 0',
    ],
    ['a code that is a number', rule({ permit: [1] }), '`rules[0].permit[0]` must be a string'],
    ['a repeated code', rule({ permit: ['A', 'A'] }), '`rules[0].permit[1]` repeats `A`'],
    ['no ruleset', rule({ ruleset: undefined }), '`rules[0].ruleset` is missing'],
    ['a ruleset that is a path', rule({ ruleset: '../secret' }), '`rules[0].ruleset` is no name of a ruleset'],
    ['a resource that is a number', rule({ resource: 7 }), '`rules[0].resource` must be a string'],
    [
      'an empty subject',
      rule({ subject: '' }),
      '`rules[0].subject` must be a string of 1 to 1024 characters, found an empty string',
    ],
    ['actions that are an object', rule({ actions: {} }), '`rules[0].actions` must be a list'],
    ['a base without TLS', mapping({ base: 'http://pdp.example.com' }), '`base` must be an address such as `https://'],
    ['a base with a query', mapping({ base: 'https://pdp.example.com/?a=1' }), '`base` must be an address'],
    ['a base with a password', mapping({ base: 'https://a:b@pdp.example.com' }), '`base` must be an address'],
    [
      'a limit of 0',
      mapping({ max_evaluations: 0 }),
      '`max_evaluations` must be a whole number from 1 to 100000, found `0`',
    ],
    ['a limit that is a fraction', mapping({ max_candidates: 1.5 }), '`max_candidates` must be a whole number'],
    [
      'an unknown part of the context',
      mapping({ context: ['trace'] }),
      '`context[0]` must be one of `code`, `reason`, `output`',
    ],
    ['an unknown choice', mapping({ unknown_subject: 'allow' }), '`unknown_subject` must be one of `deny`, `rules`'],
    ['entities that are not there', mapping({ entities: 'none.jsonl' }), 'none.jsonl`: no such file or directory'],
    ['entities that are a folder', mapping({ entities: '.' }), 'it is a directory'],
  ])('%s', async (_, content, message, ending) => {
    const path = written(content, ending)
    const found = await refusal('--authzen-config', path)
    expect(found).toMatch(/^--authzen-config: cannot use `/)
    expect(found).toContain(message)
  })

  test('names all faults together', async () => {
    const path = written(mapping({ base: 'x', max_candidates: -1, rules: [{ resource: 1 }] }))
    const found = await refusal('--authzen-config', path)
    for (const place of ['base', 'max_candidates', 'rules[0].resource', 'rules[0].ruleset', 'rules[0].permit'])
      expect(found).toContain(`\`${place}\``)
  })

  test('a missing file', async () => {
    expect(await refusal('--authzen-config', join(folder, 'nowhere.yaml'))).toContain('no such file or directory')
  })
})

describe('entities that are refused', () => {
  const ADA = '{"type":"user","id":"ada"}'
  test.each<[what: string, content: string | Uint8Array, message: string]>([
    ['not JSON', `${ADA}\n{"type":`, 'line 2: cannot be read as JSON'],
    ['a list', '[]', 'line 1: must be an object, found a list'],
    ['no type', '{"id":"ada"}', 'line 1: `type` must be a string of 1 to 1024 characters, found nothing'],
    [
      'an id that is a number',
      '{"type":"record","id":101}',
      'line 1: `id` must be a string of 1 to 1024 characters, found `101`',
    ],
    ['an empty id', '{"type":"record","id":""}', 'found one of 0'],
    ['a long id', `{"type":"record","id":"${'x'.repeat(1025)}"}`, 'found one of 1025'],
    [
      'properties that are a list',
      '{"type":"user","id":"ada","properties":[]}',
      'line 1: `properties` must be an object, found a list',
    ],
    ['an unknown member', '{"type":"user","id":"ada","roles":[]}', 'line 1: `roles` is unknown'],
    ['a repeated key', '{"type":"user","id":"ada","id":"bob"}', 'line 1: cannot be read as JSON'],
    ['a repeated entity', `${ADA}\n\n${ADA}`, 'line 3: repeats the entity `ada` of type `user`'],
    [
      'too deep',
      `{"type":"user","id":"ada","properties":${'{"a":'.repeat(500)}1${'}'.repeat(501)}`,
      'line 1: cannot be read as JSON',
    ],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'it is not valid UTF-8'],
  ])('%s', async (_, content, message) => {
    const entities = written(content, 'jsonl')
    const found = await refusal('--authzen-config', written(mapping({ entities })))
    expect(found).toContain(`--authzen-config: cannot use \`${entities}\`: `)
    expect(found).toContain(message)
  })
})

describe('mappings of tenants that are refused', () => {
  test.each([
    ['a b.yaml', 'its name is no tenant'],
    ['tenants.yaml', 'its name is no tenant: it is reserved'],
    ['default.json', 'the tenant `default` has another mapping already'],
  ])('%s', async (name, message) => {
    const own = mkdtempSync(join(folder, 'tenants-'))
    mkdirSync(join(own, 'authzen'))
    writeFileSync(join(own, 'main.json'), JSON.stringify(mapping()))
    writeFileSync(join(own, 'authzen', name), JSON.stringify(mapping()))
    const options = ['--multi-tenancy-enabled', '--rules-dir', join(own, 'rules')]
    expect(await refusal('--authzen-config', join(own, 'main.json'), ...options)).toContain(message)
  })
})

describe('the folder of mappings of tenants', () => {
  const placed = () => {
    const own = mkdtempSync(join(folder, 'tenants-'))
    writeFileSync(join(own, 'main.json'), JSON.stringify(mapping()))
    const options = [
      '--authzen-config',
      join(own, 'main.json'),
      '--multi-tenancy-enabled',
      '--rules-dir',
      join(own, 'rules'),
    ]
    return { own, options }
  }

  test('need not exist', async () => {
    await (await startServer(...placed().options)).stop()
  })

  test('may not be a file', async () => {
    const { own, options } = placed()
    writeFileSync(join(own, 'authzen'), '')
    expect(await refusal(...options)).toBe(
      `--authzen-config: cannot use \`${join(own, 'authzen')}\`: it cannot be read as a folder`,
    )
  })
})

test('a mapping whose name has another ending is read as JSON', async () => {
  await (await startServer('--authzen-config', written(mapping(), 'conf'))).stop()
  expect(await refusal('--authzen-config', written('rules: []', 'conf'))).toContain('expected a value')
})

test('a key of 16 bytes is accepted', async () => {
  const key = written('sixteen bytes...', 'key')
  await (await startServer('--authzen-config', written(mapping()), '--authzen-token-key', key)).stop()
})

test('a key that could be guessed is refused', async () => {
  const found = await refusal('--authzen-config', written(mapping()), '--authzen-token-key', written('short', 'key'))
  expect(found).toContain('it has 5 bytes, at least 16 are needed')
})

describe('flags that are refused', () => {
  const flag = (changes: object) => ({ flags: { a: { ruleset: 'r', ...changes } } })
  test.each<[what: string, content: unknown, message: string]>([
    ['not JSON', '{"flags"', 'found the end of the text'],
    ['a list', [], 'the file must be an object'],
    ['no flags', {}, '`flags` is missing'],
    ['flags that are a list', { flags: [] }, '`flags` must be an object'],
    ['a key with a slash', { flags: { 'a/b': { ruleset: 'r' } } }, '`flags.a/b` is no key'],
    ['an empty key', { flags: { '': { ruleset: 'r' } } }, 'is no key'],
    ['no ruleset', { flags: { a: {} } }, '`flags.a.ruleset` is missing'],
    ['a ruleset that is not a name', flag({ ruleset: 'a b' }), '`flags.a.ruleset` is no name of a ruleset'],
    [
      'an unknown type',
      flag({ type: 'number' }),
      '`flags.a.type` must be one of `boolean`, `string`, `integer`, `float`, `object`',
    ],
    ['an unknown value', flag({ value: 'result' }), '`flags.a.value` must be `auto`, `code`, `message`, `output`'],
    ['an empty name', flag({ value: 'output.a..b' }), '`flags.a.value` must be at most 32 names'],
    [
      'a path of 33 names',
      flag({ targeting: Array.from({ length: 33 }, () => 'a').join('.') }),
      '`flags.a.targeting` must be at most 32 names',
    ],
    [
      'codes for another value',
      flag({ value: 'message', on: ['A'] }),
      '`flags.a.on` lists codes, so `value` must be `code`',
    ],
    ['codes of another type', flag({ on: ['A'], type: 'string' }), '`flags.a.type` contradicts `on`'],
    [
      'a misspelt member',
      flag({ targetting: 'user.id' }),
      '`flags.a.targetting` is unknown: did you mean `targeting`?',
    ],
    ['a ruleset as default', { flags: {}, default: { ruleset: 'r' } }, '`default.ruleset` is unknown'],
    [
      'too many',
      { flags: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, { ruleset: 'r' }])) },
      'has 1001 flags',
    ],
  ])('%s', async (_, content, message) => {
    const path = written(content)
    const found = await refusal('--ofrep', 'list', '--ofrep-config', path)
    expect(found).toContain(`--ofrep-config: cannot use \`${path}\`: `)
    expect(found).toContain(message)
  })
})

test('a flag whose path has 32 names is accepted', async () => {
  const path = written({ flags: { a: { ruleset: 'r', targeting: Array.from({ length: 32 }, () => 'a').join('.') } } })
  await (await startServer('--ofrep', 'list', '--ofrep-config', path)).stop()
})

test('the program ends with 2 and one line', async () => {
  const ended = run(['--http-addr', '127.0.0.1:0', '--disable-grpc', '--authzen-config', written({})])
  expect(await ended.ended).toBe(2)
  expect(ended.stderr()).toMatch(/^error: --authzen-config: cannot use `[^`]+`: `rules` is missing\n$/)
})

describe.each([1, 2])('SIGHUP with %i workers', (workers) => {
  test('reads the files again; an invalid one keeps the earlier ones', async () => {
    const mappingFile = written(mapping())
    const flagsFile = written({ flags: { first: { ruleset: 'adult-check', value: 'code' } } })
    const options = ['--authzen-config', mappingFile, '--ofrep', 'list', '--ofrep-config', flagsFile]
    const server = await start([...options, '--workers', String(workers)])
    const post = async (path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json', connection: 'close' }
      const reply = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: reply.status, body: (await reply.json()) as { readonly decision?: boolean } }
    }
    await post('/api/v1/rulesets', adultCheck())
    const person = (type: string) => ({
      subject: { type: 'user', id: 'a' },
      action: { name: 'x' },
      resource: { type, id: '1' },
    })
    const decides = async (type: string) => (await post('/access/v1/evaluation', person(type))).body.decision
    const statusOf = async (key: string) => (await post(`/ofrep/v1/evaluate/flags/${key}`, {})).status
    /** Over several connections, which several workers answer. */
    const state = () =>
      Promise.all(
        [1, 2, 3].map(async () => [
          await decides('record'),
          await decides('door'),
          await statusOf('first'),
          await statusOf('second'),
        ]),
      )
    const same = (row: readonly unknown[]) => [row, row, row]
    const hangUp = async (message: string) => {
      const before = server.stdout().split(message).length
      server.process.kill('SIGHUP')
      await vi.waitFor(() => expect(server.stdout().split(message).length).toBe(before + 1), { timeout: 60_000 })
    }
    expect(await state()).toEqual(same([false, false, 200, 404]))

    writeFileSync(mappingFile, JSON.stringify({ rules: [{ ...RULE, resource: 'door', permit: ['MINOR'] }] }))
    writeFileSync(flagsFile, JSON.stringify({ flags: { second: { ruleset: 'adult-check' } } }))
    await hangUp('SIGHUP: files reloaded')
    expect(server.stdout()).toContain('"options":["--authzen-config","--ofrep-config"]')
    expect(await state()).toEqual(same([false, true, 404, 200]))

    for (const [file, content] of [
      [mappingFile, JSON.stringify({ rules: [] })],
      [flagsFile, '{'],
    ] as const) {
      writeFileSync(file, content)
      await hangUp('SIGHUP: reload failed')
      expect(await state()).toEqual(same([false, true, 404, 200]))
    }
    expect(server.stdout()).toContain('`rules` must be a list of 1 to 1000 items')
    await server.stop()
  })
})
