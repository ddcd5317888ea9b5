import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson, signatureOf } from '@engine/signing'
import type { RulesetDocument } from '@engine/ruleset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { runTool, systemProgram } from '../programs.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-tools-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const at = (file: string) => join(scratch, file)
const read = (file: string) => readFileSync(at(file), 'utf8')
const tool = (name: string, ...args: string[]) => runTool(`engine-${name}`, args, scratch)

/** The tools recognize files by their form; a test works on separate copies. */
const give = (file: string, text = JSON.stringify(adultCheck())) => writeFileSync(at(file), text)

const YAML = `# who may order
config: { name: adult-check, entry_step: yes }
steps:
  yes: { id: yes, type: terminal, result: { code: ADULT, message: "may order" } } # everybody
`

beforeAll(async () => {
  for (const prefix of ['', 'other-']) await tool('keygen', '-p', prefix)
})

/** Whatever is printed, a private key is not in it. */
function expectNoSecret({ stdout, stderr }: { stdout: string; stderr: string }) {
  for (const file of readdirSync(scratch).filter((name) => name.endsWith('private.key')))
    expect(stdout + stderr).not.toContain(read(file).trim().slice(0, 12))
}

describe('engine-keygen', () => {
  test('writes two files of one line, the private one for its owner only', async () => {
    const result = await tool('keygen', '--output-dir', 'keys/new', '--prefix', 'team-')
    expect(result).toEqual({ code: 0, stdout: expect.stringContaining('keys/new/team-public.key'), stderr: '' })
    expect(statSync(at('keys/new/team-private.key')).mode & 0o777).toBe(0o600)
    for (const file of ['keys/new/team-private.key', 'keys/new/team-public.key'])
      expect(read(file)).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
    expectNoSecret(result)
  })

  test('never replaces a key', async () => {
    const before = read('private.key')
    expect(await tool('keygen')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/a key already exists/),
    })
    expect(read('private.key')).toBe(before)
    rmSync(at('other-private.key'))
    expect((await tool('keygen', '-p', 'other-')).code).toBe(1)
    // A private key is useless without its public one, and is not left behind.
    expect(readdirSync(scratch)).not.toContain('other-private.key')
    rmSync(at('other-public.key'))
    expect((await tool('keygen', '-p', 'other-')).code).toBe(0)
  })
})

describe('engine-sign and engine-verify', () => {
  test.each(['json', 'yaml', 'yml', 'engine'])('a signed .%s is valid for its key and for no other', async (ending) => {
    give('source.json')
    const file = `signed.${ending}`
    expect((await tool('compile', '-i', 'source.json', '-o', file)).code).toBe(0)
    const unsigned = await tool('verify', '-k', 'public.key', '-i', file)
    expect(unsigned).toMatchObject({ code: 1, stdout: '✗ Signature verification failed: no signature found\n' })
    const signed = await tool('sign', '--private-key', 'private.key', '--input', file)
    expect(signed).toMatchObject({ code: 0, stderr: '' })
    expectNoSecret(signed)
    expect(await tool('verify', '--public-key', 'public.key', '--input', file)).toEqual({
      code: 0,
      stdout: `✓ Signature valid for ${file}\n`,
      stderr: '',
    })
    expect(await tool('verify', '-k', 'other-public.key', '-i', file)).toEqual({
      code: 1,
      stdout: '✗ Signature verification failed: untrusted public key\n',
      stderr: '',
    })
  })

  test('a signature survives a change of form, and changed content is rejected', async () => {
    give('a.json')
    await tool('sign', '-k', 'private.key', '-i', 'a.json')
    for (const [from, to] of [
      ['a.json', 'b.engine'],
      ['b.engine', 'c.yaml'],
      ['c.yaml', 'd.json'],
    ] as const) {
      expect((await tool('compile', '-i', from, '-o', to)).code).toBe(0)
      expect((await tool('verify', '-k', 'public.key', '-i', to)).code).toBe(0)
    }
    writeFileSync(at('d.json'), read('d.json').replace('age >= 18', 'age >= 8'))
    expect(await tool('verify', '-k', 'public.key', '-i', 'd.json')).toMatchObject({
      code: 1,
      stdout: '✗ Signature verification failed: invalid signature\n',
    })
  })

  test('texts that begin with blank lines keep their blanks in all forms', async () => {
    const result = { code: 'YES', message: ' \n', text: ' \n\n x' }
    give('blank.json', JSON.stringify(adultCheck({ steps: { yes: { id: 'yes', type: 'terminal', result } } })))
    expect((await tool('sign', '-k', 'private.key', '-i', 'blank.json')).code).toBe(0)
    expect((await tool('compile', '-i', 'blank.json', '-o', 'blank.yaml')).code).toBe(0)
    expect((await tool('verify', '-k', 'public.key', '-i', 'blank.yaml')).code).toBe(0)
    expect((await tool('compile', '-i', 'blank.yaml', '-o', 'again.json')).code).toBe(0)
    expect(JSON.parse(read('again.json')).steps.yes.result).toEqual(result)
  })

  test('integers beyond 2^53 are signed by their digits in all forms', async () => {
    const exact = JSON.stringify(adultCheck()).replace(/"limit":100\b/, '"limit":9007199254740993')
    give('exact.json', exact)
    expect(await tool('sign', '-k', 'private.key', '-i', 'exact.json')).toMatchObject({ code: 0, stderr: '' })
    for (const [from, to] of [
      ['exact.json', 'exact.engine'],
      ['exact.engine', 'exact.yaml'],
      ['exact.yaml', 'again.json'],
    ] as const) {
      expect((await tool('compile', '-i', from, '-o', to)).code).toBe(0)
      expect((await tool('verify', '-k', 'public.key', '-i', to)).code).toBe(0)
    }
    expect(read('again.json')).toContain('9007199254740993')
    writeFileSync(at('again.json'), read('again.json').replace('9007199254740993', '9007199254740992'))
    expect((await tool('verify', '-k', 'public.key', '-i', 'again.json')).stdout).toContain('invalid signature')
  })

  test('a signed YAML file keeps its comments; signing again replaces the signature', async () => {
    give('commented.yaml', YAML)
    for (let round = 0; round < 2; round++)
      expect((await tool('sign', '-k', 'private.key', '-i', 'commented.yaml')).code).toBe(0)
    const text = read('commented.yaml')
    expect(text).toMatch(/^# who may order\n[^]*# everybody\n_signature:\n/)
    expect(text.match(/_signature/g)).toHaveLength(1)
    expect((await tool('verify', '-k', 'public.key', '-i', 'commented.yaml')).code).toBe(0)
  })

  test('another output leaves the input alone', async () => {
    give('input.json')
    expect((await tool('sign', '-k', 'private.key', '-i', 'input.json', '-o', 'output.json')).code).toBe(0)
    expect(read('input.json')).toBe(JSON.stringify(adultCheck()))
    expect(read('output.json')).toContain('"_signature"')
  })

  test('a private key that others can read is warned of', async () => {
    give('warned.json')
    writeFileSync(at('open-private.key'), read('private.key'))
    chmodSync(at('open-private.key'), 0o644)
    const { code, stderr } = await tool('sign', '-k', 'open-private.key', '-i', 'warned.json')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: others .* chmod 600 open-private.key\n$/)])
  })

  const bad = JSON.stringify({ ...adultCheck(), config: { name: 'adult-check', entry_step: 'nope' } })
  test.each<[string, string, string[], number, RegExp]>([
    ['no options', 'sign', [], 2, /required option '-k, --private-key <file>' not specified/],
    ['an unknown option', 'verify', ['-k', 'x', '-i', 'y', '--keys', 'x'], 2, /unknown option '--keys'/],
    [
      'a file that is not there',
      'sign',
      ['-k', 'private.key', '-i', 'nope.json'],
      1,
      /nope\.json: cannot be read: it does not exist/,
    ],
    [
      'no rule file',
      'sign',
      ['-k', 'private.key', '-i', 'public.key'],
      1,
      /expected a name that ends in \.json, \.yaml/,
    ],
    ['an invalid key', 'sign', ['-k', 'good.json', '-i', 'good.json'], 1, /good\.json: the private key is not base64/],
    [
      'another form as output',
      'sign',
      ['-k', 'private.key', '-i', 'good.json', '-o', 'x.engine'],
      1,
      /`engine compile` converts/,
    ],
    [
      'a ruleset with faults',
      'sign',
      ['-k', 'private.key', '-i', 'bad.json'],
      1,
      /bad\.json:1:\d+: `\/config\/entry_step` /,
    ],
    [
      'a corrupt binary',
      'verify',
      ['-k', 'public.key', '-i', 'bad.engine'],
      1,
      /failed: it does not start with the tag/,
    ],
    [
      'a directory that cannot be made',
      'keygen',
      ['-o', '/proc/x/y'],
      1,
      /^\/proc\/x\/y: cannot be written: its folder does not exist/,
    ],
    ['a prefix with a slash', 'keygen', ['-p', 'a/b'], 1, /--prefix: a file name cannot hold/],
  ])('%s', async (_what, name, args, code, message) => {
    give('good.json')
    give('bad.json', bad)
    give('bad.engine', 'ENG')
    const result = await tool(name, ...args)
    expect([result.code, result.stdout + result.stderr]).toEqual([code, expect.stringMatching(message)])
    expectNoSecret(result)
    expect(readdirSync(scratch).filter((file) => file.includes('.tmp-'))).toEqual([])
  })
})

describe('a second implementation reads our files', () => {
  const signatureIn = (file: string) => signatureOf(JSON.parse(read(file)) as RulesetDocument) ?? expect.unreachable()

  test('openssl verifies the signature of the canonical bytes', async () => {
    const openssl = systemProgram('openssl')
    give('openssl.json')
    await tool('sign', '-k', 'private.key', '-i', 'openssl.json')
    const { public_key, signature } = signatureIn('openssl.json')
    // RFC 8410: the algorithm identifier before the raw key.
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(public_key, 'base64')])
    writeFileSync(at('public.der'), der)
    writeFileSync(at('message'), canonicalJson(JSON.parse(read('openssl.json')) as RulesetDocument))
    writeFileSync(at('signature'), Buffer.from(signature, 'base64'))
    const args = ['pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', 'public.der', '-rawin']
    const files = ['-in', 'message', '-sigfile', 'signature']
    expect(execFileSync(openssl, [...args, ...files], { cwd: scratch, encoding: 'utf8' })).toMatch(/Verified Success/)
  })

  test('Python and the zstd program read the binary', async () => {
    systemProgram('zstd')
    give('python.json')
    await tool('sign', '-k', 'private.key', '-i', 'python.json')
    await tool('compile', '-i', 'python.json', '-o', 'python.engine')
    const found = JSON.parse(
      execFileSync(systemProgram('python3'), ['-c', PYTHON, at('python.engine')], { encoding: 'utf8' }),
    ) as Record<string, unknown>
    const { public_key, signature } = signatureIn('python.json')
    expect(found).toEqual({ flags: 1, public_key, signature, ruleset: adultCheck() })
  })
})

/** Specification 8, section "Compiled binary layout", in a few lines. */
const PYTHON = `
import base64, json, struct, subprocess, sys, zlib
data = open(sys.argv[1], 'rb').read()
tag, version, flags, crc, length = struct.unpack_from('<4sBBII', data)
assert tag == b'ENGR' and version == 1
start = 14 + (96 if flags & 1 else 0)
payload = data[start:]
assert len(payload) == length and zlib.crc32(payload) == crc
text = subprocess.run(['zstd', '-dc'], input=payload, stdout=subprocess.PIPE, check=True).stdout
code = lambda part: base64.b64encode(part).decode()
print(json.dumps({'flags': flags, 'public_key': code(data[14:46]), 'signature': code(data[46:110]), 'ruleset': json.loads(text)}))
`
