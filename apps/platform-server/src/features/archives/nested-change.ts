import type { Change, Database } from '../../database/database.ts'

/**
 * A database whose changes are parts of one change that is being made already. What a feature does by itself, with its
 * checks and its audit, becomes a step of a larger change that is stored as a whole or not at all.
 */
export function within(database: Database, change: Change): Database {
  return { ...database, scope: () => change.scope, change: (_org, _author, work) => work(change) }
}
