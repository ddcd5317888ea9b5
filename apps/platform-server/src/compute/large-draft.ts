import type { DraftRuleset, Problem } from '@engine/authoring'

/** The parts of a draft that are needed to find its references and to store it. */
export interface DraftSummary {
  readonly config: Pick<DraftRuleset['config'], 'name' | 'version' | 'description' | 'contract' | 'intended'>
  /** Names of sub-rules that it does not define itself. */
  readonly uses: readonly string[]
}

/** The JSON text of a draft, and the range of the list of intended findings in it; undefined if it has none. */
export interface LargeText {
  readonly text: string
  readonly intendedAt?: readonly [start: number, end: number]
}

/**
 * A draft that was parsed on a thread and stays text on this one: decoding or copying its values would block the event
 * loop. It replaces the draft in the body of a request.
 */
export class LargeDraft {
  /** The result of `decodeDraft`. Undefined if its shape is invalid. */
  readonly read: (DraftSummary & LargeText) | undefined
  readonly problems: readonly Problem[]

  constructor(read: LargeDraft['read'], problems: readonly Problem[]) {
    this.read = read
    this.problems = problems
  }
}
