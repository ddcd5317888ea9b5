import { starting, StartError } from '@engine/process'
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** The same with the certificates of authorities of which one must have signed that of a client; undefined: clients need none. */
export interface MutualTls extends TlsFiles {
  readonly clientCa?: string | undefined
}

/**
 * The files of TLS, checked: each is what it should be, and they belong together. Undefined without the options.
 *
 * @param interfaceName of which the options are `--NAME-tls-cert` and `--NAME-tls-key`, for messages
 */
export async function readTls(
  interfaceName: string,
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

/**
 * Why clients will refuse the certificate of a server; undefined: as far as its time goes they will not.
 *
 * @param now epoch milliseconds
 */
export function validityFault({ cert }: TlsFiles, now: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(cert)
  if (now > validToDate.getTime()) return `it expired at ${validToDate.toISOString()}`
  return now < validFromDate.getTime() ? `it is valid from ${validFromDate.toISOString()}` : undefined
}

/**
 * The certificates of authorities of which one must have signed that of a client. Undefined without the option.
 *
 * @param option for messages
 */
export async function readClientCa(option: string, file: string | undefined): Promise<string | undefined> {
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
