import type { RecordingRule, Tenant } from '@engine/api'
import type { Credentials } from '../access/credentials.ts'
import type { Change } from '../catalog/change-feed.ts'
import type { StandardFiles } from '../standards/standard-files.ts'
import type { StoredRuleset } from '../store/store.ts'

/** The addresses on which the owner listens. */
export type Place = 'http' | 'socket' | 'grpc'

/** The state that a worker needs before it can answer. Rulesets follow one by one, then `complete`. */
export interface Begin {
  readonly kind: 'begin'
  readonly instanceId: string
  /** Address of the owner, for requests that the worker cannot answer. */
  readonly ownerSocket: string
  readonly credentials: Credentials
  readonly standardFiles: StandardFiles
  /** Undefined if the server has no tenants. */
  readonly tenants: readonly Tenant[] | undefined
  readonly sampleRate: number
  /** The recording rules for decisions. */
  readonly recording: readonly RecordingRule[]
}

/** Rulesets of one tenant. */
export interface RulesetsOf {
  readonly tenant: string | undefined
  readonly rulesets: readonly StoredRuleset[]
}

/** Messages of the owner that require an answer. */
export type Question =
  | { readonly kind: 'change'; readonly id: number; readonly tenant: string | undefined; readonly change: Change }
  /** All workers have applied the change with this id: it may be shown. */
  | { readonly kind: 'shown'; readonly id: number }
  /** All tenants, and the stored rulesets of new ones. */
  | { readonly kind: 'tenants'; readonly tenants: readonly Tenant[]; readonly opened: readonly RulesetsOf[] }
  | { readonly kind: 'sample-rate'; readonly percent: number }
  /** The current tokens and certificates. */
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** The AuthZEN and OFREP files were read again. */
  | { readonly kind: 'standards'; readonly files: StandardFiles }
  /** Sent with the connection handle; the answer confirms that the worker serves it. */
  | { readonly kind: 'connection'; readonly place: Place }
  /** The answer is the JSON text of executions by content. */
  | { readonly kind: 'statistics' }
  /** The answer is the JSON text of the recorded decisions, which the worker then discards. */
  | { readonly kind: 'decisions' }
  /** The answer is the JSON text of the worker's chains of receipts. */
  | { readonly kind: 'receipts' }
  | { readonly kind: 'recording'; readonly rules: readonly RecordingRule[] }
  /** The answer is the text of the exposition. */
  | { readonly kind: 'metrics' }

/** Messages of the owner. A worker handles them one by one, in the order sent. */
export type ToWorker =
  | Begin
  | ({ readonly kind: 'rulesets' } & RulesetsOf)
  | { readonly kind: 'complete' }
  /** Answered immediately with \`alive\`, regardless of other work. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  /** Reject new work, finish pending work within this time, exit. */
  | { readonly kind: 'stop'; readonly milliseconds: number }

/** Messages of a worker. */
export type FromWorker =
  /** The process runs and can receive its initial state. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'answer'; readonly id: number; readonly text: string }
  /** The event loop is responsive. */
  | { readonly kind: 'alive' }
  /** Number of closed connections. */
  | { readonly kind: 'closed'; readonly count: number }
  /** Lines for an audit file. */
  | { readonly kind: 'audit'; readonly path: string; readonly text: string }
  /** Number of audit events that were lost before they reached the owner. */
  | { readonly kind: 'audit-lost'; readonly count: number }
