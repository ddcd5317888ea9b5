import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const DARK = css.indexOf("[data-theme='dark']")
const read = (text: string) =>
  Object.fromEntries(
    Array.from(text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g), ([, name = '', hex = '']) => [name, hex]),
  )
const light = read(css.slice(0, DARK))
const THEMES = { light, dark: { ...light, ...read(css.slice(DARK)) } }

/** Relative luminance and contrast as in WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (high + 0.05) / (low + 0.05)
}

const GROUNDS = ['bg', 'sheet', 'surface', 'sunken', 'hover', 'selected']
const KINDS = ['k-decision', 'k-action', 'k-table', 'k-terminal', 'k-sub_rule']
const SYNTAX = ['s-keyword', 's-number', 's-string', 's-function', 's-variable']
const CODES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c-other']

/** Texts on their grounds. */
const TEXTS: readonly (readonly [string, string])[] = [
  ...['text', 'text-2', 'text-3'].flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
  ...['accent', 'ok', 'warn', 'bad', 'cand', 'live'].flatMap((text) =>
    ['surface', 'sheet', `${text}-soft`].map((ground) => [text, ground] as const),
  ),
  ...[...KINDS, ...SYNTAX].map((text) => [text, 'surface'] as const),
  ['text', 'cand-soft'],
  ['text-2', 'cand-soft'],
  ['text-2', 'live-soft'],
  ['text-2', 'bad-soft'],
  ['text-2', 'ok-soft'],
  ['text-2', 'warn-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['surface', 'text'],
  ['text', 'env-middle'],
  ['on-env-last', 'env-last'],
]

/** Edges of controls, and marks that carry meaning. */
const MARKS: readonly (readonly [string, string])[] = [
  ...['line-strong', 'ok-line', 'warn-line', 'bad-line', 'cand-line', 'live-line'].map(
    (mark) => [mark, 'surface'] as const,
  ),
  ...CODES.flatMap((code) => [[code, 'surface'] as const, [code, 'sheet'] as const]),
]

describe.each(Object.entries(THEMES))('the %s theme', (_name, theme) => {
  const ratio = ([one, other]: readonly [string, string]) => contrast(theme[one] ?? '', theme[other] ?? '')
  const short = (pairs: typeof TEXTS, least: number) =>
    pairs.flatMap((pair) => (ratio(pair) >= least ? [] : [`${pair.join(' on ')}: ${ratio(pair).toFixed(2)}`]))

  test('has texts with a contrast of 4.5', () => expect(short(TEXTS, 4.5)).toEqual([]))
  test('has edges and marks with a contrast of 3', () => expect(short(MARKS, 3)).toEqual([]))
})

test('no result code has the colour of a link, a state, the candidate or the live version', () => {
  const taken = ['accent', 'ok-line', 'warn-line', 'bad-line', 'cand-line', 'live-line']
  for (const theme of Object.values(THEMES))
    for (const code of CODES.slice(0, 6)) expect(taken.map((name) => theme[name])).not.toContain(theme[code])
})
