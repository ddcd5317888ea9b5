import { refuseName } from '@engine/ruleset'

/** Names of steps and variables that are all different. */
export class FreshNames {
  readonly #taken = new Set<string>()

  /** The wanted name, with a number where it is taken. */
  fresh(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}_${number}`
    this.#taken.add(name)
    return name
  }
}

/** Longest id that is made of a text. */
const LONGEST = 60

/** A text as the name of a variable, or of a step. */
export function plainName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, LONGEST)
  if (name === '') return otherwise
  return /^\d/.test(name) ? `${otherwise}_${name}` : name
}

/** A text as the name of a ruleset. */
export function rulesetName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, LONGEST)
  return refuseName(name) === undefined && !/\.r\d+$/.test(name) ? name : otherwise
}
