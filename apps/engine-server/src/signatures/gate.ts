import { isObject, type Value, quote } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import {
  embedded,
  MalformedSignature,
  NO_SIGNATURE,
  type Signature,
  SIGNATURE_FIELD,
  type SignatureFault,
  signatureOf,
  startVerification,
  type TrustedKeys,
  UnsignableRuleset,
} from '@engine/signing'
import { EngineError } from '../errors.ts'
import { canonicalText } from './canonical-text.ts'
import type { MinimumVersions } from './minimum-versions.ts'
import type { Requester } from '../requester.ts'

/**
 * The origin of a ruleset: a local file may be exempt only at start, not when it is changed later (`watch`). `debug`:
 * the ruleset is executed once and not stored.
 */
export type Origin = 'api' | 'debug' | 'start' | 'rollback' | 'watch' | 'sync' | 'platform'

/** The two signature headers of `POST /rulesets` (specification 4.1); each may be missing. */
export interface OfferedSignature {
  readonly signature: string | undefined
  readonly publicKey: string | undefined
}

/** Why a ruleset was refused; the label of the metric. */
export type Rejection = SignatureFault | typeof NO_SIGNATURE | 'version below the minimum' | 'tenant not signed'

/** All reasons: a missing one does not compile. */
export const REJECTIONS = Object.keys({
  [NO_SIGNATURE]: true,
  'untrusted public key': true,
  'invalid signature': true,
  'invalid public key base64': true,
  'version below the minimum': true,
  'tenant not signed': true,
} satisfies Record<Rejection, true>)

/** Decides whether the signature of a ruleset suffices, for every origin (specification 5.7, docs/signing.md). */
export interface SignatureGate {
  /**
   * The document to store: a signature from the headers is embedded. The signed message of a large document is computed
   * in pieces between other requests. Rejects with an `EngineError` `signature-rejected`, or `invalid-ruleset` if the
   * signature or the signed content cannot be parsed.
   *
   * @param by the sender of the request; undefined if it did not come by a request
   */
  admit(document: Value, origin: Origin, offered?: OfferedSignature, by?: Requester): Promise<Value>
}

export interface SignatureOptions {
  /** False if nothing is verified. */
  readonly enabled: boolean
  readonly required: boolean
  /** Exempts files at start, regardless of `required`. */
  readonly allowUnsignedLocal: boolean
  /** The tenant that a signed document must name in `config.tenant_id`; undefined if it may omit it. */
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
    async admit(document, origin, offered, by) {
      // The decoder reports non-objects with the expected form.
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
        const verification = startVerification(signature, trusted)
        const fault = verification.fault ?? verification.finish(await messageOf(document))
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

/** True if a document that passed the gate has no signature. */
export function isUnsigned(document: Value): boolean {
  return isObject(document) && !Object.hasOwn(document, SIGNATURE_FIELD)
}

/** An embedded signature takes precedence: it contains more information, for example its time. */
function withSignature(document: RulesetDocument, signature: Signature): RulesetDocument {
  return Object.hasOwn(document, SIGNATURE_FIELD) ? document : embedded(document, signature)
}

/** The signed message of a document. */
async function messageOf(document: RulesetDocument): Promise<string> {
  try {
    return await canonicalText(document)
  } catch (error) {
    throw asFault(error)
  }
}

/** Turns an error of unreadable or unsignable content into a fault of the document, with its location. */
function readable<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw asFault(error)
  }
}

function asFault(error: unknown): unknown {
  if (!(error instanceof MalformedSignature) && !(error instanceof UnsignableRuleset)) return error
  const { path, message } = error
  return new EngineError('invalid-ruleset', `invalid ruleset: ${quote(path)} ${message}`, {
    details: [{ path, message }],
  })
}

function nameOf(document: RulesetDocument): string {
  return textOf(document, 'name') ?? ''
}

/** The same default as in the decoder. */
function versionOf(document: RulesetDocument): string {
  return textOf(document, 'version') ?? '1.0.0'
}

function textOf({ config = null }: RulesetDocument, field: string): string | undefined {
  const text = isObject(config) ? config[field] : undefined
  return typeof text === 'string' ? text : undefined
}
