import type { TrustedKeys } from '@engine/signing'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Configuration } from '../config/config.ts'
import { parseTokens, type Token } from './tokens.ts'
import { LineFileError, StartError, starting } from '@engine/process'
import { NO_MINIMUM, parseMinimumVersions, type MinimumVersions } from '../signatures/minimum-versions.ts'
import { parseTrustedKeys } from '../signatures/trusted-keys.ts'

/** A certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** The files of TLS, checked: each is what it should be, and they belong together. Undefined without the options. */
export async function readTls(
  interfaceName: 'http' | 'grpc',
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<TlsFiles | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined
  const [certOption, keyOption] = [`--${interfaceName}-tls-cert`, `--${interfaceName}-tls-key`] as const
  const cert = await starting(certOption, certFile, () => readFile(certFile, 'utf8'))
  const key = await starting(keyOption, keyFile, () => readFile(keyFile, 'utf8'))
  const certificate = parsed(certOption, certFile, 'a certificate in PEM', () => new X509Certificate(cert))
  const privateKey = parsed(keyOption, keyFile, 'a private key in PEM without a pass phrase', () =>
    createPrivateKey(key),
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new StartError(`${keyOption}: \`${keyFile}\` is not the key of the certificate \`${certFile}\``)
  return { cert, key }
}

/** The certificates of which one must have signed that of a client. Undefined without the option. */
export async function readClientCa(file: string | undefined): Promise<string | undefined> {
  const option = '--grpc-tls-client-ca'
  if (file === undefined) return undefined
  const text = await starting(option, file, () => readFile(file, 'utf8'))
  parsed(option, file, 'a certificate in PEM', () => new X509Certificate(text))
  return text
}

/** The messages of OpenSSL name functions and not what is wrong, so they only become the cause. */
function parsed<T>(option: string, file: string, expected: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new StartError(`${option}: \`${file}\` is not ${expected}`, { cause })
  }
}

/** The tokens that callers may use. Undefined without the option: no access control. */
export async function readTokens(configuration: Configuration): Promise<readonly Token[] | undefined> {
  const { apiTokensFile, multiTenancyEnabled } = configuration
  const tokens = await readList('--api-tokens-file', apiTokensFile, parseTokens)
  const bound = multiTenancyEnabled ? undefined : tokens?.find(({ tenants }) => tenants !== undefined)
  if (bound === undefined) return tokens
  throw new StartError(
    `--api-tokens-file: \`${apiTokensFile}\`: the token \`${bound.name}\` is for tenants, and --multi-tenancy-enabled is off`,
  )
}

/** The keys whose signatures count, of the list and of the file. */
export async function readTrustedKeys(configuration: Configuration): Promise<TrustedKeys> {
  const { signatureTrustedKeys, signatureTrustedKeysFile, signatureRequire } = configuration
  const option = '--signature-trusted-keys-file'
  const listed = await readList(option, signatureTrustedKeysFile, parseTrustedKeys)
  const keys = new Set([...signatureTrustedKeys, ...(listed ?? [])])
  if (signatureRequire && keys.size === 0)
    throw new StartError(
      `${option}: \`${signatureTrustedKeysFile}\`: there is no key in it, and --signature-require needs one`,
    )
  return keys
}

/** The minimum version of each ruleset. */
export async function readMinimumVersions({ signatureMinVersion }: Configuration): Promise<MinimumVersions> {
  const option = '--signature-min-version'
  return (await readList(option, signatureMinVersion, parseMinimumVersions)) ?? NO_MINIMUM
}

/** A file with one entry a line. Undefined without the option; mistakes in the file are those of the start. */
async function readList<T>(
  option: string,
  file: string | undefined,
  parse: (text: string) => T,
): Promise<T | undefined> {
  if (file === undefined) return undefined
  const text = await starting(option, file, () => readFile(file, 'utf8'))
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof LineFileError)) throw error
    throw new StartError(`${option}: \`${file}\`: ${error.message}`, { cause: error })
  }
}
