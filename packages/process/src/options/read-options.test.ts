import { expect, test } from 'vitest'
import type { Environment } from './environment.ts'
import type { Option, OptionProgram } from './option.ts'
import { optionsPage } from './page.testing.ts'
import { readOptions } from './read-options.ts'
import { address, type Address, integer, oneOf, path, socketPath, truth, webAddress } from './value.ts'

const option = <T>(row: Option<T>): Option<T> => row

const OPTIONS = {
  addr: option<Address | undefined>({
    flag: '--addr',
    value: '<host:port>',
    env: 'SHOP_ADDR',
    initial: undefined,
    parse: address,
    meaning: 'where it listens',
  }),
  retries: option<number>({
    flag: '--retries',
    short: '-r',
    value: '<n>',
    env: 'SHOP_RETRIES',
    initial: 3,
    parse: integer(0, 9),
    meaning: 'attempts after the first',
  }),
  mode: option<'fast' | 'safe'>({
    flag: '--mode',
    value: '<mode>',
    initial: 'safe',
    parse: oneOf('fast', 'safe'),
    meaning: '`fast` or `safe`',
  }),
  dryRun: option<boolean>({
    flag: '--dry-run',
    env: 'SHOP_DRY_RUN',
    initial: false,
    protects: true,
    parse: truth,
    meaning: 'sell nothing',
  }),
} as const

const SHOP: OptionProgram<typeof OPTIONS> = {
  name: 'shop',
  description: 'Sells.',
  version: '1.2.3',
  options: OPTIONS,
  combinations: [
    {
      flag: '--dry-run',
      wrong: ({ dryRun }, given) => dryRun && given('retries'),
      reason: 'contradicts --retries: nothing is tried',
    },
    {
      flag: '--retries',
      wrong: ({ retries }, given) => retries === 0 && given('dryRun'),
      reason: 'has no effect with --dry-run',
      isHarmless: true,
    },
    {
      flag: '--mode',
      wrong: ({ mode }, _, flag) => mode === 'fast' && flag('mode') && flag('addr'),
      reason: 'contradicts --addr on the command line',
    },
  ],
  envPrefix: 'SHOP_',
  ownVariables: ['SHOP_CHILD'],
}

const read = (args: string, env: Environment = {}) => readOptions(SHOP, args.split(' ').filter(Boolean), env)

test('the values of a table have its types; a flag wins over the environment, that over the default', () => {
  const found = read('-r 5 --mode fast', { SHOP_RETRIES: '7', SHOP_ADDR: '[::1]:80', SHOP_DRY_RUN: '' })
  if (found.kind === 'end') throw new Error(found.output)
  const {
    addr,
    retries,
    mode,
    dryRun,
  }: { addr?: Address | undefined; retries: number; mode: string; dryRun: boolean } = found.values
  expect({ addr, retries, mode, dryRun }).toEqual({
    addr: { host: '::1', port: 80 },
    retries: 5,
    mode: 'fast',
    dryRun: false,
  })
  expect([found.isFlag('retries'), found.isFlag('addr'), found.warnings]).toEqual([true, false, []])
})

test('all errors are reported together, under the name of the program', () => {
  expect(read('--retrys 1 --mode slow --dry-run --retries 3', { SHOP_ADDR: 'a b' })).toEqual({
    kind: 'end',
    code: 2,
    output: [
      'error: unknown option --retrys: did you mean --retries?',
      'error: environment variable SHOP_ADDR: `a b` is not an address such as `127.0.0.1:8080`, `:8080` or `[::1]:8080`',
      'error: option --mode: `slow` is not one of `fast`, `safe`',
      'error: option --dry-run: contradicts --retries: nothing is tried',
      'See `shop --help`.',
      '',
    ].join('\n'),
  })
  expect(read('--mode fast --addr :1')).toMatchObject({
    output: 'error: option --mode: contradicts --addr on the command line\nSee `shop --help`.\n',
  })
  expect(read('--mode fast', { SHOP_ADDR: ':1' })).toMatchObject({ kind: 'values' })
})

test('unknown variables with the prefix of the program cause a warning, those of services and its own do not', () => {
  const env = {
    SHOP_RETRYS: '1',
    SHOP_CHILD: '1',
    SHOP_SERVICE_HOST: '10.0.0.1',
    SHOP_PORT_80_TCP: 'tcp://10.0.0.1:80',
    SHOP_PORT: 'tcp://10.0.0.1:80',
    ENGINE_ROLE: 'writer',
  }
  expect(read('', env)).toMatchObject({
    warnings: ['the environment variable SHOP_RETRYS is not an option: did you mean SHOP_RETRIES?'],
  })
})

test('an option without effect is a warning; a misspelt variable of a protective option is a mistake', () => {
  expect(read('--retries 0', { SHOP_DRY_RUN: 'false' })).toMatchObject({
    kind: 'values',
    warnings: ['option --retries: has no effect with --dry-run'],
  })
  expect(read('', { SHOP_DRYRUN: 'true' })).toMatchObject({
    kind: 'end',
    output:
      'error: the environment variable SHOP_DRYRUN is not an option: did you mean SHOP_DRY_RUN?\nSee `shop --help`.\n',
  })
  expect(read('', { SHOP_DRYRUN: '' })).toMatchObject({ kind: 'values' })
})

test('--version and --help are of the program', () => {
  expect(read('--version')).toEqual({ kind: 'end', code: 0, output: '1.2.3\n' })
  const help = read('--help')
  const text = help.kind === 'end' ? help.output.replaceAll(/\s+/g, ' ') : ''
  expect(text).toContain('Usage: shop [options] Sells.')
  expect(text).toContain('-r, --retries <n> attempts after the first (SHOP_RETRIES, default: 3)')
  expect(text).toContain('--dry-run [true|false] sell nothing (SHOP_DRY_RUN, default: false)')
})

test('the page of the docs leaves out what a program does not have', () => {
  const texts = { origin: 'Made here.', switch: '--dry-run', seeAlso: 'That is all.' } as const
  const page = optionsPage(SHOP, texts)
  expect(page).toContain('| `-r`, `--retries` `<n>` | `SHOP_RETRIES` | 3 | attempts after the first |')
  expect(page).toContain('- `--dry-run`: contradicts `--retries`: nothing is tried')
  const plain = optionsPage({ ...SHOP, combinations: [] }, texts)
  expect(plain).not.toMatch(/refused/)
  expect(page).toContain('## Options without effect')
  expect(plain).not.toContain('without effect')
  expect(plain).toMatch(/named in the log with the nearest one.*`--dry-run`.*\n.*\n\nThat is all\.\n$/)
})

test.each<[parse: (text: string) => unknown, text: string, value: unknown]>([
  [path, '/a b', '/a b'],
  [socketPath, `/${'s'.repeat(106)}`, `/${'s'.repeat(106)}`],
  [webAddress, 'https://a.example/', 'https://a.example'],
  [integer(-1, 9), '-1', -1],
  [integer(-1, 9), '+9', 9],
  [address, '*:1', { host: undefined, port: 1 }],
])('%o reads %j as %j', (parse, text, value) => expect(parse(text)).toEqual(value))

test.each<[parse: (text: string) => unknown, text: string, message: string]>([
  [path, 'a\0b', '`aU+0000b` is not a path'],
  [socketPath, `/${'s'.repeat(107)}`, 'is not a socket path of at most 107 bytes'],
  [webAddress, 'ftp://a.example', '`ftp://a.example` is not a URL'],
  [integer(0, 9), '10', '`10` is not a whole number from 0 to 9'],
  [integer(0, 9), '-1', '`-1` is not a whole number from 0 to 9'],
  [integer(0, 9), '1.0', '`1.0` is not a whole number from 0 to 9'],
])('%o refuses %j: %s', (parse, text, message) => expect(() => parse(text)).toThrow(message))
