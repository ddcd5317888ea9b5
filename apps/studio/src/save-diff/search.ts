/** The two saves, the view, and the selection, as URL parameters. */
export interface CompareSearch {
  readonly from?: number
  readonly to?: number
  readonly view?: 'flow' | 'table'
  /** The compared sub-rule. */
  readonly in?: string
  readonly step?: string
  /** Number of a changed row, from 1. */
  readonly row?: number
}
