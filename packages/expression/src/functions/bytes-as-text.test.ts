import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { NATIVE, PORTABLE } from './bytes-as-text.ts'

/** The result, or that the text is malformed. */
function outcome<Result>(run: () => Result): Result | 'malformed' {
  try {
    return run()
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'malformed'
  }
}

const runs = casesOfProperty(20_000)
const DECODERS = ['fromBase64', 'fromBase64Url', 'fromHex'] as const

describe('the portable methods equal the native ones', () => {
  test('encoding bytes, and decoding what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(PORTABLE.toBase64(bytes)).toBe(NATIVE.toBase64(bytes))
        expect(PORTABLE.toBase64Url(bytes)).toBe(NATIVE.toBase64Url(bytes))
        expect(PORTABLE.fromBase64(NATIVE.toBase64(bytes))).toEqual(bytes)
        expect(PORTABLE.fromHex(bytes.toHex())).toEqual(bytes)
      }),
      runs,
    )
  })

  test.each(DECODERS)('%s of any text, malformed ones among them', (decode) => {
    const text = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_=', ' ', '\n', '\v', 'é'), maxLength: 12 })
    fc.assert(
      fc.property(text, (subject) => {
        expect(outcome(() => PORTABLE[decode](subject))).toEqual(outcome(() => NATIVE[decode](subject)))
      }),
      runs,
    )
  })
})
