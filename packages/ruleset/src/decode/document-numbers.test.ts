import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'

const LONG = '0.1000000000000000055'

function documentOf(numbers: string, reading: 'document' | 'exact'): Value {
  const text = `{
    "config": { "name": "a", "entry_step": "end", "numbers": "${numbers}", "field_missing": "default", "defaults": { "x": ${LONG} } },
    "steps": { "end": { "id": "end", "type": "terminal", "result": { "code": "OK", "message": "",
      "field": [${LONG}, 1e23], "output": [["default", "x"], ["literal", { "Literal": ${LONG} }], ["json", ${LONG}], ["large", 1e23],
        ["same", { "Binary": { "op": "Eq", "left": { "Literal": 1e23 }, "right": { "Literal": 100000000000000000000000 } } }]] } } } }`
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: reading })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  return parsed.value
}

function outputOf(document: Value): string {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  const { output } = createProgram(ruleset, testHost()).decide({}) as { readonly output: Value }
  return stringifyJson(output)
}

const ZEROS = '0'.repeat(23)

describe('JSON constants of a document', () => {
  test('are decimals with all their digits in a decimal ruleset', () => {
    const expected = `{"field":[${LONG},1${ZEROS}],"default":${LONG},"literal":${LONG},"json":${LONG},"large":1${ZEROS},"same":true}`
    expect(outputOf(documentOf('decimal', 'document'))).toBe(expected)
    expect(outputOf(documentOf('decimal', 'exact'))).toBe(expected)
  })

  test('are the nearest doubles in a ruleset of doubles, however the document was read', () => {
    const expected = '{"field":[0.1,1e+23],"default":0.1,"literal":0.1,"json":0.1,"large":1e+23,"same":false}'
    expect(outputOf(documentOf('double', 'document'))).toBe(expected)
    expect(outputOf(documentOf('double', 'exact'))).toBe(expected)
  })
})
