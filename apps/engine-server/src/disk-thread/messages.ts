import { StoreError, type StoreErrorCode } from '../store/store-error.ts'
import type { Replacement, ReplacementOutcome } from '../store/replacement.ts'

/** Work for the thread: the members of `DiskJobs`. */
export type Job =
  | { readonly kind: 'replace'; readonly replacement: Replacement }
  | { readonly kind: 'append'; readonly path: string; readonly text: string; readonly isDurable: boolean }
  | { readonly kind: 'find-directory-fault'; readonly directory: string }

export interface JobMessage {
  readonly id: number
  readonly job: Job
}

/** The thread accepts jobs. */
export const STARTED = 'started'

export interface ResultMessage {
  readonly id: number
  readonly result: JobResult
}

/** `error`: why the other jobs failed, or the fault that was found. */
export type JobResult =
  | { readonly kind: 'replaced'; readonly outcome: PlainOutcome }
  | { readonly kind: 'ended'; readonly error: PlainError | undefined }

/** An outcome whose cause can be sent. */
type PlainOutcome = ReplacementOutcome<PlainError>

/** An error as plain data: a clone of an error has neither its code nor its class. */
export interface PlainError {
  readonly message: string
  /** As in `errno(3)`, if the system reported the error. */
  readonly code: string | undefined
  /** The code of a `StoreError`. */
  readonly storeCode: StoreErrorCode | undefined
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error), code: undefined, storeCode: undefined }
  const { message } = error
  if (error instanceof StoreError) return { message, code: undefined, storeCode: error.code }
  const code: unknown = 'code' in error ? error.code : undefined
  return { message, code: typeof code === 'string' ? code : undefined, storeCode: undefined }
}

export function fromPlainError({ message, code, storeCode }: PlainError): Error {
  if (storeCode !== undefined) return new StoreError(storeCode, message)
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code })
}

export function toPlainOutcome(outcome: ReplacementOutcome): PlainOutcome {
  return outcome.kind === 'done' ? outcome : { ...outcome, cause: toPlainError(outcome.cause) }
}

export function fromPlainOutcome(outcome: PlainOutcome): ReplacementOutcome {
  return outcome.kind === 'done' ? outcome : { ...outcome, cause: fromPlainError(outcome.cause) }
}
