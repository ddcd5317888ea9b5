import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { readRuleFile } from './read.ts'
import { writeRuleFile } from './write.ts'

test.each(['.json', '.yaml', '.yml', '.engine'] as const)(
  'what is written as %s is read as the same document',
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
