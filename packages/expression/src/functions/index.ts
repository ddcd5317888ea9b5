import type { FunctionDefinition } from '../function-definition.ts'
import { ENCODING } from './encoding.ts'
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
  { title: 'Tokens', functions: TOKENS },
]

/** All built-in functions by name (docs/functions.md). */
export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  FAMILIES.flatMap(({ functions }) => functions.map((definition) => [definition.name, definition] as const)),
)
