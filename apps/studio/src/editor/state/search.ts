/** The views of the open graph. */
export type View = 'flow' | 'table' | 'text'

/** The state of the editor in its URL. */
export interface EditorSearch {
  readonly view?: View
  readonly step?: string
  /** The open sub-rule. */
  readonly in?: string
  /** Id of the selected row of the open table. */
  readonly row?: string
  /** The executed run: the id of a saved case, or an input as JSON. */
  readonly run?: string
}
