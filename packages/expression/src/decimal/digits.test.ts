import { expect, test } from 'vitest'
import { type DigitLimits, exceededLimit } from './digits.ts'
import { numberOfText } from './decimal.ts'

const MONEY: DigitLimits = { digits: 12, decimals: 2 }

test.each<readonly [string, DigitLimits, string | undefined]>([
  ['0', MONEY, undefined],
  ['9.99', MONEY, undefined],
  ['-9.990', MONEY, undefined],
  ['9.999', MONEY, 'decimals'],
  ['0.001', MONEY, 'decimals'],
  ['9999999999.99', MONEY, undefined],
  ['-9999999999.99', MONEY, undefined],
  ['10000000000', MONEY, 'digits'],
  ['1e20', MONEY, 'digits'],
  ['0.1000000000000000055', MONEY, 'decimals'],
  ['0.1000000000000000055', { decimals: 19 }, undefined],
  ['0.1000000000000000055', { decimals: 18 }, 'decimals'],
  ['123456789012345678901234567890.1234', { digits: 34, decimals: 4 }, undefined],
  ['1234567890123456789012345678901.123', { digits: 34, decimals: 4 }, 'digits'],
  ['100', { digits: 2 }, 'digits'],
  ['99', { digits: 2 }, undefined],
  ['9.9', { digits: 2 }, undefined],
  ['9.99', { digits: 2 }, 'digits'],
  ['0.05', { digits: 2 }, undefined],
  ['0.05', { digits: 2, decimals: 2 }, undefined],
  ['1', { digits: 2, decimals: 2 }, 'digits'],
  ['1e-20', { decimals: 14 }, 'decimals'],
  ['1e22', {}, undefined],
])('%s within %j: exceeds %s', (text, limits, exceeded) => {
  expect(exceededLimit(numberOfText(text) ?? NaN, limits)).toBe(exceeded)
})
