import type { Value } from '@engine/expression'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRuleFile } from './read.ts'
import { writeRuleFile } from './write.ts'

test.each(['.json', '.yaml', '.yml', '.engine'] as const)(
  'a document written as %s is read as the same document',
  (ending) => {
    const document = {
      '\uFEFFfirst': '\uFEFF',
      config: { name: 'a', 'a\\/': 1, 'a/b': 2, '"': 3 },
      numbers: [1e20, 100000000000000000001n, 9007199254740992n, -1e16, 0.30000000000000004, 1e300],
      texts: ['1e20', '~', 'yes', '0x10', ' a', 'a\nb', '\u2028', '# x'],
    } as unknown as { [key: string]: Value }
    const read = readRuleFile(`a${ending}`, writeRuleFile(ending, document))
    expect('document' in read && read.document).toStrictEqual(document)
  },
)

const text = fc.string({ unit: fc.constantFrom(...' \n\t\r\u0085\u2028\uFEFFa#:-?|>\'"{[&*!%@`~,'), maxLength: 8 })
const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 3 }))

test.each(['.yaml', '.yml', '.json'] as const)('any text written as %s is read back unchanged', (ending) => {
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 3 }), (document) => {
      const read = readRuleFile(`a${ending}`, writeRuleFile(ending, document))
      expect('document' in read && read.document).toEqual(document)
    }),
    { numRuns: 1000, examples: [[{ a: ' \n' }], [{ a: ' \n\n' }], [{ a: '\n \n' }], [{ a: '  a\nb' }]] },
  )
})

test('a YAML file that is signed again keeps every text', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 3 }), (document) => {
      const original = writeRuleFile('.yaml', document)
      const signed = { ...document, _signature: { a: 'b' } }
      const read = readRuleFile('a.yaml', writeRuleFile('.yaml', signed, original))
      expect('document' in read && read.document).toEqual(signed)
    }),
    { numRuns: 300 },
  )
})
