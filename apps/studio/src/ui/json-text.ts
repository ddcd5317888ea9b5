import type { Value } from '@engine/expression'

const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** A value as JSON with indentation; integers keep all their digits. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? raw(String(one)) : one), 2)
}

/** A value in one short line. */
export function short(value: Value | undefined, most = 24): string {
  const text = value === undefined ? '–' : pretty(value).replaceAll(/\n\s*/g, ' ')
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
