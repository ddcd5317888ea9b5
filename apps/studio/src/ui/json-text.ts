import { isDecimal, type Value } from '@engine/expression'

const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** A value as indented JSON; numbers keep all their digits. */
export function pretty(value: unknown): string {
  return JSON.stringify(withDigits(value), undefined, 2)
}

/** Integers beyond 2^53 and decimals as raw JSON. */
function withDigits(value: unknown): unknown {
  if (typeof value === 'bigint' || isDecimal(value)) return raw(String(value))
  if (Array.isArray(value)) return value.map(withDigits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDigits(member)]))
}

/** A value in one short line. */
export function short(value: unknown, most = 24): string {
  const text = value === undefined ? '–' : pretty(value).replaceAll(/\n\s*/g, ' ')
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** A value for display: text without quotes, everything else as JSON, truncated after `most` characters. */
export const plain = (value: Value | undefined, most: number): string =>
  typeof value === 'string' && value !== ''
    ? value.length > most
      ? `${value.slice(0, most)}…`
      : value
    : short(value, most)
