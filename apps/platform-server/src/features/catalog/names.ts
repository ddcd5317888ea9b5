import { duplicateOf } from '../../database/database.ts'
import { failures } from '../../errors.ts'

const NOUNS = { facts: 'fact', concepts: 'concept', contracts: 'contract' } as const

/** Names are unique within a project. Throws 409 where one is taken. */
export async function asDuplicate<Result>(
  table: keyof typeof NOUNS,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (duplicateOf(error) === `${table}_org_id_project_id_name_key`)
      throw failures.conflict('duplicate', `there is a ${NOUNS[table]} \`${name}\` already`)
    throw error
  }
}

/** Expressions and types refer to names: what is renamed is another one. Throws 400. */
export function refuseRenaming(name: string, given: string | undefined): void {
  if (given !== undefined && given !== name)
    throw failures.invalid('/name', `must be left out, or be the name in the path: a name is not changed`, 'renamed')
}
