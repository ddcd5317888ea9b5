import type { DraftRuleset, Problem } from '@engine/authoring'

/** What became of a document of another rule engine. */
export interface Imported {
  /** None when nothing of the document could be read. */
  readonly rulesets: readonly ImportedRuleset[]
  /**
   * What was not carried over exactly. `path` is a place in the document that was given: a JSON pointer, or what places
   * the format has. An `error`: a part is missing. A `warning`: the part may decide differently for some inputs.
   */
  readonly lost: readonly Problem[]
}

export interface ImportedRuleset {
  readonly name: string
  readonly ruleset: DraftRuleset
}

/** What became of a draft in another format. */
export interface Exported<Document> {
  /** Undefined: nothing of the draft has a form there. */
  readonly document: Document | undefined
  /** As that of `Imported`, with places in the draft. */
  readonly lost: readonly Problem[]
}
