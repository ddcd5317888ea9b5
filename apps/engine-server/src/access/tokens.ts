import { hash, timingSafeEqual } from 'node:crypto'
import { EngineError, quoted } from '../errors.ts'
import { LineFileError, readLines } from '@engine/process'
import { DEFAULT_TENANT, refuseTenantId } from '../store/tenant-id.ts'

/** The scopes of tokens. `admin` includes the others. */
export const SCOPES = ['read', 'execute', 'trace', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** One line of the tokens file. */
export interface Token {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** SHA-256 of the token. */
  readonly digest: Buffer
  /** The tenants for which it is valid; undefined: all of them, and the server as a whole. */
  readonly tenants: ReadonlySet<string> | undefined
}

/**
 * Parses a tokens file with `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]` per line; `#` begins a comment line.
 * The file contains no tokens, only their digests in hexadecimal. Throws `LineFileError`.
 */
export function parseTokens(text: string): readonly Token[] {
  const tokens = new Map<string, Token>()
  readLines(text, (line) => {
    const token = parseLine(line)
    if (typeof token === 'string') return token
    if (tokens.has(token.name)) return `the name ${quoted(token.name)} is used twice`
    tokens.set(token.name, token)
    return undefined
  })
  if (tokens.size === 0) throw new LineFileError('it contains no token, so every request would be refused')
  return [...tokens.values()]
}

/** Parses a token; returns the error in its line otherwise. No message repeats the digest. */
function parseLine(line: string): Token | string {
  const parts = line.split(':').map((part) => part.trim())
  const [name = '', scopeList = '', digest = '', tenantList] = parts
  if (parts.length < 3 || parts.length > 4) return 'expected `name:scope[,scope]:sha256-of-token[:tenant[,tenant]]`'
  if (!/^[\w.-]{1,64}$/.test(name))
    return `${quoted(name)} is not a name of 1 to 64 letters, digits, \`.\`, \`_\`, \`-\``
  const scopes = scopeList.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined)
    return `${quoted(unknown)} is not a scope: expected ${SCOPES.map((one) => quoted(one)).join(', ')}`
  if (!/^[0-9a-f]{64}$/i.test(digest)) return 'the third part must be the SHA-256 of the token, 64 hexadecimal digits'
  const tenants = tenantList?.split(',').map((tenant) => tenant.trim())
  const stranger = tenants?.find((tenant) => refuseTenantId(tenant) !== undefined)
  if (stranger !== undefined) return `${quoted(stranger)} is not the id of a tenant`
  return {
    name,
    scopes: new Set(scopes.filter(isScope)),
    digest: Buffer.from(digest, 'hex'),
    tenants: tenants === undefined ? undefined : new Set(tenants),
  }
}

/** The headers that determine admission, in lower case. */
export interface AccessHeaders {
  readonly authorization?: string | undefined
  readonly 'x-api-key'?: string | readonly string[] | undefined
  readonly 'x-tenant-id'?: string | readonly string[] | undefined
}

/**
 * Decides whether a request is authorized.
 *
 * @param tenant the tenant whose rulesets are requested; `WHOLE_SERVER`: the server as a whole
 */
export type Admit = (
  headers: Pick<AccessHeaders, 'authorization' | 'x-api-key'>,
  scope: Scope,
  tenant: string | typeof WHOLE_SERVER | undefined,
) => TokenAdmission

/** The result of admission by token. */
export interface TokenAdmission {
  /** Why the request is refused; undefined if it is admitted. */
  readonly refusal: EngineError | undefined
  /** The name of the token, even if it is refused; undefined if there is none or it is unknown. */
  readonly token: string | undefined
}

/** The admission when no token is required. */
export const ADMITTED: TokenAdmission = { refusal: undefined, token: undefined }

/** Instead of a tenant, for a request about the whole server. */
export const WHOLE_SERVER = Symbol('the whole server')

/** The tenant that a request names; an empty header counts as missing. */
export function tenantOf(headers: Pick<AccessHeaders, 'x-tenant-id'>): string | undefined {
  const tenant = headers['x-tenant-id']
  return typeof tenant === 'string' && tenant !== '' ? tenant : undefined
}

/** Admission by bearer token: `Authorization: Bearer …` or `x-api-key: …`. */
export function admitByToken(tokens: readonly Token[]): Admit {
  return (headers, scope, tenant) => {
    const given = tokenOf(headers)
    if (given === undefined) return NO_TOKEN
    const token = find(tokens, given)
    return token === undefined ? UNKNOWN_TOKEN : { refusal: refusalOf(token, scope, tenant), token: token.name }
  }
}

const unauthorized = (message: string): TokenAdmission => ({
  refusal: new EngineError('unauthorized', message),
  token: undefined,
})
const NO_TOKEN = unauthorized('a token is needed: send `authorization: Bearer <token>` or `x-api-key`')
const UNKNOWN_TOKEN = unauthorized('the token is unknown')

/** A token for some tenants is valid for nothing else, and a request that names no tenant concerns the default one. */
function refusalOf(
  { name, scopes, tenants }: Token,
  scope: Scope,
  tenant: string | typeof WHOLE_SERVER | undefined,
): EngineError | undefined {
  const refuse = (reason: string) => new EngineError('forbidden', `the token ${quoted(name)} ${reason}`)
  if (!scopes.has(scope) && !scopes.has('admin')) return refuse(`does not have the scope \`${scope}\``)
  if (tenants === undefined) return undefined
  if (tenant === WHOLE_SERVER) return refuse('is only for tenants, not for the server')
  const wanted = tenant ?? DEFAULT_TENANT
  return tenants.has(wanted) ? undefined : refuse(`is not for the tenant ${quoted(wanted)}`)
}

/** Compares every token, each in constant time, so that the duration reveals nothing about any token. */
function find(tokens: readonly Token[], given: string): Token | undefined {
  const digest = hash('sha256', given, 'buffer')
  let found: Token | undefined
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token
  return found
}

function tokenOf(headers: Pick<AccessHeaders, 'authorization' | 'x-api-key'>): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

const isScope = (text: string): text is Scope => SCOPES.some((known) => known === text)
