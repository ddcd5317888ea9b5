import { parsePath, printPath } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'

/** The canonical text of a field path; undefined when it is invalid. */
export function fieldPath(text: string): string | undefined {
  const parsed = parsePath(text)
  return parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? printPath(parsed.expression) : undefined
}

/** The place of a nested member. */
export function below(place: Place | undefined, ...keys: readonly (string | number)[]): Place {
  return keys.reduce<Place | undefined>((parent, key) => at(parent, key), place) as Place
}
