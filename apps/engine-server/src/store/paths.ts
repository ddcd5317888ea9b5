import { quote } from '@engine/expression'
import { refuseName } from '@engine/ruleset'
import { join } from 'node:path'
import { StoreError } from './store.ts'
import { refuseTenantId } from './tenant-id.ts'

/*
 * Paths built from names that clients choose. Only this module joins a name to a directory, so that no caller can
 * forget the check: an invalid name throws a `StoreError` `invalid-name`, whatever its source.
 */

/** The directory of a tenant inside the common directory; if no tenant is given, the directory itself. */
export function tenantDirectory(directory: string, tenant: string | undefined): string {
  if (tenant === undefined) return directory
  const fault = refuseTenantId(tenant)
  if (fault !== undefined) throw new StoreError('invalid-name', `${quote(tenant)} is not a tenant id: it ${fault}`)
  return join(directory, tenant)
}

/** The name of the file to which a ruleset is written. */
export function ruleFileOf(ruleset: string): string {
  return `${checked(ruleset)}.json`
}

/** The directory with the replaced contents of one ruleset (specification 9.2). */
export function versionsDirectory(rulesDirectory: string, ruleset: string): string {
  return join(rulesDirectory, VERSIONS, checked(ruleset))
}

/** The directory in the rules directory that holds replaced contents. */
export const VERSIONS = '.versions'

/** The path of an entry from a directory listing, or of a file whose name this module built. */
export function entryPath(directory: string, entry: string): string {
  const isOutside = entry === '' || entry === '.' || entry === '..' || /[/\0]/.test(entry)
  if (isOutside) throw new StoreError('invalid-name', `${quote(entry)} is not a file name`)
  return join(directory, entry)
}

function checked(ruleset: string): string {
  const fault = refuseName(ruleset)
  if (fault !== undefined) throw new StoreError('invalid-name', `${quote(ruleset)} cannot be stored: ${fault}`)
  return ruleset
}
