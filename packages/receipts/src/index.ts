export { canonicalText, commitmentOf, createSalt, type SaltedText } from './commitment.ts'
export { separateFields, type SeparatedInput } from './fields.ts'
export {
  type Decided,
  type DecisionEntry,
  type Entry,
  parseEntry,
  programParts,
  type ProgramParts,
  type UsedRuleset,
} from './entry.ts'
export { type Checkpoint, checkpointHash, parseCheckpoint } from './checkpoint.ts'
export { type MerkleTree, leafHash, merkleTree, pathOf, rootByPath, rootOf } from './merkle-tree.ts'
export { type ChainState, receiptOf, ReceiptLog, type SignedTree } from './log.ts'
export { type Evidence, parseEvidence, parseReceipt, type Receipt, RECEIPT_FORMAT } from './receipt.ts'
export type { Fault, FaultCode } from './fault.ts'
export { Malformed } from './malformed.ts'
export { keyId, parseReceiptKeys, type ReceiptKey, type ReceiptKeys } from './keys.ts'
export { type VerifiedReceipt, verifyReceipt } from './verify-receipt.ts'
export { type LogSummary, LogVerification, parseCheckpointLine } from './verify-log.ts'
export { type RecordedDecision, recordedDecision } from './recorded-decision.ts'
export { reexecute, type ReExecution, type ReExecutionParts } from './re-execution.ts'
