import type { DraftRuleset, Problem } from '@engine/authoring'

/** What of a draft is needed to find what it refers to, and to store it. */
export interface DraftSummary {
  readonly config: Pick<DraftRuleset['config'], 'name' | 'version' | 'description' | 'contract'>
  /** Names of sub-rules that it does not have itself. */
  readonly uses: readonly string[]
}

/**
 * A draft that was read on a thread and stays text here: to make its values, or a copy of them, would hold the event loop. It
 * is in the place of the draft in the body of a request.
 */
export class LargeDraft {
  /** As `decodeDraft` gives it. Undefined: its shape is wrong. */
  readonly read: (DraftSummary & { readonly text: string }) | undefined
  readonly problems: readonly Problem[]

  constructor(read: LargeDraft['read'], problems: readonly Problem[]) {
    this.read = read
    this.problems = problems
  }
}
