import { isObject, parseJson, stringifyJson, type Value } from '@engine/expression'
import { styleText } from 'node:util'

const COLORS: Readonly<Record<string, 'gray' | 'green' | 'yellow' | 'red'>> = {
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
}

/** Characters that control a terminal or reverse the direction of text: a value must not rewrite other lines. */
// oxlint-disable-next-line no-control-regex -- these are the ones
const CONTROL_CHARACTERS = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g
/** Texts that need no quotes. */
const PLAIN = /^[^\s"\\=]+$/

/** Members with a fixed position in the line, or with the same value in all lines of a program. */
const PLACED: ReadonlySet<string> = new Set(['level', 'time', 'service', 'instance', 'msg'])

/**
 * A log line for people: `17:14:48.123Z info engine-server: listening url=http://127.0.0.1:8080 rulesets=11`, the stack
 * of an error below it. The time is UTC.
 *
 * @param line JSON in the form that the log writes elsewhere; anything but an object is returned unchanged
 * @param isColored whether the level has a color
 */
export function logText(line: string, isColored: boolean): string {
  const parsed = parseJson(line, { duplicateKeys: 'last' })
  if (parsed.kind !== 'parsed' || !isObject(parsed.value)) return line
  const fields = parsed.value
  const { level, time, service, msg } = fields
  const named = wordOf(level)
  const label = named.padEnd(5)
  const color = isColored && Object.hasOwn(COLORS, named) ? COLORS[named] : undefined
  const head = `${wordOf(time).slice(11)} ${color === undefined ? label : styleText(color, label, { validateStream: false })}`
  const others = Object.entries(fields).filter(([name]) => !PLACED.has(name))
  const stacks = others.flatMap(([, value]) => stackOf(value) ?? [])
  const pairs = fieldsText(Object.fromEntries(others.filter(([, value]) => stackOf(value) === undefined)))
  const tail = pairs === '' ? '' : `  ${pairs}`
  return `${head} ${wordOf(service)}: ${wordOf(msg)}${tail}\n${stacks.join('')}`
}

/** Fields as pairs, `port=8080 url="a b"`, without characters that control a terminal. */
export const fieldsText = (fields: Readonly<Record<string, Value>>) =>
  Object.entries(fields)
    .map(([name, value]) => `${shown(name)}=${shown(value)}`)
    .join(' ')

const visible = (text: string) =>
  text.replaceAll(CONTROL_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const wordOf = (value: Value | undefined) => (typeof value === 'string' ? visible(value) : '')

const shown = (value: Value) => visible(typeof value === 'string' && PLAIN.test(value) ? value : stringifyJson(value))

/** The stack of a serialized error, indented. */
function stackOf(value: Value): string | undefined {
  if (!isObject(value)) return undefined
  const { stack } = value
  if (typeof stack !== 'string') return undefined
  return stack
    .split('\n')
    .map((line) => `    ${visible(line)}\n`)
    .join('')
}
