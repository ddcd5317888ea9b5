import { isList, isObject, parseJson } from '@engine/expression'
import { basename } from 'node:path'

/** Names of JSON files that a project has for its tools. */
const NAME =
  /^(?:package|package-lock|npm-shrinkwrap|(?:ts|js)config(?:\.[\w.-]+)?|deno|composer|angular|nest-cli|nx|turbo|lerna|biome|jest\.config|vercel|firebase|renovate)\.json$/

/** Members of a document: a decision of GoRules, a rule of json-rules-engine, an object of rules. */
const MEMBERS = ['nodes', 'conditions', 'rules']

/** Whether a file is one of a project's tools by its name, and no document of a format in JSON by its content. */
export function isProjectFile(path: string, bytes: Uint8Array): boolean {
  if (!NAME.test(basename(path))) return false
  const parsed = parseJson(new TextDecoder().decode(bytes), { duplicateKeys: 'last', numbers: 'document' })
  // Files of tools may have comments, which JSON has not.
  if (parsed.kind === 'failed') return true
  const { value } = parsed
  return !isList(value) && !(isObject(value) && MEMBERS.some((member) => Object.hasOwn(value, member)))
}
