import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Configuration } from '../config/config.ts'
import { type Credentials, optionsOf, readCredentials, readCredentialsAgain } from './credentials.ts'

const folder = mkdtempSync(join(tmpdir(), 'engine-credentials-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tokensFile = join(folder, 'tokens')
const LINE = `ada:read:${createHash('sha256').update('x').digest('hex')}\n`
const LOG = { warn: () => {} }

const NONE: Credentials = { httpTls: undefined, grpcTls: undefined, tokens: undefined, receiptsKey: undefined }
const TLS = { cert: Buffer.alloc(0), key: Buffer.alloc(0) } as unknown as NonNullable<Credentials['httpTls']>

test.each<[what: string, credentials: Partial<Credentials>, options: readonly string[]]>([
  ['nothing', {}, []],
  ['tokens', { tokens: [] }, ['--api-tokens-file']],
  ['a key of receipts', { receiptsKey: 'k' }, ['--receipts-key']],
  ['a certificate for HTTP', { httpTls: TLS }, ['--http-tls-cert', '--http-tls-key']],
  ['one for gRPC', { grpcTls: { ...TLS, clientCa: undefined } }, ['--grpc-tls-cert', '--grpc-tls-key']],
  [
    'one for gRPC and those of clients',
    { grpcTls: { ...TLS, clientCa: 'ca' } },
    ['--grpc-tls-cert', '--grpc-tls-key', '--grpc-tls-client-ca'],
  ],
])('the options of %s', (_what, credentials, options) => {
  expect(optionsOf({ ...NONE, ...credentials })).toEqual(options)
})

describe('credentials are read again', () => {
  const again = (more: Partial<Configuration>) =>
    readCredentialsAgain({ receipts: 'off', ...more } as Configuration, LOG)

  test('from the tokens file, which may have changed', async () => {
    writeFileSync(tokensFile, LINE)
    const configuration = { receipts: 'off', apiTokensFile: tokensFile } as Configuration
    expect((await readCredentials(configuration, LOG)).tokens?.map(({ name }) => name)).toEqual(['ada'])
    writeFileSync(tokensFile, LINE.replace('ada', 'bob'))
    const found = await again({ apiTokensFile: tokensFile })
    expect([found.tokens?.map(({ name }) => name), found.httpTls, found.grpcTls]).toEqual([
      ['bob'],
      undefined,
      undefined,
    ])
  })

  test.each(['httpTlsCert', 'httpTlsKey', 'grpcTlsCert', 'grpcTlsKey', 'grpcTlsClientCa', 'apiTokensFile'] as const)(
    'from regular files alone: %s',
    async (option) => {
      await expect(again({ [option]: folder })).rejects.toThrow('is not a regular file: it cannot be read again')
    },
  )

  test('without the key of receipts where none are kept', async () => {
    expect((await again({ receiptsKey: folder })).receiptsKey).toBeUndefined()
    const kept = { receipts: 'all', receiptsKey: folder } as unknown as Partial<Configuration>
    await expect(again(kept)).rejects.toThrow('--receipts-key')
  })
})
