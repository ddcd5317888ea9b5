import { createHash } from 'node:crypto'
import type { Credentials } from './credentials.ts'
import type { Token } from './tokens.ts'

/** The credentials currently in effect: those of the files, and the token of the platform's proxy. */
export interface CredentialsInUse {
  readonly current: Credentials
  /** Called after the files were read again. Resolves when the new credentials are in effect. */
  replace(files: Credentials): Promise<void>
  /** Accepts this token from the platform's proxy, instead of any earlier one. */
  admitProxy(token: string): Promise<void>
}

/** @param follow puts credentials into effect */
export function createCredentialsInUse(
  initial: Credentials,
  follow: (credentials: Credentials) => Promise<void>,
): CredentialsInUse {
  let files = initial
  let proxy: Token | undefined
  // Without tokens every client is admitted, including the proxy.
  const current = (): Credentials =>
    proxy === undefined || files.tokens === undefined ? files : { ...files, tokens: [...files.tokens, proxy] }
  return {
    get current() {
      return current()
    },
    replace(now) {
      files = now
      return follow(current())
    },
    admitProxy(token) {
      proxy = { name: 'platform-proxy', scopes: PROXY_SCOPES, digest: sha256(token), tenants: undefined }
      return follow(current())
    },
  }
}

/** The proxy makes decisions for callers, and shows rulesets and filters to users who may manage the server. */
const PROXY_SCOPES = new Set(['execute', 'read'] as const)

const sha256 = (text: string) => createHash('sha256').update(text).digest()
