/** The two saves, the view, and the selection in it. */
export interface CompareSearch {
  readonly from?: number
  readonly to?: number
  readonly view?: 'flow' | 'table'
  /** The sub-rule whose steps are compared. */
  readonly in?: string
  readonly step?: string
  /** Number of a changed row, from 1. */
  readonly row?: number
}
