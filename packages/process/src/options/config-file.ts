import { nearest, quote } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { parseDocument } from 'yaml'
import type { OptionProgram, OptionTable } from './option.ts'

const require = createRequire(import.meta.url)

/** The flag that names the file. It is not in the option tables, because the file cannot contain it. */
export const CONFIG_FLAG = '--config'

/** The environment variable with the same meaning. */
export const configVariable = ({ envPrefix }: Pick<OptionProgram<OptionTable>, 'envPrefix'>): string =>
  `${envPrefix}CONFIG`

/** The texts of options in a file by their flags. */
export interface FileOptions {
  readonly texts: ReadonlyMap<string, string>
  readonly faults: readonly string[]
}

export const NO_FILE: FileOptions = { texts: new Map(), faults: [] }

/**
 * Reads a configuration file: YAML or JSON, an object whose keys are flags without `--`. Lists are joined by commas, as
 * in flags; null counts as unset.
 *
 * @param source source of the path, for messages
 */
export function readConfigFile(
  { options, otherFlags = [] }: Pick<OptionProgram<OptionTable>, 'options' | 'otherFlags'>,
  path: string,
  source: string,
): FileOptions {
  const fault = (message: string) => ({ ...NO_FILE, faults: [`${source}: ${quote(path)} ${message}`] })
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return fault(`cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`)
  }
  // Loaded on demand: most servers start without a file.
  const yaml: { readonly parseDocument: typeof parseDocument } = require('yaml')
  const document = yaml.parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) return fault(`is not YAML: ${error.message.split('\n', 1)[0]}`)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 0 })
  } catch {
    return fault('must not have aliases (`*name`)')
  }
  if (value === null) return NO_FILE
  if (typeof value !== 'object' || Array.isArray(value)) return fault('must have options such as `log-level: debug`')
  const known = Object.values(options).map(({ flag }) => flag.slice(2))
  const texts = new Map<string, string>()
  const faults: string[] = []
  for (const [key, given] of Object.entries(value)) {
    if (!known.includes(key)) {
      if (!otherFlags.includes(`--${key}`)) faults.push(`file ${quote(path)}: ${unknownKey(key, known)}`)
      continue
    }
    const written = textOf(given)
    if (written === undefined)
      faults.push(`file ${quote(path)}: ${quote(key)} must be a text, a number, \`true\`, \`false\` or a list of these`)
    else if (written !== '') texts.set(`--${key}`, written)
  }
  return { texts, faults }
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return `${quote(key)} is not an option${meant === undefined ? '' : `: did you mean ${quote(meant)}?`}`
}

/** As on the command line; empty for null; undefined for another value. */
function textOf(value: unknown): string | undefined {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return undefined
  const items = value.map(textOf)
  return items.every((item) => item !== undefined) ? items.join(',') : undefined
}
