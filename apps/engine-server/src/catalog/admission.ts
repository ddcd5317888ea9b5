import type { ErrorDetail } from '@engine/api'
import { isObject, quoteCode, type Value } from '@engine/expression'
import type { DecodedRuleset, Fault, Ruleset, RulesetDocument } from '@engine/ruleset'
import { EngineError, quoted } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { Decode } from '../store/rule-file-reader.ts'
import { documentInTurns, type StoredRuleset, storedInTurns } from '../store/store.ts'
import { decodeDocument, decodeNow, type DecodingOptions, LARGE } from './decoding.ts'
import { isUnsigned, type OfferedSignature, type Origin, type SignatureGate } from '../signatures/gate.ts'

/** Additional data sent with a document. */
export interface Sent {
  /** The JSON text of the document, to locate faults. */
  readonly text?: string | undefined
  readonly signature?: OfferedSignature | undefined
  readonly by?: Requester | undefined
}

/** A document that may be stored. */
export interface Admitted {
  readonly ruleset: StoredRuleset
  readonly warnings: readonly Fault[]
}

/** A document that is a valid ruleset of the tenant, with the required signature. */
export interface Checked {
  /** The document to store: a separately sent signature is embedded. */
  readonly document: RulesetDocument
  readonly ruleset: Ruleset
  readonly warnings: readonly Fault[]
}

/** Origins of documents that this or an earlier version has accepted before. */
const STORED: ReadonlySet<Origin> = new Set(['start', 'rollback', 'sync', 'platform'])

/** What admission needs. */
export interface AdmissionOptions extends DecodingOptions {
  /** Called with the reasons why a stored ruleset would be refused if it were new. */
  readonly tolerated?: (name: string, reasons: readonly string[]) => void
}

/**
 * Decides which documents may become rulesets of a tenant, whatever their source: it checks the signature first, then
 * the validity of the ruleset and its tenant. Decoded rulesets are cached while their entry is stored, so that nothing
 * is decoded twice and large ones are not decoded in one piece.
 */
export class RulesetAdmission {
  readonly #signatures: SignatureGate
  readonly #options: AdmissionOptions
  readonly #decoded = new WeakMap<StoredRuleset, Ruleset>()

  constructor(signatures: SignatureGate, options: AdmissionOptions) {
    this.#signatures = signatures
    this.#options = options
  }

  /** Checks a document that is not stored. Rejects with an `EngineError`. */
  async check(sent: Value, origin: Origin, { text, signature, by }: Sent = {}): Promise<Checked> {
    const document = await this.#signatures.admit(sent, origin, signature, by)
    const isStored = STORED.has(origin)
    const { ruleset, problems, warnings, tolerated } = await decodeDocument(document, { text, isStored }, this.#options)
    if (ruleset === undefined || !isObject(document)) throw invalid(problems)
    if (tolerated.length > 0) this.#options.tolerated?.(ruleset.config.name, tolerated.map(faultText))
    return { document, ruleset, warnings }
  }

  /** The result of validating a document, without checking its signature. */
  inspect(document: Value, text: string | undefined): Promise<DecodedRuleset> {
    return decodeDocument(document, { text, isStored: false }, this.#options)
  }

  /**
   * Converts a document to an entry that may be stored. Rejects with an `EngineError`, or with a `StoreError` if it is
   * too large.
   */
  async admit(sent: Value, origin: Origin, more?: Sent): Promise<Admitted> {
    const { document, ruleset, warnings } = await this.check(sent, origin, more)
    const entry = await storedInTurns(document)
    this.keep(entry, ruleset)
    return { ruleset: entry, warnings }
  }

  /**
   * Like `admit`, for documents of files.
   *
   * @param unsigned called with the name of each ruleset without a signature
   */
  file(origin: 'start' | 'watch', unsigned?: (name: string) => void): Decode {
    const { executionTimeoutMs, tenant, tolerated: tell } = this.#options
    const isStored = STORED.has(origin)
    return async (document, text) => {
      try {
        await this.#signatures.admit(document, origin)
      } catch (error) {
        if (error instanceof EngineError) return { faults: [error.message] }
        throw error
      }
      // No capabilities are passed: a file has no response for warnings.
      const sought = { text, isStored }
      const { ruleset, problems, tolerated } = await decodeDocument(document, sought, { executionTimeoutMs, tenant })
      if (ruleset === undefined) return { faults: problems.map(faultText) }
      if (tolerated.length > 0) tell?.(ruleset.config.name, tolerated.map(faultText))
      if (isUnsigned(document)) unsigned?.(ruleset.config.name)
      return {
        faults: [],
        // Most rulesets are not needed soon after the start, and their text takes a fifth of the memory.
        storing: (entry) => {
          if (origin === 'watch' || entry.text.length > LARGE) this.keep(entry, ruleset)
        },
      }
    }
  }

  /** Caches the decoded ruleset of an entry that is about to be stored. */
  keep(entry: StoredRuleset, ruleset: Ruleset): void {
    this.#decoded.set(entry, ruleset)
  }

  /** Decodes an entry that another process of this server has admitted, before it is stored. */
  async prepare(entry: StoredRuleset): Promise<void> {
    if (entry.text.length <= LARGE) return
    const sought = { text: entry.text, isStored: true }
    const { ruleset, problems } = await decodeDocument(await documentInTurns(entry), sought, this.#options)
    if (ruleset === undefined) throw invalid(problems)
    this.keep(entry, ruleset)
  }

  /** The ruleset of an admitted entry. */
  rulesetOf(entry: StoredRuleset): Ruleset {
    return this.#decoded.get(entry) ?? decodeNow(entry, this.#options)
  }
}

/** A fault with its location in the document. */
function faultText({ path, message }: Fault): string {
  return path === '' ? message : `${quoteCode(path)} ${message}`
}

/** The error for an invalid ruleset: with all faults in its details, the first ones also in its message. */
function invalid(problems: readonly Fault[]): EngineError {
  const details = problems.map(detailOf)
  const shown = details.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${quoted(path)} ${message}`))
  const more = details.length > 3 ? `; and ${details.length - 3} more` : ''
  return new EngineError('invalid-ruleset', `invalid ruleset: ${shown.join('; ')}${more}`, { details })
}

/** A fault in the form of an error detail. */
export function detailOf({ path, code, message, line, column, suggestion }: Fault): ErrorDetail {
  return {
    path,
    message,
    code,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}
