import { post, repeat, type Row } from './row.ts'

/** Just below the limit of a body of YAML. */
const SIZE = 1024 * 1024 - 100

const times = (piece: string) => piece.repeat(Math.floor(SIZE / piece.length))

/** YAML that is expensive to parse, sent as a ruleset. */
const TEXTS: readonly (readonly [name: string, text: () => string])[] = [
  ['keys, all different', () => repeat(80_000, (index) => `k${index}: 1`, '\n')],
  ['keys in braces', () => `{${repeat(80_000, (index) => `k${index}: 1`, ', ')}}`],
  ['anchors', () => repeat(60_000, (index) => `- &a${index} x`, '\n')],
  ['aliases', () => `- &a x\n${times('- *a\n')}`],
  ['aliases of aliases', () => ['a: &a0 [x]', ...laughs(12)].join('\n')],
  ['brackets', () => times('[')],
  ['empty lists', () => `[${times('[],')}1]`],
  ['lists in lists, by dashes', () => times('- ')],
  ['maps in maps', () => repeat(1000, (index) => `${' '.repeat(index)}a:`, '\n')],
  ['keys by question marks', () => times('? ')],
  ['colons', () => times(': ')],
  ['words', () => `a: [${times('x, ')}y]`],
  ['comments', () => times('#\n')],
  ['tags', () => times('- !!str x\n')],
  ['wrong escapes', () => times('- "\\q"\n')],
]

function laughs(levels: number): readonly string[] {
  return Array.from({ length: levels }, (_, level) => `b${level}: &a${level + 1} [${`*a${level},`.repeat(9)}]`)
}

export const YAML: readonly Row[] = [
  ...TEXTS.map(([name, text]): Row => ({
    name: `YAML of 1 MB: ${name}`,
    request: () => post('/rulesets/validate', text(), 'application/yaml'),
  })),
  {
    name: 'YAML: 17 concurrent bodies of brackets',
    times: 17,
    request: () => post('/rulesets/validate', times('['), 'application/yaml'),
  },
  { name: 'YAML of 1 KB: brackets', request: () => post('/rulesets/validate', '['.repeat(1024), 'application/yaml') },
]
