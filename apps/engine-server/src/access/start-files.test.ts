import { generateKeys } from '@engine/signing'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfiguration, type Configuration } from '../config/config.ts'
import { readMinimumVersions, readTokens, readTrustedKeys } from './start-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-start-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function file(name: string, text?: string): string {
  const path = join(directory, name)
  if (text !== undefined) writeFileSync(path, text)
  return path
}

function configuration(...args: string[]): Configuration {
  const request = readConfiguration(args, {})
  if (request.kind === 'end') throw new Error(request.output)
  return request.configuration
}

const tokens = (text: string) => readTokens(configuration('--api-tokens-file', file('tokens', text)))

describe('trusted keys', () => {
  const key = generateKeys().publicKey
  const other = generateKeys().publicKey

  test('come from the list and from the file', async () => {
    const options = [
      '--signature-trusted-keys',
      key,
      '--signature-trusted-keys-file',
      // With what some editors put before the first line.
      file('keys', `\uFEFF# ours\r\n\r\n ${other} \r\n  # next\n`),
    ]
    expect(await readTrustedKeys(configuration(...options))).toEqual(new Set([key, other]))
    expect(await readTrustedKeys(configuration())).toEqual(new Set())
  })

  test.each([
    ['x\n', 'line 1: the public key is not base64'],
    [`# ok\n${key}\nAAAA\n`, 'line 3: the public key is 3 bytes long instead of 32'],
    [
      `nope!\n${key}\nAAAA\n`,
      'line 1: the public key is not base64; line 3: the public key is 3 bytes long instead of 32',
    ],
    ['# nothing\n', 'there is no key in it, and --signature-require needs one'],
  ])('a file with %j is refused', async (text, message) => {
    const options = ['--signature-enabled', '--signature-require', '--signature-trusted-keys-file', file('keys', text)]
    await expect(readTrustedKeys(configuration(...options))).rejects.toThrow(
      `--signature-trusted-keys-file: \`${directory}/keys\`: ${message}`,
    )
  })

  test('an invalid key in the list aborts the start with the options', () => {
    expect(() => configuration('--signature-trusted-keys', `${key},nope!`)).toThrow(
      'key 2: the public key is not base64',
    )
  })
})

describe('minimum versions', () => {
  test.each([
    ['limit 1.0.0 beta\n', 'line 1: expected `<ruleset> <version>` such as `credit-limit 2.1.0`'],
    ['# x\nlimit one\n', 'line 2: expected `<ruleset> <version>`'],
    ['limit 1.0.0\nlimit 2.0.0\n', 'line 2: `limit` is given twice'],
  ])('a file with %j is refused', async (text, message) => {
    const options = ['--signature-enabled', '--signature-min-version', file('least', text)]
    await expect(readMinimumVersions(configuration(...options))).rejects.toThrow(message)
  })

  test('apply to the named rulesets', async () => {
    const options = ['--signature-enabled', '--signature-min-version', file('least', 'limit 1.2.0\n')]
    const least = await readMinimumVersions(configuration(...options))
    expect(['1.1.9', '1.2.0', '1.10.0'].map((version) => least.refuse('limit', version) === undefined)).toEqual([
      false,
      true,
      true,
    ])
    expect(least.refuse('other', '0.0.1')).toBeUndefined()
  })
})

describe('tokens', () => {
  const digest = createHash('sha256').update('secret').digest('hex')

  test('are disabled without the option', async () => {
    expect(await readTokens(configuration())).toBeUndefined()
  })

  test('are read from the file', async () => {
    expect(await tokens(`# comment\nada:read,execute:${digest}\n`)).toMatchObject([{ name: 'ada' }])
  })

  test.each([
    ['', '--api-tokens-file: `DIR/tokens`: it contains no token'],
    ['ada:dance:00', '--api-tokens-file: `DIR/tokens`: line 1: `dance` is not a scope'],
  ])('a file with %j is refused', async (text, message) => {
    await expect(tokens(text)).rejects.toThrow(message.replaceAll('DIR', directory))
  })

  test('a missing file is refused', async () => {
    await expect(readTokens(configuration('--api-tokens-file', '/nowhere'))).rejects.toThrow(
      '--api-tokens-file: cannot use `/nowhere`: no such file or directory',
    )
  })
})
