import { readFileSync } from 'node:fs'
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { type Authenticator, credsAuthenticator, nkeyAuthenticator, type TlsOptions } from '@nats-io/transport-node'

/** Files that authenticate an instance. They are read for each connection, so that they can be rotated. */
export interface IdentityFiles {
  /** `.creds`: a JWT and the seed of its key. */
  readonly credentials: string | undefined
  /** The seed of an nkey of a user. */
  readonly nkey: string | undefined
  /** PEM, with the certificate and its key. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | undefined
}

/** The content of a file does not match its option. The message states the reason and contains nothing of the file. */
export class BadIdentity extends Error {}

/** Reads and validates the current file. Throws `BadIdentity` or the system's error. */
export function checkCredentials(file: string): void {
  check(credsAuthenticator(readFileSync(file)), 'a credentials file of NATS: a JWT and a seed between lines of dashes')
}

/** See `checkCredentials`; for the seed of an nkey. */
export function checkNkey(file: string): void {
  check(nkeyAuthenticator(seedIn(file)), 'the seed of an nkey, which begins with `SU`')
}

function check(authenticator: Authenticator, expected: string): void {
  try {
    authenticator('nonce')
  } catch (cause) {
    throw new BadIdentity(`it must be ${expected}`, { cause })
  }
}

function seedIn(file: string): Uint8Array {
  const [seed = ''] = /^SU[A-Z2-7]{56}$/m.exec(readFileSync(file, 'latin1')) ?? []
  return Buffer.from(seed)
}

/** Authenticates each connection attempt; undefined: by a user in the address, or not at all. */
export function authenticatorOf({ credentials, nkey }: IdentityFiles): Authenticator | undefined {
  if (credentials !== undefined) return renewed(() => credsAuthenticator(readFileSync(credentials)))
  if (nkey !== undefined) return renewed(() => nkeyAuthenticator(seedIn(nkey)))
  return undefined
}

/** While a file is replaced, it may be missing or incomplete: the last valid content is used. */
function renewed(read: () => Authenticator): Authenticator {
  let last = read()
  return (nonce) => {
    try {
      const next = read()
      const answer = next(nonce)
      last = next
      return answer
    } catch {
      return last(nonce)
    }
  }
}

/** Connection data for TLS: the dialled name, and the underlying socket. */
export interface Dialled {
  readonly servername?: string | undefined
  readonly socket?: Pick<Socket, 'remoteAddress'> | undefined
}

/** @param isFirst the broker starts TLS before its first message (`handshake_first`) */
export function tlsOf({ certificate }: IdentityFiles, isFirst: boolean): TlsOptions {
  // Node calls the check as a method of the connection options, which alone have the dialled name.
  const own = {
    handshakeFirst: isFirst,
    checkServerIdentity(this: Dialled | undefined, host: string, peer: PeerCertificate) {
      return checkDialled(this, host, peer)
    },
  }
  return { ...certificate, ...own }
}

/**
 * Checks a certificate against the name or address that was dialled. The client gives TLS no name where it dials an
 * address, and TLS would then check against `localhost`.
 *
 * @internal
 */
export function checkDialled(
  { servername: name = '', socket }: Dialled = {},
  host: string,
  certificate: PeerCertificate,
): Error | undefined {
  if (name !== '') return checkServerIdentity(name, certificate)
  const address = socket?.remoteAddress ?? host
  return checkServerIdentity(isIP(address) === 0 ? host : address.replace(/^::ffff:(?=[\d.]+$)/, ''), certificate)
}
