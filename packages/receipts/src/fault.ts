/** Kinds of faults. */
export type FaultCode =
  /** The text does not have the documented form. */
  | 'malformed'
  | 'unknown-key'
  /** The key was not valid at that time. */
  | 'expired-key'
  | 'signature'
  /** The entry is not in the signed tree. */
  | 'path'
  /** The entry is at another position in the chain. */
  | 'position'
  | 'instance'
  | 'time'
  /** The entry does not commit to this evidence. */
  | 'input'
  | 'output'
  | 'message'
  | 'calls'
  | 'fields'
  /** A checkpoint does not follow the previous one. */
  | 'order'
  /** The entries differ from those that the checkpoint signed. */
  | 'root'
  /** Some entries have no checkpoint. */
  | 'unsigned'

export interface Fault {
  readonly code: FaultCode
  /** Lower-case, without a final period. */
  readonly message: string
}
