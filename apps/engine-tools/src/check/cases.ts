import { type Case, decodeCases } from '@engine/authoring'
import { isObject, parseJson, quote, type Value } from '@engine/expression'

/** A file of cases has mistakes: one message for each, with its place. */
export class BadCases extends Error {}

/**
 * Read a file of cases: a list of `{name, input, expect, now?, stubs?}`, or an object with it in `cases`, which may name its
 * JSON Schema in `$schema`. Throws `BadCases`.
 */
export function parseCases(text: string): readonly Case[] {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'failed') throw new BadCases(parsed.problem.message)
  const { cases, faults } = decodeCases(listIn(parsed.value))
  if (faults.length > 0)
    throw new BadCases(faults.map(({ path, message }) => `${path === '' ? 'it' : `\`${path}\``} ${message}`).join('; '))
  return cases
}

function listIn(file: Value): Value {
  if (!isObject(file)) return file
  const { cases, $schema: _schema, ...others } = file
  const [stranger] = Object.keys(others)
  if (stranger !== undefined) throw new BadCases(`${quote(stranger)} is unknown: expected \`cases\``)
  if (cases === undefined) throw new BadCases('`cases` is missing: the list of cases')
  return cases
}
