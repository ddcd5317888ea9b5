import type { DraftRuleset } from '@engine/authoring'
import { del, get, set } from 'idb-keyval'

/** Unsaved work in the browser's storage, which survives a killed tab. */
export interface LocalWork {
  /** The save that the work is based on. */
  readonly seq: number
  readonly base: DraftRuleset
  readonly draft: DraftRuleset
  /** Epoch milliseconds. */
  readonly at: number
}

const keyOf = (project: string, name: string) => `draft:${project}:${name}`

/** A browser may deny storage: only the backup of unsaved work is missing then. */
const tolerate = () => undefined

export const readWork = (project: string, name: string): Promise<LocalWork | undefined> =>
  get<LocalWork>(keyOf(project, name)).catch(tolerate)

export const keepWork = (project: string, name: string, work: LocalWork): Promise<void> =>
  set(keyOf(project, name), work).catch(tolerate)

export const dropWork = (project: string, name: string): Promise<void> => del(keyOf(project, name)).catch(tolerate)
