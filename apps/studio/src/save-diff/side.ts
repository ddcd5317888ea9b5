import type { DraftRuleset } from '@engine/authoring'

/** One of two saves that are shown beside each other. */
export interface Side {
  readonly seq: number
  readonly name: string
  readonly draft: DraftRuleset
}
