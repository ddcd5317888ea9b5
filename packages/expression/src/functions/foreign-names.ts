import { FUNCTIONS } from './index.ts'
import { nearest } from '../suggest/nearest.ts'

/**
 * Names of our functions in other languages, in lower case.
 *
 * @internal
 */
export function foreignNames(): ReadonlyMap<string, string> {
  return new Map(
    [...FUNCTIONS.values()].flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
  )
}

/** The function that an unknown name probably means: by its name in another language, else by similar spelling. */
export function meantFunction(name: string): string | undefined {
  const letters = name.toLowerCase()
  const foreign = foreignNames()
  const exact = foreign.get(letters) ?? foreign.get(snakeCase(name))
  if (exact !== undefined) return exact
  const near = nearest(name, [...FUNCTIONS.keys(), ...foreign.keys()])
  return near === undefined ? undefined : (foreign.get(near) ?? near)
}

/** `parseInt` to `parse_int`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
