import { at, pointer } from '@engine/ruleset'

/** The JSON pointer of a step or of one of its branches. */
export function placeOf(step: string, branch?: number): string {
  const place = at(at(undefined, 'steps'), step)
  return pointer(branch === undefined ? place : at(at(place, 'branches'), branch))
}
