import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { EngineError, failures } from '../errors.ts'
import type { Reception, Services } from '../services/services.ts'
import { Admission, type Entry } from './admission.ts'
import type { Credentials } from './credentials.ts'
import { createCredentialsInUse } from './credentials-in-use.ts'
import { withSuggestedName } from './name-suggestion.ts'
import { parseTokens, type Scope } from './tokens.ts'
import { requireTraceValues } from './trace-values.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const lineOf = (name: string, scopes: string, tenants = '') => `${name}:${scopes}:${sha256(name)}${tenants}`
const TOKENS = parseTokens(
  [
    lineOf('reader', 'read'),
    lineOf('runner', 'execute'),
    lineOf('root', 'admin'),
    lineOf('acme', 'read,write', ':acme'),
    lineOf('own', 'read', ':default'),
  ].join('\n'),
)
const READ_ONLY = failures.readOnly(undefined)

/** Counts the requests by tenant. */
function opened(
  { tokens, writeRefusal }: { readonly tokens?: typeof TOKENS; readonly writeRefusal?: EngineError } = {
    tokens: TOKENS,
  },
) {
  const counted: (string | undefined)[] = []
  const reception = {
    server: { writeRefusal },
    servicesFor: (tenant: string | undefined) => {
      counted.push(tenant)
      return {} as Services
    },
  } as unknown as Reception
  return { admission: new Admission(reception, tokens), counted }
}

const by = (name: string, tenant?: string) => ({
  authorization: `Bearer ${name}`,
  ...(tenant !== undefined && { 'x-tenant-id': tenant }),
})
const outcome = (admission: Admission, headers: object, entry: Entry) => {
  const { refusal, token, tenant } = admission.enter(headers, entry)
  return [refusal?.code ?? 'admitted', token, tenant]
}

describe('a request is admitted by its token', () => {
  const READ: Entry = { scope: 'read' }
  test.each<[what: string, headers: object, entry: Entry, found: readonly unknown[]]>([
    ['with the scope', by('reader'), READ, ['admitted', 'reader', undefined]],
    ['without the scope', by('runner'), READ, ['forbidden', 'runner', undefined]],
    ['with the scope of everything', by('root'), { scope: 'write' }, ['admitted', 'root', undefined]],
    ['without a token', {}, READ, ['unauthorized', undefined, undefined]],
    ['with an unknown token', by('nobody'), READ, ['unauthorized', undefined, undefined]],
    ['where everyone is', {}, { scope: undefined }, ['admitted', undefined, undefined]],
    ['for its tenant', by('acme', 'acme'), READ, ['admitted', 'acme', 'acme']],
    ['for another tenant', by('acme', 'other'), READ, ['forbidden', 'acme', 'other']],
    ['for the tenant by default', by('acme'), READ, ['forbidden', 'acme', undefined]],
    ['for its own one by default', by('own'), READ, ['admitted', 'own', undefined]],
    [
      'of a tenant, for the whole server',
      by('acme', 'acme'),
      { ...READ, isServerWide: true },
      ['forbidden', 'acme', 'acme'],
    ],
    [
      'of no tenant, for the whole server',
      by('reader', 'acme'),
      { ...READ, isServerWide: true },
      ['admitted', 'reader', 'acme'],
    ],
  ])('%s', (_what, headers, entry, found) => {
    expect(outcome(opened().admission, headers, entry)).toEqual(found)
  })

  test.each<[what: string, name: string, entry: Entry, code: string]>([
    ['a change', 'acme', { scope: 'write', writes: true }, 'read-only'],
    ['a read', 'acme', { scope: 'read' }, 'admitted'],
    ['a change without its scope', 'reader', { scope: 'write', writes: true }, 'forbidden'],
  ])('where no changes are accepted: %s', (_what, name, entry, code) => {
    const { admission } = opened({ tokens: TOKENS, writeRefusal: READ_ONLY })
    expect(outcome(admission, by(name, 'acme'), entry)[0]).toBe(code)
  })

  test('without tokens everyone is admitted, and no change is where none is accepted', () => {
    const { admission } = opened({})
    expect([admission.hasTokens, outcome(admission, {}, { scope: 'admin' })[0]]).toEqual([false, 'admitted'])
    admission.replace(TOKENS)
    expect(outcome(admission, {}, { scope: 'admin' })[0]).toBe('admitted')
    const { admission: reader } = opened({ writeRefusal: READ_ONLY })
    expect(outcome(reader, {}, { scope: 'write', writes: true })[0]).toBe('read-only')
  })

  test('tokens are replaced for the next request, and never by none', () => {
    const { admission } = opened()
    admission.replace(parseTokens(lineOf('new', 'read')))
    expect(outcome(admission, by('new'), { scope: 'read' })[0]).toBe('admitted')
    expect(outcome(admission, by('reader'), { scope: 'read' })[0]).toBe('unauthorized')
    admission.replace(undefined)
    expect([admission.hasTokens, outcome(admission, {}, { scope: 'read' })[0]]).toEqual([true, 'unauthorized'])
  })

  test('an admitted request gets the services of the tenant that it names', () => {
    const { admission, counted } = opened()
    admission.servicesFor(admission.enter(by('acme', 'acme'), { scope: 'read' }))
    admission.servicesFor(admission.enter(by('reader'), { scope: 'read' }))
    expect(counted).toEqual(['acme', undefined])
  })
})

describe('the credentials in use', () => {
  const files = (tokens: typeof TOKENS | undefined): Credentials => ({
    httpTls: undefined,
    grpcTls: undefined,
    tokens,
    receiptsKey: undefined,
  })
  const names = ({ tokens }: Credentials) => tokens?.map(({ name }) => name)

  test('are those of the files and the last token of the proxy, which may execute and read', async () => {
    const followed: Credentials[] = []
    const inUse = createCredentialsInUse(files(TOKENS.slice(0, 1)), async (now) => void followed.push(now))
    await inUse.admitProxy('first')
    await inUse.admitProxy('second')
    await inUse.replace(files(TOKENS.slice(1, 2)))
    expect(followed.map(names)).toEqual([
      ['reader', 'platform-proxy'],
      ['reader', 'platform-proxy'],
      ['runner', 'platform-proxy'],
    ])
    expect(names(inUse.current)).toEqual(['runner', 'platform-proxy'])
    const { admission } = opened({ tokens: inUse.current.tokens ?? [] })
    const scopes: readonly Scope[] = ['read', 'execute', 'trace', 'write', 'admin']
    expect(scopes.filter((scope) => outcome(admission, by('second', 'acme'), { scope })[0] === 'admitted')).toEqual([
      'read',
      'execute',
    ])
    expect(outcome(admission, by('first'), { scope: 'read' })[0]).toBe('unauthorized')
  })

  test('admit everyone where the files have no tokens, also after the proxy has one', async () => {
    const inUse = createCredentialsInUse(files(undefined), async () => {})
    await inUse.admitProxy('proxy')
    expect(inUse.current.tokens).toBeUndefined()
  })
})

describe('a name that is not stored', () => {
  const services = { rulesets: { nearest: (name: string) => (name === 'dor' ? 'door' : undefined) } } as Services
  const NOT_FOUND = failures.noSuchRuleset('dor')
  const suggested = (
    thrown: unknown,
    name: string | undefined,
    headers: object,
    given: Services | undefined = services,
  ) => withSuggestedName(thrown, name, { admission: opened().admission, headers, services: given })

  test('is answered with the one that is probably meant', () => {
    expect(suggested(NOT_FOUND, 'dor', by('reader'))).toMatchObject({
      code: 'not-found',
      message: 'ruleset `dor` not found: did you mean `door`?',
      details: [{ path: '', code: 'unknown-ruleset', message: 'ruleset `dor` not found', suggestion: 'door' }],
    })
  })

  const CONFLICT = new EngineError('conflict', 'x')
  test.each<[what: string, thrown: unknown, name: string | undefined, headers: object, given?: Services | undefined]>([
    ['who may not list the rulesets', NOT_FOUND, 'dor', by('runner')],
    ['who has no token', NOT_FOUND, 'dor', {}],
    ['for a name that is like none', NOT_FOUND, 'window', by('reader')],
    ['for a request that names none', NOT_FOUND, undefined, by('reader')],
    ['for another failure', CONFLICT, 'dor', by('reader')],
    ['for a defect', new TypeError('oops'), 'dor', by('reader')],
  ])('is not for one %s', (_what, thrown, name, headers) => {
    expect(suggested(thrown, name, headers)).toBe(thrown)
  })

  test('is not for a request without a tenant', () => {
    const parts = { admission: opened().admission, headers: by('reader'), services: undefined }
    expect(withSuggestedName(NOT_FOUND, 'dor', parts)).toBe(NOT_FOUND)
  })
})

test.each<[values: boolean, trace: boolean, refusal: EngineError | undefined, thrown: string | undefined]>([
  [false, false, READ_ONLY, undefined],
  [true, true, undefined, undefined],
  [true, false, undefined, 'adds values to a trace: it needs `trace` to be `true`'],
  [true, true, READ_ONLY, READ_ONLY.message],
])('values %s in a trace %s', (values, trace, refusal, thrown) => {
  const require = () =>
    requireTraceValues(
      values,
      trace,
      () => refusal,
      (message) => new Error(message),
    )
  if (thrown === undefined) expect(require).not.toThrow()
  else expect(require).toThrow(thrown)
})
