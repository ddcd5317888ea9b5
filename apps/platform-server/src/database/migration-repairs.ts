/**
 * What programs before the first release have run under the number of a migration, where its file was edited afterwards. A
 * database that has run it gets the difference, and counts as one that has run the file of today. From the first release on no
 * file is edited (tests/platform/migrations.test.ts), so that nothing is added here.
 */
export interface MigrationRepair {
  readonly number: number
  /** SHA-256 of the file that was run. */
  readonly checksum: string
  /** The difference to the file of today; empty: a comment. */
  readonly sql: string
}

export const MIGRATION_REPAIRS: readonly MigrationRepair[] = [
  {
    number: 3,
    checksum: 'b566266554acb40f23d1a95784d0a76a095d202c636a552dcd7a540ac611bbec',
    sql: '',
  },
  {
    number: 4,
    checksum: 'db128fd60d117d91d2410f7ebd58f0304c21ad8cda695cb266febd5b0bb56e26',
    sql: "create index deployments_queued on deployments (org_id, environment_id) where status = 'queued'",
  },
]
