export type {
  AccessPage,
  AccessParty,
  ResourceSearch,
  SearchColumn,
  SearchDialect,
  SubjectSearch,
} from './access-search.ts'
export { createClient, type ClientOptions, type EngineClient, type CallOptions } from './client.ts'
export { type Contract, defineContract } from './contract.ts'
export { ClientError, type ClientErrorKind } from './errors.ts'
export type { FallbackOptions } from './fallback.ts'
export type { RetryOptions } from './retry.ts'
export type { BatchingOptions } from './batching.ts'
export type { BatchAnswer, BatchItem, Decided, Evaluated, Trace } from './transport.ts'
