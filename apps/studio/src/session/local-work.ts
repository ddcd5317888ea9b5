import type { DraftRuleset } from '@engine/authoring'
import { del, get, set } from 'idb-keyval'

/** Unsaved work in the browser's storage: a killed tab loses none. */
export interface LocalWork {
  /** The save that the work is based on. */
  readonly seq: number
  readonly base: DraftRuleset
  readonly draft: DraftRuleset
  /** Epoch milliseconds. */
  readonly at: number
}

const keyOf = (project: string, name: string) => `draft:${project}:${name}`

/** A browser may refuse storage: then only the backup of unsaved work is missing. */
const tolerate = () => undefined

export const readWork = (project: string, name: string): Promise<LocalWork | undefined> =>
  get<LocalWork>(keyOf(project, name)).catch(tolerate)

export const keepWork = (project: string, name: string, work: LocalWork): Promise<void> =>
  set(keyOf(project, name), work).catch(tolerate)

export const dropWork = (project: string, name: string): Promise<void> => del(keyOf(project, name)).catch(tolerate)
