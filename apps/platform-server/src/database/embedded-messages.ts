/** The start data of the thread of the embedded database. */
export interface ThreadData {
  /** undefined: in memory. */
  readonly folder: string | undefined
  /** The initial content of a database in memory, as returned by `dump`; undefined for an empty one. */
  readonly template: Uint8Array | undefined
  /** True if this start creates the database. */
  readonly isNew: boolean
}

/** Messages to the thread. Connections are numbered; only one is open at a time. */
export type ToThread =
  | { readonly kind: 'connect' }
  | { readonly kind: 'bytes'; readonly connection: number; readonly bytes: Uint8Array }
  /** Requests the whole database in memory, as a template for others. */
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' }

/** Messages from the thread. */
export type FromThread =
  /** The files of a new database exist and are being synced. */
  | { readonly kind: 'created' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'bytes'; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly kind: 'dumped'; readonly template: Uint8Array }
  | { readonly kind: 'closed' }
