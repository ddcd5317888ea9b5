import { expect, test } from 'vitest'
import { quote } from './quote.ts'

test.each([
  ['plain', '`plain`'],
  ['', '``'],
  ['a\u202eb', '`aU+202Eb`'],
  ['a\nb\tc\0', '`aU+000AbU+0009cU+0000`'],
  ['\u2028\u2066\ufeff\u00a0', '`U+2028U+2066U+FEFFU+00A0`'],
  ['lone \ud800 surrogate', '`lone U+D800 surrogate`'],
  ['größe 名前 💥', '`größe 名前 💥`'],
  ['x'.repeat(81), `\`${'x'.repeat(80)}…\``],
  [`${'x'.repeat(79)}💥y`, `\`${'x'.repeat(79)}…\``],
])('%j is shown as %s', (text, expected) => expect(quote(text)).toBe(expected))

test('the length can be given', () => expect(quote('abcdef', 3)).toBe('`abc…`'))
