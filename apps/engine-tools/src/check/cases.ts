import { type Case, decodeCases } from '@engine/authoring'
import { parseJson } from '@engine/expression'

/** A file of cases has mistakes: one message for each, with its place. */
export class BadCases extends Error {}

/** Read a file of cases: a list of `{name, input, expect, now?, stubs?}`. Throws `BadCases`. */
export function parseCases(text: string): readonly Case[] {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'failed') throw new BadCases(parsed.problem.message)
  const { cases, faults } = decodeCases(parsed.value)
  if (faults.length > 0)
    throw new BadCases(faults.map(({ path, message }) => `${path === '' ? 'it' : `\`${path}\``} ${message}`).join('; '))
  return cases
}
