import type { DraftRuleset } from '@engine/authoring'

/** One of two saves shown side by side. */
export interface Side {
  readonly seq: number
  readonly name: string
  readonly draft: DraftRuleset
}
