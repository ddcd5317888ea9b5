/** The start data of the thread of the embedded database. */
export interface ThreadData {
  /** undefined: in memory. */
  readonly folder: string | undefined
  /** The bytes that a database in memory begins with, as `dump` has given them; undefined: an empty one. */
  readonly template: Uint8Array | undefined
  /** Whether the database is created by this start. */
  readonly isNew: boolean
}

/** To the thread. Connections are numbered: there is one at a time. */
export type ToThread =
  | { readonly kind: 'connect' }
  | { readonly kind: 'bytes'; readonly connection: number; readonly bytes: Uint8Array }
  /** Requests the whole database in memory, as a template for others. */
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' }

/** From the thread. */
export type FromThread =
  /** The files of a new database exist and are being synced. */
  | { readonly kind: 'created' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'bytes'; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly kind: 'dumped'; readonly template: Uint8Array }
  | { readonly kind: 'closed' }
