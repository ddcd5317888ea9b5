import { parseDocument } from 'yaml'

/** Levels of nesting: what JSON is held to as well. Also what ends an anchor that holds itself. */
const DEEPEST = 128

/** Aliases are followed at most this often: a few lines could else become gigabytes. */
const MOST_ALIASES = 100

/** JSON text, or what is wrong with the YAML. */
export type Converted = { readonly json: string } | { readonly reason: string }

/** Turns YAML 1.2 text into JSON text. Whole numbers of any size keep their digits; what JSON has not is refused. */
export function yamlToJson(text: string): Converted {
  try {
    const yaml = parseDocument(text, { version: '1.2', intAsBigInt: true, uniqueKeys: true, logLevel: 'error' })
    const [error] = yaml.errors
    if (error !== undefined) return { reason: reasonOf(error.message) }
    return { json: jsonOf(yaml.toJS({ maxAliasCount: MOST_ALIASES }), 0) }
  } catch (cause) {
    return { reason: reasonOf(cause instanceof Error ? cause.message : 'it is not YAML') }
  }
}

/** What a message of the YAML reader means here; by its beginning. */
const REASONS: readonly (readonly [beginning: string, reason: string])[] = [
  ['Maximum call stack', 'it is nested too deeply'],
  ['Source contains multiple documents', 'it holds several documents, and a rule file holds one'],
  ['Excessive alias count', 'its aliases (`*name`) multiply to more than it may hold'],
]

/** The first line of a message, which names the place; the others draw it. */
function reasonOf(message: string): string {
  const known = REASONS.find(([beginning]) => message.startsWith(beginning))
  return known?.[1] ?? message.split('\n', 1)[0]?.replace(/:$/, '') ?? message
}

function jsonOf(value: unknown, depth: number): string {
  if (depth > DEEPEST) throw new Error(`it is nested more than ${DEEPEST} levels deep`)
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, depth + 1)).join(',')}]`
  if (isPlain(value)) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member, depth + 1)}`)
    return `{${members.join(',')}}`
  }
  return scalarOf(value)
}

function scalarOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  const what = typeof value === 'number' ? `the number \`${value}\`` : 'a date, binary data or the like'
  if (!isJson) throw new Error(`it holds ${what}, which JSON does not have`)
  return JSON.stringify(value)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
