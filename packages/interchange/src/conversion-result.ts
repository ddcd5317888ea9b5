import type { Case, Contract, DraftRuleset, Problem } from '@engine/authoring'

/** A part that was not converted exactly, or that a reader of the result has to know. */
export interface Loss extends Omit<Problem, 'severity'> {
  /**
   * `error`: a part is missing. `warning`: the part may decide differently for some inputs. `info`: the same decision in
   * another form.
   */
  readonly severity: Problem['severity'] | 'info'
}

/** The result of importing a document of another rule engine. */
export interface Imported {
  /** Empty when nothing could be read. */
  readonly rulesets: readonly ImportedRuleset[]
  /**
   * Everything that was not converted exactly. `path` is a position in the original document: a JSON pointer, or the
   * position syntax of its format.
   */
  readonly lost: readonly Loss[]
}

export interface ImportedRuleset {
  readonly name: string
  readonly ruleset: DraftRuleset
  /** The tests that the document has. */
  readonly cases?: readonly Case[]
  /** The document's schemas of input and output. */
  readonly contract?: Contract
}

/** The result of exporting a draft to another format. */
export interface Exported<Document> {
  /** Undefined when nothing could be exported. */
  readonly document: Document | undefined
  /** Like `Imported.lost`, with positions in the draft. */
  readonly lost: readonly Loss[]
}
