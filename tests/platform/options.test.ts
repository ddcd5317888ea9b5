import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { OPTIONS as ENGINE_OPTIONS } from '../../apps/engine-server/src/config/options.ts'
import { PLATFORM_VARIABLES } from '../../apps/engine-server/src/config/platform-variables.ts'
import { ENGINE_VARIABLES } from '../../apps/platform-server/src/config/engine-variables.ts'
import { PROGRAM, readConfiguration } from '../../apps/platform-server/src/config/config.ts'
import { OPTIONS } from '../../apps/platform-server/src/config/options.ts'
import type { Option } from '../../packages/process/src/options/option.ts'
import { optionsPage } from '../../packages/process/src/options/page.testing.ts'
import { ROOT } from '../docs/page.testing.ts'
import { migratedDataDirectory } from './databases.testing.ts'

const PAGE = join(ROOT, 'docs/platform/configuration.md')

test('docs/platform/configuration.md lists exactly the options of the program', () => {
  const page = optionsPage(PROGRAM, {
    origin:
      'The options of `engine-platform`. `apps/platform-server/src/config/options.ts` is their source; a test holds this page to\n' +
      'it (`UPDATE=1 npx vitest run tests/platform/options.test.ts` rewrites it).',
    switch: '--allow-registration',
    seeAlso:
      'Their use: [operation.md](operation.md). Variables of OpenTelemetry for traces: [monitoring](../monitoring.md#traces).',
  })
  if (process.env['UPDATE'] === '1') writeFileSync(PAGE, page)
  expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').toBe(page)
})

test('every option has a variable of its flag', () => {
  for (const { flag, env } of Object.values<Option<unknown>>(OPTIONS))
    expect(env).toBe(`ENGINE_PLATFORM_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`)
})

const variablesOf = (options: object) =>
  Object.values<Option<unknown>>(options as never).flatMap(({ env }) => env ?? [])
const inOrder = (names: readonly string[]) => names.toSorted((one, next) => (one < next ? -1 : 1))

test('engine and platform may share an environment: each knows the variables of the other', () => {
  const ofPlatform = variablesOf(OPTIONS)
  expect(inOrder(PLATFORM_VARIABLES)).toEqual(inOrder([...ofPlatform, 'ENGINE_PLATFORM_CONFIG']))
  const ofEngine = variablesOf(ENGINE_OPTIONS)
  expect(inOrder(ENGINE_VARIABLES)).toEqual(inOrder(ofEngine.filter((name) => name.startsWith('ENGINE_PLATFORM_'))))
  // The heartbeats of the engine, which the platform accepts.
  const both = ofEngine.filter((name) => ofPlatform.includes(name))
  expect(both).toEqual(['ENGINE_PLATFORM_REGISTRATION_SECRET'])
  const environment = {
    ENGINE_PLATFORM_PUBLIC_URL: 'http://localhost:3001',
    ENGINE_PLATFORM_URL: 'http://localhost:3001',
  }
  expect(readConfiguration([], environment)).toMatchObject({ kind: 'run', warnings: [] })
  const strange = { ENGINE_PLATFORM_PUBLIC_ULR: 'x' }
  const named = expect.stringContaining('did you mean ENGINE_PLATFORM_PUBLIC_URL?')
  expect(readConfiguration([], strange)).toMatchObject({ kind: 'run', warnings: [named] })
})

const configurationOf = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const read = readConfiguration(args, env)
  if (read.kind === 'end') throw new Error(read.output)
  return read.configuration
}

describe('listening addresses', () => {
  test.each([
    [[], {}, { host: undefined, port: 3001 }],
    [['--http-addr', '127.0.0.1:4000'], {}, { host: '127.0.0.1', port: 4000 }],
    [['-p', '4001'], { ENGINE_PLATFORM_HTTP_ADDR: '127.0.0.1:4000' }, { host: '127.0.0.1', port: 4001 }],
    [[], { ENGINE_PLATFORM_PORT: '4002' }, { host: undefined, port: 4002 }],
    [['--http-addr', '127.0.0.1:4000'], { ENGINE_PLATFORM_PORT: '4002' }, { host: '127.0.0.1', port: 4000 }],
  ])('%j %j', (args, env, expected) => {
    expect(configurationOf(args, env).http).toEqual(expected)
  })
})

test('email addresses are stored in lower case, origins and paths without a trailing slash', () => {
  const { adminEmail, publicUrl, basePath } = configurationOf(
    '--admin-email Admin@Example.com --public-url https://platform.example/ --base-path /a/b/'.split(' '),
  )
  expect([adminEmail, publicUrl, basePath]).toEqual(['admin@example.com', 'https://platform.example', '/a/b'])
})

describe('mistakes', () => {
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [['--public-url', 'platform.example'], /without a path/],
    [['--public-url', 'https://platform.example/x'], /without a path \(--base-path\)/],
    [['--public-url', 'ftp://platform.example'], /without a path/],
    [['--base-path', 'x'], /such as `\/platform`/],
    [['--base-path', '/a/../b c'], /such as `\/platform`/],
    [['--admin-email', 'nobody'], /such as `admin@example.com`/],
    [['--smtp-url', 'smtp://mail.example'], /--smtp-url: it needs --smtp-from/],
    [['--smtp-from', 'a@b.example'], /--smtp-from: it needs --smtp-url/],
    [['--oidc-issuer', 'https://id.example'], /it needs --oidc-client-id[^]*it needs --oidc-client-secret-file/],
    [['--http-tls-cert', 'x'], /it needs --http-tls-key/],
    [['--http-addr', ':4000', '--port', '4001'], /--http-addr names another port/],
    [['--registration-secret', 'x'], /expected one secret or two/],
    [['--max-streams-per-caller', '0'], /is not a whole number from 1/],
    [['--webhook-allow', 'https://x'], /is no host pattern/],
    [['--heartbeat-interval-secs', '0'], /is not a whole number from 1 to 3600/],
    [['--rate-limit', '-1'], /from 0/],
    [['--trusted-proxies', '10.0.0.0/8,proxy'], /addresses and subnets/],
  ]
  test.each(rows)('%j', (args, message) => {
    const read = readConfiguration(args, {})
    expect(read).toMatchObject({ kind: 'end', code: 2, output: expect.stringMatching(message) })
  })

  test.each([
    ['--database-url', 'mysql://root:secret@host/db'],
    ['--smtp-url', 'http://user:secret@host'],
  ])('%s: a password is not repeated', (flag, value) => {
    const read = readConfiguration([flag, value], {})
    expect(read.kind === 'end' ? read.output : '').toContain(flag)
    expect(JSON.stringify(read)).not.toContain('secret')
  })
})

describe('the program', () => {
  const run = async (...args: readonly string[]) => {
    const program = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...args])
      return { code: 0, stdout, stderr }
    } catch (error) {
      return error as { readonly code: number; readonly stdout: string; readonly stderr: string }
    }
  }

  test('ends with 0 after --help, with 2 after a mistake, with 1 where it cannot start', async () => {
    const [help, mistake, start] = await Promise.all([
      run('--help'),
      run('serve', '--prot', '1'),
      run('--database-url', 'postgres://127.0.0.1:1/none', '--log-level', 'error'),
    ])
    expect([help.code, mistake.code, start.code]).toEqual([0, 2, 1])
    expect(help.stdout).toContain('--public-url')
    expect(mistake.stderr).toContain('did you mean --port?')
    expect(start.stderr).toMatch(/^error: --database-url/)
  })

  test('makes a link for an administrator, on standard output alone', async () => {
    const directory = await migratedDataDirectory()
    const made = await run('create-admin', '--email', 'Ann@example.com', '--data-dir', directory, '-p', '4000')
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/localhost:4000\/sign-in#token=eng_otl_[\w-]{43}\n$/),
    })
    expect(await run('create-admin')).toMatchObject({ code: 2, stderr: expect.stringContaining('--email is missing') })
  })
})
