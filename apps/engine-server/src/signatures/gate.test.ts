import { isObject, type Value } from '@engine/expression'
import {
  embedded,
  generateKeys,
  parsePrivateKey,
  sign,
  signatureOf,
  SIGNATURE_FIELD,
  type Signature,
} from '@engine/signing'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import type { Requester } from '../requester.ts'
import { createSignatureGate, isUnsigned, type OfferedSignature, type Origin, type SignatureOptions } from './gate.ts'
import { NO_MINIMUM, parseMinimumVersions } from './minimum-versions.ts'
import { parseTrustedKeys } from './trusted-keys.ts'

const [OWN, STRANGE] = [generateKeys(), generateKeys()]
const ADA: Requester = { token: 'ada', address: '127.0.0.1', requestId: 'r-1' }
/** A document that is not decoded here, so it may be without steps. */
const DOCUMENT = { config: { name: 'door', version: '2.0.0', tenant_id: 'acme' }, steps: {} }
type Document = typeof DOCUMENT

const signed = (document: Document, keys = OWN) =>
  sign(document, parsePrivateKey(keys.privateKey), '2026-11-30T00:00:00Z') as unknown as Document
const signatureIn = (document: Document) => signatureOf(document) as Signature
const offered = ({ public_key: publicKey, signature }: Signature): OfferedSignature => ({ publicKey, signature })

/** A gate, and its rejections. */
function gateWith(options: Partial<SignatureOptions> = {}) {
  const rejected: unknown[] = []
  const gate = createSignatureGate({
    enabled: true,
    required: true,
    allowUnsignedLocal: false,
    boundTenant: undefined,
    trusted: parseTrustedKeys(OWN.publicKey),
    minimumVersions: NO_MINIMUM,
    rejected: (rejection, by) => rejected.push([rejection, by]),
    ...options,
  })
  return { gate, rejected }
}

/** The admitted document, or the reason of the refusal. */
async function outcome(
  options: Partial<SignatureOptions>,
  document: Value,
  origin: Origin = 'api',
  offer?: OfferedSignature,
): Promise<unknown> {
  const { gate, rejected } = gateWith(options)
  try {
    return await gate.admit(document, origin, offer, ADA)
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'signature-rejected') throw error
    expect(rejected).toMatchObject([[{ name: 'door', origin }, ADA]])
    return (rejected as readonly (readonly [{ readonly reason: string }])[])[0]?.[0].reason
  }
}

const SIGNED = signed(DOCUMENT)
/** The two headers carry no time. */
const WITHOUT_TIME = { public_key: signatureIn(SIGNED).public_key, signature: signatureIn(SIGNED).signature }
const CHANGED = { ...SIGNED, config: { ...SIGNED.config, version: '2.0.1' } }

describe('where signatures are required', () => {
  test.each<[what: string, document: Document, admitted: unknown]>([
    ['a signed document', SIGNED, SIGNED],
    ['an unsigned one', DOCUMENT, 'no signature found'],
    ['one that was changed afterwards', CHANGED, 'invalid signature'],
    ['one of a stranger', signed(DOCUMENT, STRANGE), 'untrusted public key'],
  ])('%s', async (_what, document, admitted) => {
    expect(await outcome({}, document)).toEqual(admitted)
  })

  test.each<[what: string, offer: OfferedSignature, admitted: unknown]>([
    ['a signature in the headers is embedded', offered(signatureIn(SIGNED)), embedded(DOCUMENT, WITHOUT_TIME)],
    ['that of a stranger is refused', offered(signatureIn(signed(DOCUMENT, STRANGE))), 'untrusted public key'],
    [
      'half of one is refused',
      { signature: signatureIn(SIGNED).signature, publicKey: undefined },
      'no signature found',
    ],
    ['the other half is refused', { signature: undefined, publicKey: OWN.publicKey }, 'no signature found'],
    ['no headers are no signature', { signature: undefined, publicKey: undefined }, 'no signature found'],
  ])('%s', async (_what, offer, admitted) => {
    expect(await outcome({}, DOCUMENT, 'api', offer)).toEqual(admitted)
  })

  test('both signatures of a document must hold, and the embedded one stays', async () => {
    const offer = offered(signatureIn(signed({ ...DOCUMENT, steps: { a: 1 } })))
    expect(await outcome({}, SIGNED, 'api', offer)).toBe('invalid signature')
    expect(await outcome({}, CHANGED, 'api', offered(signatureIn(signed(CHANGED))))).toBe('invalid signature')
    expect(await outcome({}, SIGNED, 'api', offered(signatureIn(SIGNED)))).toEqual(SIGNED)
  })
})

describe('an unsigned document', () => {
  const ORIGINS: readonly Origin[] = ['api', 'debug', 'start', 'rollback', 'watch', 'sync', 'platform']
  test.each<[required: boolean, allowUnsignedLocal: boolean, admitted: readonly Origin[]]>([
    [true, false, []],
    [true, true, ['start']],
    [false, false, ORIGINS.filter((origin) => origin !== 'start')],
    [false, true, ORIGINS],
  ])(
    'where signatures are required %s and local files are exempt %s is admitted from %j',
    async (required, allowUnsignedLocal, admitted) => {
      const found = await Promise.all(
        ORIGINS.map(
          async (origin) => [origin, await outcome({ required, allowUnsignedLocal }, DOCUMENT, origin)] as const,
        ),
      )
      expect(found.flatMap(([origin, document]) => (document === DOCUMENT ? [origin] : []))).toEqual(admitted)
    },
  )
})

test('a wrong signature, and half of one, is refused although none is required', async () => {
  const half = { signature: signatureIn(SIGNED).signature, publicKey: undefined }
  expect(await outcome({ required: false }, DOCUMENT, 'api', half)).toBe('no signature found')
  expect(await outcome({ required: false }, CHANGED)).toBe('invalid signature')
})

describe('where signatures are off', () => {
  test('nothing is verified, and a whole signature of the headers is embedded', async () => {
    const off = { enabled: false }
    expect(await outcome(off, CHANGED)).toBe(CHANGED)
    expect(await outcome(off, DOCUMENT)).toBe(DOCUMENT)
    const signature = { public_key: 'k', signature: 's' }
    expect(await outcome(off, DOCUMENT, 'api', offered(signature))).toEqual(embedded(DOCUMENT, signature))
    expect(await outcome(off, DOCUMENT, 'api', { signature: 's', publicKey: undefined })).toBe(DOCUMENT)
  })
})

test.each<[boundTenant: string | undefined, document: Document, admitted: unknown]>([
  ['acme', SIGNED, SIGNED],
  ['other', SIGNED, 'tenant not signed'],
  ['other', DOCUMENT, DOCUMENT],
  [undefined, SIGNED, SIGNED],
])('a signature bound to the tenant %s', async (boundTenant, document, admitted) => {
  expect(await outcome({ required: false, boundTenant }, document)).toEqual(admitted)
})

test.each<[line: string, admitted: unknown]>([
  ['door 2.0.0', SIGNED],
  ['door 2.0.1', 'version below the minimum'],
  ['other 9.0.0', SIGNED],
])('with the minimum version `%s`', async (line, admitted) => {
  expect(await outcome({ minimumVersions: parseMinimumVersions(line) }, SIGNED)).toEqual(admitted)
})

test('a document without a version has the version 1.0.0', async () => {
  const { version: _, ...config } = DOCUMENT.config
  const document = { ...DOCUMENT, config } as Document
  expect(await outcome({ required: false, minimumVersions: parseMinimumVersions('door 1.0.0') }, document)).toBe(
    document,
  )
  expect(await outcome({ required: false, minimumVersions: parseMinimumVersions('door 1.0.1') }, document)).toBe(
    'version below the minimum',
  )
})

test('a signature that cannot be read is a fault of the document, at its place', async () => {
  const refused = outcome({}, { ...DOCUMENT, [SIGNATURE_FIELD]: 'x' })
  await expect(refused).rejects.toMatchObject({ code: 'invalid-ruleset', details: [{ path: `/${SIGNATURE_FIELD}` }] })
})

test('whether a document is unsigned', () => {
  expect([isUnsigned(DOCUMENT), isUnsigned(SIGNED), isUnsigned('text')]).toEqual([true, false, false])
  expect(isObject(SIGNED)).toBe(true)
})

describe('minimum versions', () => {
  test.each<[version: string, refusal: string | undefined]>([
    ['2.1.0', undefined],
    ['10.0.0', undefined],
    ['2.0.9', 'version 2.0.9 is below the minimum 2.1.0'],
    ['2.1.0-rc.1', 'version 2.1.0-rc.1 is below the minimum 2.1.0'],
    ['two', 'version `two` is not a SemVer version, and at least 2.1.0 is required'],
  ])('of a listed ruleset: %s', (version, refusal) => {
    expect(parseMinimumVersions('# policy\ndoor 2.1.0\n').refuse('door', version)).toBe(refusal)
  })

  test.each(['door', 'door two', 'door 1.0.0 x', 'door 1.0.0\ndoor 2.0.0'])('the file %j is refused', (text) => {
    expect(() => parseMinimumVersions(text)).toThrow(/line \d/)
  })

  test('of no ruleset', () => expect(NO_MINIMUM.refuse('door', 'two')).toBeUndefined())
})

test('a file of keys may have comments, and no text that is not a key', () => {
  expect([...parseTrustedKeys(`# ours\n${OWN.publicKey}\n${STRANGE.publicKey}\n`)]).toEqual([
    OWN.publicKey,
    STRANGE.publicKey,
  ])
  expect(() => parseTrustedKeys('abc')).toThrow(/line 1/)
})
