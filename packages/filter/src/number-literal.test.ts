import { numberOfText } from '@engine/expression'
import { expect, test } from 'vitest'
import { decimalLiteral } from './number-literal.ts'

test.each([
  ['0', '0'],
  ['5', '5'],
  ['-0.5', '-0.5'],
  ['1e-7', '0.0000001'],
  ['-1.25e-10', '-0.000000000125'],
  ['1e21', '1000000000000000000000'],
  ['12345678901234567890.5', '12345678901234567890.5'],
  ['1.234567890123456789e-7', '0.0000001234567890123456789'],
  ['100', '100'],
])('%s as a literal of decimals is %s', (text, literal) =>
  expect(decimalLiteral(numberOfText(text) ?? Number.NaN)).toBe(literal),
)
