import { isDecimal, stringifyJson, type Value } from '@engine/expression'
import type { Scalar } from 'yaml'
import { withDecimals } from './yaml-decimal.ts'
import { yamlLibrary } from './yaml-library.ts'

/** Nesting levels: the limit of JSON. Also stops an anchor that contains itself. */
const MAX_DEPTH = 128

/** Maximum number of alias expansions: otherwise a few lines could become gigabytes. */
const MAX_ALIASES = 100

/** JSON text, or the reason why the YAML is invalid. */
export type Converted = { readonly json: string } | { readonly reason: string }

/**
 * Converts YAML 1.2 text to JSON text. Integers of any size and fractions keep their digits; values without a JSON
 * equivalent are rejected.
 */
export function yamlToJson(text: string): Converted {
  try {
    const { LineCounter, parseDocument } = yamlLibrary()
    const lineCounter = new LineCounter()
    // The library compares each key with all previous ones; `keyFault` uses a set.
    const options = { version: '1.2', intAsBigInt: true, uniqueKeys: false, logLevel: 'error', lineCounter } as const
    const yaml = parseDocument(text, { ...options, customTags: withDecimals })
    const [error] = yaml.errors
    if (error !== undefined) return { reason: reasonOf(error.message) }
    const fault = keyFault(yaml.contents)
    if (fault !== undefined) {
      const { line, col } = lineCounter.linePos(fault.offset)
      return { reason: `${fault.reason} at line ${line}, column ${col}` }
    }
    return { json: jsonOf(yaml.toJS({ maxAliasCount: MAX_ALIASES }), 0) }
  } catch (cause) {
    return { reason: reasonOf(cause instanceof Error ? cause.message : 'it is not YAML') }
  }
}

interface KeyFault {
  readonly reason: string
  readonly offset: number
}

/**
 * The first key that JSON cannot have: anything other than a text, number, boolean or null, or a duplicate as text,
 * such as `1` and `"1"`. The target of an alias is checked where it is defined.
 */
function keyFault(root: unknown): KeyFault | undefined {
  const { isMap, isPair, isScalar, isSeq } = yamlLibrary()
  const pending: unknown[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isSeq(node)) {
      for (const item of node.items.toReversed()) pending.push(item)
    } else if (isMap(node)) {
      const keys = new Set<string>()
      const offset = node.range?.[0] ?? 0
      for (const { key } of node.items) {
        if (!isScalar(key)) return { reason: 'A key is a single text, not an alias, a list or a map', offset }
        const name = keyText(key)
        if (keys.has(name)) return { reason: 'Map keys must be unique', offset: key.range?.[0] ?? offset }
        keys.add(name)
      }
      for (const { value } of node.items.toReversed()) pending.push(value)
    } else if (isPair(node)) pending.push(node.value)
  }
  return undefined
}

/** The key as it will be in JSON. */
function keyText({ value }: Scalar): string {
  return value === null || value === undefined ? '' : `${value as string | number | bigint | boolean}`
}

/** Translations of the YAML parser's messages, by prefix. */
const REASONS: readonly (readonly [beginning: string, reason: string])[] = [
  ['Maximum call stack', 'it is nested too deeply'],
  ['Source contains multiple documents', 'it contains several documents, but a rule file has one'],
  ['Excessive alias count', 'its aliases (`*name`) expand beyond the limit'],
]

/** The first line of a message, which contains the position; the other lines show an excerpt. */
function reasonOf(message: string): string {
  const known = REASONS.find(([beginning]) => message.startsWith(beginning))
  return known?.[1] ?? message.split('\n', 1)[0]?.replace(/:$/, '') ?? message
}

function jsonOf(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, depth + 1)).join(',')}]`
  if (isPlain(value)) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member, depth + 1)}`)
    return `{${members.join(',')}}`
  }
  return scalarOf(value)
}

function scalarOf(value: unknown): string {
  if (typeof value === 'bigint' || isDecimal(value)) return String(value)
  const isJson = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  const what = typeof value === 'number' ? `the number \`${value}\`` : 'a date, binary data or another type'
  if (!isJson) throw new Error(`it contains ${what}, which JSON does not have`)
  // A number with an exponent stays a double.
  return stringifyJson(value as Value)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
