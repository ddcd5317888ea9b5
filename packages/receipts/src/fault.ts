/** Kinds of faults. */
export type FaultCode =
  /** Not of the documented form. */
  | 'malformed'
  | 'unknown-key'
  /** The key does not sign at that time. */
  | 'expired-key'
  | 'signature'
  /** The entry is not in the signed tree. */
  | 'path'
  /** The entry is at another place in the chain. */
  | 'position'
  | 'instance'
  | 'time'
  /** Evidence that was not committed to. */
  | 'input'
  | 'output'
  | 'message'
  | 'calls'
  | 'fields'
  /** A checkpoint does not follow the one before. */
  | 'order'
  /** The entries are not those that the checkpoint signed. */
  | 'root'
  /** Entries without a checkpoint. */
  | 'unsigned'

export interface Fault {
  readonly code: FaultCode
  /** Lower-case, without a final period. */
  readonly message: string
}
