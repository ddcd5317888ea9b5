import { duplicateOf } from './sql-state.ts'

/**
 * The constraints that keep a name unique, each with what bears the name. `tests/platform/unique-names.test.ts` holds the table
 * to the database.
 *
 * @internal
 */
export const UNIQUE_NAMES = {
  api_keys_org_id_name_key: 'an API key',
  concepts_org_id_project_id_name_key: 'a concept',
  contracts_org_id_project_id_name_key: 'a contract',
  draft_saves_pkey: 'a ruleset',
  drafts_name: 'a ruleset',
  environments_org_id_project_id_name_key: 'an environment',
  facts_org_id_project_id_name_key: 'a fact',
  organizations_name: 'an organization',
  projects_org_id_name_key: 'a project',
  release_policies_org_id_project_id_name_key: 'a release policy',
  roles_org_id_name_key: 'a role',
  test_suites_org_id_draft_id_name_key: 'a test suite',
} as const satisfies Record<string, string>

/** What already bears the name that a statement gave, with its article; undefined when the error is another one. */
export function takenName(error: unknown): string | undefined {
  const constraint = duplicateOf(error)
  return constraint === undefined ? undefined : (UNIQUE_NAMES as Readonly<Record<string, string>>)[constraint]
}
