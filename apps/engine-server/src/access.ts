import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { EngineError, quoted } from './errors.ts'
import { LineFileError, readLines } from './line-file.ts'
import { DEFAULT_TENANT, refuseTenantId } from './tenants/tenant.ts'

/** What a token may be good for. `admin` includes the others. */
export const SCOPES = ['read', 'execute', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** One line of the tokens file. */
export interface Token {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** SHA-256 of the token. */
  readonly digest: Buffer
  /** The only tenants it is good for; undefined: all of them, and the server as a whole. */
  readonly tenants: ReadonlySet<string> | undefined
}

/**
 * Read a tokens file: `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]` a line, `#` begins a comment line. The file
 * holds no token, only digests in hexadecimal. Throws `LineFileError`.
 */
export function parseTokens(text: string): readonly Token[] {
  const tokens = new Map<string, Token>()
  readLines(text, (line) => {
    const token = parseLine(line)
    if (typeof token === 'string') return token
    if (tokens.has(token.name)) return `the name ${quoted(token.name)} is given twice`
    tokens.set(token.name, token)
    return undefined
  })
  if (tokens.size === 0) throw new LineFileError('there is no token in it, so nobody could do anything')
  return [...tokens.values()]
}

/** A token, or what is wrong with its line. The digest is never repeated in a message. */
function parseLine(line: string): Token | string {
  const parts = line.split(':').map((part) => part.trim())
  const [name = '', scopeList = '', digest = '', tenantList] = parts
  if (parts.length < 3 || parts.length > 4) return 'expected `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]`'
  if (!/^[\w.-]{1,64}$/.test(name))
    return `${quoted(name)} is not a name of 1 to 64 letters, digits, \`.\`, \`_\`, \`-\``
  const scopes = scopeList.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope))
  if (unknown !== undefined) return `${quoted(unknown)} is not a scope: expected ${SCOPES.map(quoted).join(', ')}`
  if (!/^[0-9a-f]{64}$/i.test(digest)) return 'the third part must be the SHA-256 of the token, 64 hexadecimal digits'
  const tenants = tenantList?.split(',').map((tenant) => tenant.trim())
  const stranger = tenants?.find((tenant) => refuseTenantId(tenant) !== undefined)
  if (stranger !== undefined) return `${quoted(stranger)} is not the id of a tenant`
  return {
    name,
    scopes: new Set(scopes as Scope[]),
    digest: Buffer.from(digest, 'hex'),
    tenants: tenants === undefined ? undefined : new Set(tenants),
  }
}

/**
 * Decides whether a request may do what it asks for. Undefined as its result: it may.
 *
 * @param tenant whose rulesets it asks for; `WHOLE_SERVER`: it asks the server as a whole
 */
export type Admit = (
  headers: IncomingHttpHeaders,
  scope: Scope,
  tenant: string | typeof WHOLE_SERVER | undefined,
) => EngineError | undefined

/** In place of a tenant: a request about none. */
export const WHOLE_SERVER = Symbol('the whole server')

/** The tenant that a request names; an empty header names none. */
export function tenantOf(headers: IncomingHttpHeaders): string | undefined {
  const tenant = headers['x-tenant-id']
  return typeof tenant === 'string' && tenant !== '' ? tenant : undefined
}

/** Admission by bearer token: `Authorization: Bearer …` or `x-api-key: …`. */
export function admitByToken(tokens: readonly Token[]): Admit {
  return (headers, scope, tenant) => {
    const given = tokenOf(headers)
    if (given === undefined)
      return new EngineError('unauthorized', 'a token is needed: send `authorization: Bearer <token>` or `x-api-key`')
    const token = find(tokens, given)
    if (token === undefined) return new EngineError('unauthorized', 'the token is not known here')
    if (!token.scopes.has(scope) && !token.scopes.has('admin'))
      return new EngineError('forbidden', `the token ${quoted(token.name)} does not have the scope \`${scope}\``)
    if (token.tenants === undefined) return undefined
    if (tenant === WHOLE_SERVER)
      return new EngineError('forbidden', `the token ${quoted(token.name)} is only for tenants, not for the server`)
    const wanted = tenant ?? DEFAULT_TENANT
    if (token.tenants.has(wanted)) return undefined
    return new EngineError('forbidden', `the token ${quoted(token.name)} is not for the tenant ${quoted(wanted)}`)
  }
}

/** Every token is compared, in constant time each, so that the time taken tells nothing about any of them. */
function find(tokens: readonly Token[], given: string): Token | undefined {
  const digest = createHash('sha256').update(given).digest()
  let found: Token | undefined
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token
  return found
}

function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}
