/** A difference between the meaning of a ruleset at the origin of the specification and here. */
export interface Difference {
  /** Kebab-case, stable: safe to match on. */
  readonly code: string
  /** `silent`: both decide, and may decide otherwise. `fails`: a decision there can be an error here. */
  readonly effect: 'silent' | 'fails'
  /** The meaning in the original service. */
  readonly there: string
  /** The meaning here. */
  readonly here: string
  /** What to write for the meaning that it has there. */
  readonly write: string
}

/** A difference at its place in a rule file. */
export interface Finding extends Difference {
  /** JSON pointer into the document. */
  readonly path: string
  /** One-based, in the text of the file; only of JSON. */
  readonly line?: number
  readonly column?: number
  /** The expression, where it is in one, and the one-based place in its text. */
  readonly expression?: string
  readonly at?: { readonly line: number; readonly column: number }
}
