import { quote } from '@engine/expression/core'

/** Maximum length of a ruleset name, so that every file name derived from it stays below 255 bytes. */
const MAX_NAME_LENGTH = 128

const ALLOWED = /^[A-Za-z0-9._-]+$/

/** Names of other files in the rules directory: a ruleset of that name would be stored as `tenants.json`. */
const RESERVED: ReadonlySet<string> = new Set(['tenants'])

/**
 * The reason why a text is not a valid ruleset name; undefined if it is valid. This rule applies everywhere: documents,
 * HTTP paths, files, sync. A name becomes a file name and a broker subject: 1 to 128 characters, letters of a to z,
 * digits, `.`, `_` and `-`, not starting with `.`, no `..`, not `tenants` in any case.
 */
export function refuseName(name: string): string | undefined {
  if (name === '') return 'a ruleset name must not be empty'
  if (name.length > MAX_NAME_LENGTH) {
    return `a ruleset name has at most ${MAX_NAME_LENGTH} characters, this one has ${name.length}`
  }
  if (!ALLOWED.test(name)) return `a ruleset name may only contain letters a to z, digits, \`.\`, \`_\` and \`-\``
  if (name.startsWith('.')) return 'a ruleset name must not start with `.`'
  if (name.includes('..')) return 'a ruleset name must not contain `..`'
  if (RESERVED.has(name.toLowerCase())) return `${quote(name)} is reserved and cannot be the name of a ruleset`
  return undefined
}
