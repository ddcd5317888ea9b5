import { stat } from 'node:fs/promises'
import type { Token } from './tokens.ts'
import type { Configuration } from '../config/config.ts'
import { OPTIONS } from '../config/options.ts'
import { type Log, StartError, starting } from '@engine/process'
import { readClientCa, readTls, type TlsFiles, validityFault } from '@engine/http-server'
import { readReceiptsKey, readTokens } from './start-files.ts'

/** Tokens, certificates and the key of receipts, reloaded at SIGHUP. */
export interface Credentials {
  readonly httpTls: TlsFiles | undefined
  readonly grpcTls: (TlsFiles & { readonly clientCa: string | undefined }) | undefined
  /** Undefined if authentication is disabled. */
  readonly tokens: readonly Token[] | undefined
  /** The private key of receipts, as text of its file; undefined if no receipts are kept. */
  readonly receiptsKey: string | undefined
}

/**
 * Reads the files of all credential options, and warns of certificates that clients will refuse. Throws `StartError` if
 * a file cannot be used.
 */
export async function readCredentials(configuration: Configuration, log: Pick<Log, 'warn'>): Promise<Credentials> {
  const { httpTlsCert, httpTlsKey, grpcTlsCert, grpcTlsKey, grpcTlsClientCa } = configuration
  const grpcTls = await readTls('grpc', grpcTlsCert, grpcTlsKey)
  const clientCa = await readClientCa(OPTIONS.grpcTlsClientCa.flag, grpcTlsClientCa)
  const httpTls = await readTls('http', httpTlsCert, httpTlsKey)
  for (const [{ flag }, tls] of [
    [OPTIONS.httpTlsCert, httpTls],
    [OPTIONS.grpcTlsCert, grpcTls],
  ] as const) {
    const reason = tls === undefined ? undefined : validityFault(tls, Date.now())
    if (reason !== undefined) log.warn({ option: flag, reason }, 'clients will refuse a certificate')
  }
  return {
    httpTls,
    grpcTls: grpcTls === undefined ? undefined : { ...grpcTls, clientCa },
    tokens: await readTokens(configuration),
    receiptsKey: await readReceiptsKey(configuration),
  }
}

/**
 * Reads the credentials again while the server runs. A pipe is rejected, although it is permitted at start: it cannot
 * be read a second time, and opening it could block forever.
 */
export async function readCredentialsAgain(configuration: Configuration, log: Pick<Log, 'warn'>): Promise<Credentials> {
  for (const key of FILES) {
    const { flag } = OPTIONS[key]
    const file = configuration[key]
    if (file === undefined || (key === 'receiptsKey' && configuration.receipts === 'off')) continue
    const status = await starting(flag, file, () => stat(file))
    if (!status.isFile()) throw new StartError(`${flag}: \`${file}\` is not a regular file: it cannot be read again`)
  }
  return readCredentials(configuration, log)
}

const FILES = [
  'httpTlsCert',
  'httpTlsKey',
  'grpcTlsCert',
  'grpcTlsKey',
  'grpcTlsClientCa',
  'apiTokensFile',
  'receiptsKey',
] as const

/** The options that name the files of these credentials. */
export function optionsOf({ httpTls, grpcTls, tokens, receiptsKey }: Credentials): readonly string[] {
  return [
    ...(httpTls === undefined ? [] : ['--http-tls-cert', '--http-tls-key']),
    ...(grpcTls === undefined ? [] : ['--grpc-tls-cert', '--grpc-tls-key']),
    ...(grpcTls?.clientCa === undefined ? [] : ['--grpc-tls-client-ca']),
    ...(tokens === undefined ? [] : ['--api-tokens-file']),
    ...(receiptsKey === undefined ? [] : ['--receipts-key']),
  ]
}
