import { describe, expect, test } from 'vitest'
import { type ParseJsonOptions, parseJson, readJson, stringifyJson } from './json.ts'

const LONG = '0.1000000000000000055'
const OPTIONS = { duplicateKeys: 'refuse' } as const

function read(text: string, numbers: ParseJsonOptions['numbers']): string {
  const whole = parseJson(text, { ...OPTIONS, numbers })
  if (whole.kind === 'failed') return whole.problem.code
  const reading = readJson(text, { ...OPTIONS, numbers })
  for (;;) {
    const parsed = reading.advance(7)
    if (parsed === undefined) continue
    if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
    const inPieces = stringifyJson(parsed.value)
    expect(inPieces).toBe(stringifyJson(whole.value))
    return inPieces
  }
}

describe('numbers of documents', () => {
  const DECIMAL = '"config":{"numbers":"decimal"}'
  test.each([
    ['a double document', `{"config":{"numbers":"double"},"a":${LONG}}`, '{"config":{"numbers":"double"},"a":0.1}'],
    ['a document that does not state its numbers', `{"config":{},"a":${LONG}}`, '{"config":{},"a":0.1}'],
    ['a decimal document', `{${DECIMAL},"a":[${LONG}]}`, `{${DECIMAL},"a":[${LONG}]}`],
    [
      'an integer with an exponent',
      `{${DECIMAL},"a":1.5e22,"b":${LONG}}`,
      `{${DECIMAL},"a":15000000000000000000000,"b":${LONG}}`,
    ],
    [
      'a decimal document within another value',
      `[${LONG},{"r":{${DECIMAL},"a":${LONG}},"b":${LONG}}]`,
      `[0.1,{"r":{${DECIMAL},"a":${LONG}},"b":0.1}]`,
    ],
    [
      'a decimal document below the key `__proto__`',
      `{"__proto__":{${DECIMAL},"a":${LONG}}}`,
      `{"__proto__":{${DECIMAL},"a":${LONG}}}`,
    ],
    [
      'a config that is inherited',
      `{"config":{"__proto__":{"numbers":"decimal"}},"a":${LONG}}`,
      '{"config":{"__proto__":{"numbers":"decimal"}},"a":0.1}',
    ],
    ['no JSON', `{${DECIMAL},"a":${LONG}`, 'malformed-json'],
    ['a key that occurs twice', `{${DECIMAL},"a":${LONG},"a":1}`, 'duplicate-key'],
  ])('%s', (_, text, found) => expect(read(text, 'document')).toBe(found))
})

test.each([
  ['1e+21', '1e+21'],
  ['1000000000000000000000', '1000000000000000000000'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['0.300000000000000040', '0.30000000000000004'],
  [LONG, LONG],
  [`[1,"a",${LONG},1e-400]`, `[1,"a",${LONG},1e-400]`],
])('an exact reading of %s gives %s again', (text, written) => expect(read(text, 'exact')).toBe(written))
