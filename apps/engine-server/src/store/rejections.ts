import type { RejectedFile } from './store.ts'

/** A file in the rules directory that is not served. */
export interface Rejection extends RejectedFile {
  /**
   * Digest of the content if only a change of the content can fix the file. Undefined if the next check may succeed,
   * because the cause lies elsewhere (a permission, another file of the same name, a full disk).
   */
  readonly content: string | undefined
}

/** The files that are not served, by name. */
export interface Rejections {
  /** Sorted by name. */
  readonly list: readonly RejectedFile[]
  /** All names, in any order. */
  files(): Iterable<string>
  get(file: string): Rejection | undefined
  /** True if the reason or the content changed. */
  set(rejection: Rejection): boolean
  delete(file: string): void
}

export function createRejections(initial: readonly Rejection[]): Rejections {
  const known = new Map(initial.map((rejection) => [rejection.file, rejection]))
  /** Undefined after a change: computed on demand, because changes arrive in bursts. */
  let sorted: readonly RejectedFile[] | undefined
  return {
    get list() {
      return (sorted ??= Array.from(known.values(), ({ file, reason }) => ({ file, reason })).sort((left, right) =>
        left.file < right.file ? -1 : 1,
      ))
    },
    files: () => known.keys(),
    get: (file) => known.get(file),
    set(rejection) {
      const before = known.get(rejection.file)
      if (before?.reason === rejection.reason && before.content === rejection.content) return false
      known.set(rejection.file, rejection)
      sorted = undefined
      return true
    },
    delete(file) {
      if (known.delete(file)) sorted = undefined
    },
  }
}
