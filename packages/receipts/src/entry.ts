import { isObject, type ObjectValue, type Value } from '@engine/expression'
import {
  Malformed,
  objectOf,
  requireCount,
  requireDigest,
  requireHash,
  requireMembers,
  requireName,
  requireObject,
  requireText,
  requireVersion,
} from './malformed.ts'

/** A ruleset by the digest of its content: 64 hexadecimal digits. */
export interface UsedRuleset {
  readonly digest: string
  readonly name: string
}

/** One decision in the log. Times are epoch milliseconds. */
export interface DecisionEntry {
  readonly kind: 'decision'
  /** Digest of the contract of the input. */
  readonly contract: string | undefined
  /** Version of the engine. */
  readonly engine: string
  /** Code of the failure; if set, there is no result. */
  readonly error: string | undefined
  /** `<instance id>/<UUID of the chain>`. */
  readonly instance: string
  /** The value of `now()` in the rules. */
  readonly now: number
  /** The code, and commitments to message and output. */
  readonly result: { readonly code: string; readonly message: string; readonly output: string } | undefined
  readonly ruleset: UsedRuleset & { readonly version: string }
  /** Position in the chain, from 0 without gaps. */
  readonly seq: number
  readonly tenant: string
  /** Time when the decision ended. */
  readonly time: number
  /** Commitments; `calls` is empty if no external calls were awaited. */
  readonly trust: { readonly calls: string; readonly input: string }
  /** The rulesets that `call_ruleset` reached, in the order of first use. */
  readonly uses: readonly UsedRuleset[]
}

/**
 * The number of decisions without a receipt: the disk was full, and the engine continued (`--receipts-on-failure
 * continue`).
 */
export interface LostEntry {
  readonly kind: 'lost'
  readonly lost: number
  readonly seq: number
}

export type Entry = DecisionEntry | LostEntry

const WHAT = 'entry'

/** Reads the text of an entry. Throws `Malformed`. */
export function parseEntry(text: string): Entry {
  const entry = objectOf(text, WHAT)
  if (Object.hasOwn(entry, 'lost')) return lostEntry(entry)
  const required = ['engine', 'instance', 'now', 'ruleset', 'seq', 'tenant', 'time', 'trust', 'uses', 'v']
  requireMembers(entry, WHAT, required, ['contract', 'error', 'result'])
  requireVersion(entry, WHAT)
  const hasFailed = Object.hasOwn(entry, 'error')
  if (hasFailed === Object.hasOwn(entry, 'result'))
    throw new Malformed('the entry must have either a `result` or an `error`')
  return {
    kind: 'decision',
    contract: Object.hasOwn(entry, 'contract') ? requireDigest(entry, 'contract', WHAT) : undefined,
    engine: requireName(entry, 'engine', WHAT),
    error: hasFailed ? requireName(entry, 'error', WHAT) : undefined,
    instance: requireName(entry, 'instance', WHAT),
    now: requireCount(entry, 'now', WHAT),
    result: hasFailed ? undefined : resultOf(requireObject(entry['result'], '`result` of the entry')),
    ruleset: rulesetOf(requireObject(entry['ruleset'], '`ruleset` of the entry')),
    seq: requireCount(entry, 'seq', WHAT),
    tenant: requireName(entry, 'tenant', WHAT),
    time: requireCount(entry, 'time', WHAT),
    trust: trustOf(requireObject(entry['trust'], '`trust` of the entry')),
    uses: usesOf(entry['uses']),
  }
}

function lostEntry(entry: ObjectValue): LostEntry {
  requireMembers(entry, WHAT, ['lost', 'seq'])
  const lost = requireCount(entry, 'lost', WHAT)
  if (lost === 0) throw new Malformed('`lost` of the entry must be at least 1')
  return { kind: 'lost', lost, seq: requireCount(entry, 'seq', WHAT) }
}

function resultOf(result: ObjectValue): DecisionEntry['result'] {
  requireMembers(result, 'result', ['code', 'message', 'output'])
  return {
    code: requireText(result, 'code', 'result'),
    message: requireHash(result, 'message', 'result'),
    output: requireHash(result, 'output', 'result'),
  }
}

function rulesetOf(ruleset: ObjectValue): DecisionEntry['ruleset'] {
  requireMembers(ruleset, 'ruleset', ['digest', 'name', 'version'])
  return {
    digest: requireDigest(ruleset, 'digest', 'ruleset'),
    name: requireName(ruleset, 'name', 'ruleset'),
    version: requireText(ruleset, 'version', 'ruleset'),
  }
}

function trustOf(trust: ObjectValue): DecisionEntry['trust'] {
  requireMembers(trust, 'trust', ['calls', 'input'])
  const calls = trust['calls'] === '' ? '' : requireHash(trust, 'calls', 'trust')
  return { calls, input: requireHash(trust, 'input', 'trust') }
}

function usesOf(uses: Value | undefined): readonly UsedRuleset[] {
  if (!Array.isArray(uses)) throw new Malformed('`uses` of the entry must be a list')
  return (uses as readonly Value[]).map((one) => {
    if (!isObject(one)) throw new Malformed('`uses` of the entry must be a list of objects')
    requireMembers(one, 'used ruleset', ['digest', 'name'])
    return {
      digest: requireDigest(one, 'digest', 'used ruleset'),
      name: requireName(one, 'name', 'used ruleset'),
    }
  })
}

/** The parts of an entry that are the same for all decisions of a program, as JSON texts. */
export interface ProgramParts {
  readonly contract: string
  readonly ruleset: string
}

/** Writes the constant parts of a program's entries, once. */
export function programParts(
  { digest, name, version }: DecisionEntry['ruleset'],
  contract: string | undefined,
): ProgramParts {
  return {
    contract: contract === undefined ? '' : `"contract":"${contract}",`,
    ruleset: JSON.stringify({ digest, name, version }),
  }
}

/** The content of an entry about one decision; `log.ts` adds its position and time. */
export interface Decided {
  readonly parts: ProgramParts
  readonly now: number
  readonly outcome: { readonly error: string } | NonNullable<DecisionEntry['result']>
  readonly tenant: string
  readonly trust: DecisionEntry['trust']
  readonly uses: readonly UsedRuleset[]
}

/** Members in the order of RFC 8785. Commitments and digests need no escapes. */
export function entryText(
  { parts, now, outcome, tenant, trust, uses }: Decided,
  constants: { readonly engine: string; readonly instance: string },
  seq: number,
  time: number,
): string {
  const [error, result] =
    'error' in outcome
      ? [`"error":${JSON.stringify(outcome.error)},`, '']
      : [
          '',
          `"result":{"code":${JSON.stringify(outcome.code)},"message":"${outcome.message}","output":"${outcome.output}"},`,
        ]
  const used = uses.length === 0 ? '[]' : JSON.stringify(uses.map(({ digest, name }) => ({ digest, name })))
  return `{${parts.contract}${constants.engine}${error}${constants.instance}"now":${now},${result}"ruleset":${parts.ruleset},"seq":${seq},"tenant":${JSON.stringify(tenant)},"time":${time},"trust":{"calls":"${trust.calls}","input":"${trust.input}"},"uses":${used},"v":1}`
}

/** The entry that records a gap. */
export const lostText = (lost: number, seq: number): string => `{"lost":${lost},"seq":${seq}}`
