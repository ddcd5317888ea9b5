import type { FunctionDefinition } from '../function-definition.ts'
import { ENCODING } from './encoding.ts'
import { HASHES } from './hash.ts'
import type { FunctionGroup } from './index.ts'
import { TOKENS } from './json-web-token.ts'
import { LIST } from './list.ts'
import { NETWORK } from './network.ts'
import { NUMBER } from './number.ts'
import { OBJECT } from './object.ts'
import { PATTERNS } from './pattern.ts'
import { TEXT } from './text.ts'
import { TIME } from './time.ts'
import { TYPES } from './type.ts'
import { UNIX_TIME } from './unix-time.ts'
import { VERSIONS } from './version.ts'

/** Regular expressions and globs. */
export const regex: FunctionGroup = { name: 'regex', functions: PATTERNS }
/** IP addresses and networks. */
export const network: FunctionGroup = { name: 'network', functions: NETWORK }
/** Digests and JSON Web Tokens. */
export const hash: FunctionGroup = { name: 'hash', functions: [...HASHES, ...TOKENS] }
/** Semantic versions. */
export const semver: FunctionGroup = { name: 'semver', functions: VERSIONS }
/** Dates and times. */
export const time: FunctionGroup = { name: 'time', functions: [...TIME, ...UNIX_TIME] }

/** All groups. */
export const FUNCTION_GROUPS: readonly FunctionGroup[] = [regex, network, hash, semver, time]

/**
 * The built-ins by family, in the order of the reference page.
 *
 * @internal
 */
export const FAMILIES: readonly { readonly title: string; readonly functions: readonly FunctionDefinition[] }[] = [
  { title: 'Text', functions: TEXT },
  { title: 'Patterns', functions: PATTERNS },
  { title: 'Numbers', functions: NUMBER },
  { title: 'Lists', functions: LIST },
  { title: 'Objects', functions: OBJECT },
  { title: 'Types', functions: TYPES },
  { title: 'Time', functions: TIME },
  { title: 'Unix time', functions: UNIX_TIME },
  { title: 'Networks', functions: NETWORK },
  { title: 'Versions', functions: VERSIONS },
  { title: 'Encoding', functions: ENCODING },
  { title: 'Digests', functions: HASHES },
  { title: 'Tokens', functions: TOKENS },
]
