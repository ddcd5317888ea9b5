import { expect, test } from 'vitest'
import type { InputField } from './contract.ts'
import { allowedText } from './declared-fields.ts'

test.each<[field: Partial<InputField>, text: string]>([
  [{}, ''],
  [{ minimum: 1 }, 'at least 1'],
  [{ maximum: 5 }, 'at most 5'],
  [{ minimum: 0, maximum: 0 }, 'at least 0 and at most 0'],
  [{ enum: ['a', 1] }, 'one of `"a"`, `1`'],
  [{ enum: ['a'], minimum: 1 }, 'one of `"a"` and at least 1'],
  [
    { type: 'decimal', digits: 5, decimals: 2 },
    'of at most 3 digits before the point and of at most 2 digits after the point',
  ],
  [{ type: 'decimal', maximum: 9, decimals: 1 }, 'at most 9 and of at most 1 digit after the point'],
])('the field %j allows values %s', (more, text) => {
  expect(allowedText({ name: 'a', type: 'number', ...more })).toBe(text)
})
