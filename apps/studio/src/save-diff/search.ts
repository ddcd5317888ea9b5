/** The two saves, the view, and what of it is shown. */
export interface CompareSearch {
  readonly from?: number
  readonly to?: number
  readonly view?: 'flow' | 'table'
  /** The sub-rule whose steps are compared. */
  readonly in?: string
  readonly step?: string
  /** Place of a row that differs, from 1. */
  readonly row?: number
}
