import { isObject, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import {
  embedded,
  MalformedSignature,
  NO_SIGNATURE,
  type Signature,
  SIGNATURE_FIELD,
  type SignatureFault,
  signatureOf,
  type TrustedKeys,
  UnsignableRuleset,
  verify,
} from '@engine/signing'
import { EngineError } from './errors.ts'
import type { MinimumVersions } from './minimum-versions.ts'
import type { Requester } from './requester.ts'

/**
 * Where a ruleset comes from: only at start may a local file be exempt, not when it is changed later (`watch`). `debug`: it is
 * executed once and not stored.
 */
export type Origin = 'api' | 'debug' | 'start' | 'rollback' | 'watch' | 'sync'

/** The two signature headers of `POST /rulesets` (specification 4.1); each may be missing. */
export interface OfferedSignature {
  readonly signature: string | undefined
  readonly publicKey: string | undefined
}

/** Why a ruleset was turned away; the label of the metric. */
export type Rejection = SignatureFault | typeof NO_SIGNATURE | 'version below the minimum' | 'tenant not signed'

/**
 * The one place that says whether the signature of a ruleset is good enough, whatever way it came (specification 5.7,
 * docs/signing.md).
 */
export interface SignatureGate {
  /**
   * The document as it is to be stored: a signature from the headers is embedded. Throws `EngineError`
   * `signature-rejected`, or `invalid-ruleset` when the signature or what it covers cannot be read.
   *
   * @param by the sender of the request; undefined: it came otherwise
   */
  admit(document: Value, origin: Origin, offered?: OfferedSignature, by?: Requester): Value
}

export interface SignatureOptions {
  /** False: nothing is verified. */
  readonly enabled: boolean
  readonly required: boolean
  /** Of files at start, whatever `required` says. */
  readonly allowUnsignedLocal: boolean
  /** The tenant that a signed document must name in `config.tenant_id`; undefined: it may leave it out. */
  readonly boundTenant: string | undefined
  readonly trusted: TrustedKeys
  readonly minimumVersions: MinimumVersions
  readonly rejected: (
    rejection: { readonly name: string; readonly origin: Origin; readonly reason: Rejection },
    by: Requester | undefined,
  ) => void
}

export function createSignatureGate(options: SignatureOptions): SignatureGate {
  const { enabled, required, allowUnsignedLocal, boundTenant, trusted, minimumVersions } = options
  return {
    admit(document, origin, offered, by) {
      // The decoder reports a document that is no object: it knows the expected fields.
      if (!isObject(document)) return document
      const header = headerSignature(offered)
      if (!enabled) return header?.kind === 'whole' ? withSignature(document, header.signature) : document
      const refuse = (reason: Rejection, message: string = reason): never => {
        options.rejected({ name: nameOf(document), origin, reason }, by)
        throw new EngineError('signature-rejected', message)
      }
      if (header?.kind === 'half') refuse(NO_SIGNATURE)
      const signatures = readable(() => [signatureOf(document), header?.signature]).filter((one) => one !== undefined)
      for (const signature of signatures) {
        const fault = readable(() => verify(document, signature, trusted))
        if (fault !== undefined) refuse(fault)
      }
      const isNeeded = origin === 'start' ? !allowUnsignedLocal : required
      if (signatures.length === 0 && isNeeded) refuse(NO_SIGNATURE)
      if (signatures.length > 0 && boundTenant !== undefined && textOf(document, 'tenant_id') !== boundTenant)
        refuse('tenant not signed', `\`config.tenant_id\` must be \`${boundTenant}\` (--signature-bind-tenant)`)
      const tooOld = minimumVersions.refuse(nameOf(document), versionOf(document))
      if (tooOld !== undefined) refuse('version below the minimum', tooOld)
      return header?.signature === undefined ? document : withSignature(document, header.signature)
    },
  }
}

type HeaderSignature =
  | { readonly kind: 'whole'; readonly signature: Signature }
  | { readonly kind: 'half'; readonly signature?: undefined }

function headerSignature(offered: OfferedSignature | undefined): HeaderSignature | undefined {
  const { signature, publicKey } = offered ?? {}
  if (signature === undefined && publicKey === undefined) return undefined
  if (signature === undefined || publicKey === undefined) return { kind: 'half' }
  return { kind: 'whole', signature: { public_key: publicKey, signature } }
}

/** Whether a document that the gate let pass has no signature. */
export function isUnsigned(document: Value): boolean {
  return isObject(document) && !Object.hasOwn(document, SIGNATURE_FIELD)
}

/** An embedded signature stays: it says more, for example when it was made. */
function withSignature(document: RulesetDocument, signature: Signature): RulesetDocument {
  return Object.hasOwn(document, SIGNATURE_FIELD) ? document : embedded(document, signature)
}

/** A signature that cannot be read, or content that cannot be signed, is a fault of the document, with its position. */
function readable<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof MalformedSignature) && !(error instanceof UnsignableRuleset)) throw error
    const { path, message } = error
    throw new EngineError('invalid-ruleset', `invalid ruleset: \`${path}\` ${message}`, {
      details: [{ path, message }],
    })
  }
}

function nameOf(document: RulesetDocument): string {
  return textOf(document, 'name') ?? ''
}

/** The default is that of the decoder. */
function versionOf(document: RulesetDocument): string {
  return textOf(document, 'version') ?? '1.0.0'
}

function textOf({ config = null }: RulesetDocument, field: string): string | undefined {
  const text = isObject(config) ? config[field] : undefined
  return typeof text === 'string' ? text : undefined
}
