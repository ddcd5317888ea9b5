import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isList, isObject, scalarText, stringifyJson, type Value, writeJson } from '@engine/expression'
import { decodeRuleset, type Ruleset, type RulesetDocument } from '@engine/ruleset'
import type { Impact } from '../impact.ts'
import type { Report } from '../verdict.ts'
import { type Certificate, CERTIFICATE_FORMAT, type Proof } from './certificate.ts'
import { Checker, Refused, resultOrRefusal } from './checker.ts'
import { type Claim, isAboutPartOf } from './claim.ts'
import { findCover } from './covers.ts'

/** Maximum characters of the proofs of a certificate. Further claims stay uncertified. */
const MAX_SIZE = 5 * 1024 * 1024

/** A claim that was proved, and the places whose conditions decide it. */
export interface ProvedClaim {
  readonly claim: Claim
  readonly near?: readonly string[]
}

export interface Certified {
  readonly certificate: Certificate
  /** Proved claims without a proof in the certificate, with the reason. */
  readonly uncertified: readonly { readonly claim: Claim; readonly reason: string }[]
}

/** The proved claims of a report. */
export function claimsOfReport({ findings }: Report): readonly ProvedClaim[] {
  return findings.flatMap(({ kind, verdict, place, code, by = [] }): readonly ProvedClaim[] => {
    if (verdict !== 'proved') return []
    if (kind === 'unreachable_code') return [{ claim: { kind, code: code ?? '' } }]
    if (kind !== 'dead_branch' && kind !== 'shadowed' && kind !== 'always_true' && kind !== 'unreachable_step')
      return []
    return [{ claim: { kind, place }, near: by }]
  })
}

/** The proved claims of a comparison and of its gates. */
export function claimsOfImpact({ diff, gates }: Impact): readonly ProvedClaim[] {
  const kinds = (['only_adds', 'only_removes', 'no_new_failure'] as const).filter((kind) => diff[kind] === 'proved')
  return [
    ...(diff.verdict === 'equivalent' ? [{ claim: { kind: 'equivalent' } as const }] : []),
    ...kinds.map((kind) => ({ claim: { kind } })),
    ...gates.flatMap(({ gate, verdict }): readonly ProvedClaim[] => {
      const [from, to] = gate.split('->')
      return verdict !== 'proved' || from === undefined || to === undefined
        ? []
        : [{ claim: { kind: 'forbid', from, to } }]
    }),
  ]
}

/** A certificate of claims about one document, or about the old and the new one. Every proof in it passes the checker. */
export function certify(documents: readonly RulesetDocument[], claims: readonly ProvedClaim[]): Certified {
  const rulesets = documents.map((one) => {
    const { ruleset } = decodeRuleset(one)
    if (ruleset === undefined) throw new Refused('a document is no ruleset')
    return ruleset
  })
  const proofs: Proof[] = []
  const uncertified: { claim: Claim; reason: string }[] = []
  let size = 0
  const checker = resultOrRefusal(() => new Checker(rulesets as [Ruleset, ...Ruleset[]]))
  for (const { claim, near = [] } of claims) {
    const found = typeof checker === 'string' ? checker : findCover(checker, claim, near)
    if (typeof found === 'string') {
      uncertified.push({ claim, reason: found })
      continue
    }
    const length = stringifyJson(found).length
    if (size + length > MAX_SIZE)
      uncertified.push({ claim, reason: `the certificate has ${MAX_SIZE} characters already` })
    else {
      size += length
      proofs.push({ claim, cover: found })
    }
  }
  return { certificate: { format: CERTIFICATE_FORMAT, rulesets: namesOf(documents, rulesets), proofs }, uncertified }
}

/** The claims of a certificate, if it proves them of these documents; a text: why it does not. */
export function verifyCertificate(
  certificate: Value,
  documents: readonly RulesetDocument[],
): readonly Claim[] | string {
  try {
    return resultOrRefusal(() => verified(certificate, documents))
  } catch (error) {
    // A cover or a graph that is nested too deeply.
    if (error instanceof RangeError) return 'the certificate or the rules are nested too deeply'
    throw error
  }
}

function verified(certificate: Value, documents: readonly RulesetDocument[]): readonly Claim[] {
  if (!isObject(certificate) || certificate['format'] !== CERTIFICATE_FORMAT)
    throw new Refused(`not a certificate: \`format\` must be "${CERTIFICATE_FORMAT}"`)
  const rulesets = documents.map((one) => decodeRuleset(one).ruleset)
  const [first, ...others] = rulesets.filter((one) => one !== undefined)
  if (first === undefined || others.length + 1 < documents.length || others.length > 1)
    throw new Refused('a certificate is checked against one ruleset, or the old one and the new one')
  const names = namesOf(documents, [first, ...others])
  if (stringifyJson(certificate['rulesets'] ?? null) !== stringifyJson(names))
    throw new Refused('the certificate is about other rulesets: the names or digests differ')
  const proofs = certificate['proofs']
  if (!isList(proofs)) throw new Refused('`proofs` must be a list')
  const checker = new Checker([first, ...others])
  return proofs.map((proof) => {
    const { claim: read, cover } = isObject(proof) ? proof : {}
    const claim = claimIn(read)
    if (claim === undefined) throw new Refused('a proof has a `claim` and a `cover`')
    if (!isAboutPartOf(claim, first))
      throw new Refused('a claim is about a place or a code that the ruleset does not have')
    checker.check(claim, cover)
    return claim
  })
}

const WITH_PLACE = ['dead_branch', 'shadowed', 'always_true', 'unreachable_step', 'gap'] as const
const ALONE = ['equivalent', 'no_new_failure', 'only_adds', 'only_removes'] as const

function claimIn(value: Value | undefined): Claim | undefined {
  if (!isObject(value)) return undefined
  const { kind, place, code, from, to } = value
  const withPlace = WITH_PLACE.find((one) => one === kind)
  if (withPlace !== undefined) return typeof place === 'string' ? { kind: withPlace, place } : undefined
  if (kind === 'unreachable_code') return typeof code === 'string' ? { kind, code } : undefined
  if (kind === 'forbid') return typeof from === 'string' && typeof to === 'string' ? { kind, from, to } : undefined
  const alone = ALONE.find((one) => one === kind)
  return alone === undefined ? undefined : { kind: alone }
}

function namesOf(documents: readonly RulesetDocument[], rulesets: readonly Ruleset[]): Certificate['rulesets'] {
  return documents.map((one, index) => ({ name: rulesets[index]?.config.name ?? '', digest: digestOf(one) }))
}

/** `sha256:` and the SHA-256 of the canonical JSON without `_signature`, as engines compute it. */
function digestOf({ _signature: _, ...document }: RulesetDocument): string {
  const form = { keys: (object: object) => Object.keys(object).sort(), scalar: scalarText }
  const writing = writeJson(document, { form })
  let text: string | undefined
  while (text === undefined) text = writing.advance(Infinity)
  return `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}`
}
