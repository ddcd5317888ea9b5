/** The forms in which the open graph is shown. */
export type View = 'flow' | 'table' | 'text'

/** The part of the editor that its address names. */
export interface EditorSearch {
  readonly view?: View
  readonly step?: string
  /** The sub-rule that is open. */
  readonly in?: string
  /** Id of the row of the open table that is selected. */
  readonly row?: string
  /** The executed run: the id of a saved case, or an input as JSON. */
  readonly run?: string
}
