import { useCallback, useSyncExternalStore } from 'react'

interface Entry<Doc> {
  readonly label: string
  readonly before: Doc
  /** Changes with the same key within a second are one edit: typing. */
  readonly key: string | undefined
  readonly at: number
}

/** Time within which changes with the same key merge into one undo entry. */
const UNDO_GROUP_MS = 1000

/**
 * One editing session of an immutable document: one unlimited undo history for all its views, with one entry per edit.
 */
export class Session<Doc> {
  #doc: Doc
  #past: readonly Entry<Doc>[] = []
  #future: readonly { readonly label: string; readonly after: Doc }[] = []
  #saved: Doc
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()

  constructor(doc: Doc, now: () => number = () => performance.now()) {
    this.#doc = doc
    this.#saved = doc
    this.#now = now
  }

  get doc(): Doc {
    return this.#doc
  }

  /** The label of the next undo; undefined if there is nothing to undo. */
  get last(): string | undefined {
    return this.#past.at(-1)?.label
  }

  /** The label of the next redo; undefined if there is nothing to redo. */
  get next(): string | undefined {
    return this.#future.at(-1)?.label
  }

  get isChanged(): boolean {
    return this.#doc !== this.#saved
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  apply(label: string, change: (doc: Doc) => Doc, key?: string): void {
    const after = change(this.#doc)
    if (after === this.#doc) return
    const at = this.#now()
    const last = this.#past.at(-1)
    const isJoined = key !== undefined && last?.key === key && at - last.at < UNDO_GROUP_MS
    const entry = { label, before: isJoined ? last.before : this.#doc, key, at }
    this.#past = [...(isJoined ? this.#past.slice(0, -1) : this.#past), entry]
    this.#future = []
    this.#become(after)
  }

  undo(): void {
    const entry = this.#past.at(-1)
    if (entry === undefined) return
    this.#past = this.#past.slice(0, -1)
    this.#future = [...this.#future, { label: entry.label, after: this.#doc }]
    this.#become(entry.before)
  }

  redo(): void {
    const entry = this.#future.at(-1)
    if (entry === undefined) return
    this.#future = this.#future.slice(0, -1)
    this.#past = [...this.#past, { label: entry.label, before: this.#doc, key: undefined, at: this.#now() }]
    this.#become(entry.after)
  }

  /** Record that the platform has stored this document. */
  saved(doc: Doc): void {
    this.#saved = doc
    this.#tell()
  }

  #become(doc: Doc): void {
    this.#doc = doc
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A part of the session's state, read again after each change. */
export function useSession<Doc, Part>(session: Session<Doc>, read: (session: Session<Doc>) => Part): Part {
  return useSyncExternalStore(
    session.subscribe,
    useCallback(() => read(session), [session, read]),
  )
}
