/**
 * Migrations that programs before the first release have run, and whose files were edited afterwards. A database that
 * has run one gets the difference, and then counts as having run the current file. Since the first release no file is
 * edited (tests/platform/migrations.test.ts), so nothing is added here.
 */
export interface MigrationRepair {
  readonly number: number
  /** SHA-256 of the file that was run. */
  readonly checksum: string
  /** The difference to the current file; empty if only a comment changed. */
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
