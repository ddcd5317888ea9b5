import type { EntryKind } from './disk.ts'

/**
 * `conflict`: the name differs from a stored one only by case. `disk`: the directory could not be written (or read, for
 * versions); `cause` is the system's error. `closed`: the server is shutting down. `too-large`: a restart could not
 * read it, or a listener of the store could not pass it on. `invalid-name`: the name cannot become a path.
 */
export type StoreErrorCode = 'conflict' | 'disk' | 'closed' | 'too-large' | 'invalid-name'

/** A write failed (`Store` defines the resulting state). The message is for people and names no path. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Something else has the name of a subdirectory of the store. `place` is its name in messages. */
export function notOurDirectory(place: string, kind: EntryKind): StoreError {
  const what = kind === 'link' ? 'a symbolic link, and those are not followed' : 'no directory'
  return new StoreError('disk', `${place} is ${what}`)
}
