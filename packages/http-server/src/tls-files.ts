import { readStartFile, StartError } from '@engine/process'
import { X509Certificate, createPrivateKey } from 'node:crypto'

/** A certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** Additionally the CA certificates for client certificates; undefined: clients need none. */
export interface MutualTls extends TlsFiles {
  readonly clientCa?: string | undefined
}

/**
 * Reads and validates the TLS files: their format, and that they match. Undefined if the options are not set.
 *
 * @param interfaceName determines the options `--NAME-tls-cert` and `--NAME-tls-key`, for messages
 */
export async function readTls(
  interfaceName: string,
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<TlsFiles | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined
  const [certOption, keyOption] = [`--${interfaceName}-tls-cert`, `--${interfaceName}-tls-key`] as const
  const cert = (await readStartFile(certOption, certFile)).toString()
  const key = (await readStartFile(keyOption, keyFile)).toString()
  const certificate = parsed(certOption, certFile, 'a certificate in PEM', () => new X509Certificate(cert))
  const privateKey = parsed(keyOption, keyFile, 'a private key in PEM without a pass phrase', () =>
    createPrivateKey(key),
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new StartError(`${keyOption}: \`${keyFile}\` is not the key of the certificate \`${certFile}\``)
  return { cert, key }
}

/**
 * Why the certificate of a server is currently invalid; undefined if it is valid.
 *
 * @param now epoch milliseconds
 */
export function validityFault({ cert }: TlsFiles, now: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(cert)
  if (now > validToDate.getTime()) return `it expired at ${validToDate.toISOString()}`
  return now < validFromDate.getTime() ? `it is valid from ${validFromDate.toISOString()}` : undefined
}

/**
 * The CA certificates for client certificates. Undefined if the option is not set.
 *
 * @param option for messages
 */
export async function readClientCa(option: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const text = (await readStartFile(option, file)).toString()
  parsed(option, file, 'a certificate in PEM', () => new X509Certificate(text))
  return text
}

/** OpenSSL messages name internal functions instead of the error, so they only become the cause. */
function parsed<T>(option: string, file: string, expected: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new StartError(`${option}: \`${file}\` is not ${expected}`, { cause })
  }
}
