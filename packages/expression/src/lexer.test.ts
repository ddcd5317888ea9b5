import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tokenize } from './lexer.ts'

/** Kind and text of each token except the final `end`. */
function shownTokens(text: string): readonly string[] {
  return tokenize(text)
    .tokens.slice(0, -1)
    .map((token) => `${token.kind} ${token.text}`)
}

describe('a text is cut into tokens', () => {
  test.each<[text: string, tokens: readonly string[]]>([
    ['', []],
    [' \t\r\n', []],
    ['a', ['name a']],
    ['_a1', ['name _a1']],
    ['größe', ['name größe']],
    ['名前', ['name 名前']],
    ['𝒳', ['name 𝒳']],
    ['a1.b2', ['name a1', 'punctuation .', 'name b2']],
    ['a-b', ['name a', 'operator -', 'name b']],
    ['$', ['root $']],
    ['$.a', ['root $', 'punctuation .', 'name a']],
    ['$a', ['variable a']],
    ['$if.then', ['variable if', 'punctuation .', 'name then']],
    ['$["a"]', ['root $', 'punctuation [', 'string "a"', 'punctuation ]']],
    ['a.*', ['name a', 'punctuation .', 'wildcard *']],
    ['a * b', ['name a', 'operator *', 'name b']],
    ['a.*.b*c', ['name a', 'punctuation .', 'wildcard *', 'punctuation .', 'name b', 'operator *', 'name c']],
    ['1', ['number 1']],
    ['1.5e-3', ['number 1.5e-3']],
    ['a.0.1', ['name a', 'punctuation .', 'number 0', 'punctuation .', 'number 1']],
    ['1<=2', ['number 1', 'operator <=', 'number 2']],
    ['a==b!=c', ['name a', 'operator ==', 'name b', 'operator !=', 'name c']],
    ['a||!b&&c', ['name a', 'operator ||', 'operator !', 'name b', 'operator &&', 'name c']],
    ['x=>x', ['name x', 'punctuation =>', 'name x']],
    ['a?b:c', ['name a', 'punctuation ?', 'name b', 'punctuation :', 'name c']],
    [
      'f(a,{"k":[1]})',
      [
        'name f',
        'punctuation (',
        'name a',
        'punctuation ,',
        'punctuation {',
        'string "k"',
        'punctuation :',
        'punctuation [',
        'number 1',
        'punctuation ]',
        'punctuation }',
        'punctuation )',
      ],
    ],
    ['if a then b else c', ['keyword if', 'name a', 'keyword then', 'name b', 'keyword else', 'name c']],
    ['not in', ['keyword not', 'keyword in']],
    ['a.not.in', ['name a', 'punctuation .', 'name not', 'punctuation .', 'name in']],
    ['inside notes iffy', ['name inside', 'name notes', 'name iffy']],
    ['true false null', ['keyword true', 'keyword false', 'keyword null']],
    ['IF', ['name IF']],
  ])('%j', (text, tokens) => {
    expect(shownTokens(text)).toEqual(tokens)
    expect(tokenize(text).problems).toEqual([])
  })
})

describe('values of literals', () => {
  test.each<[text: string, value: number | bigint | string]>([
    ['0', 0],
    ['0.5', 0.5],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['1e16', 1e16],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', Number.MIN_VALUE],
    ['1e-999', 0],
    ['""', ''],
    ["''", ''],
    ["'a\"b'", 'a"b'],
    ['"it\'s"', "it's"],
    ['"\\n\\t\\r\\b\\f\\/\\\\\\"\\\'"', '\n\t\r\b\f/\\"\''],
    ['"\\u0041\\u00e9"', 'Aé'],
    ['"\\ud83d\\udca5"', '💥'],
    ['"\\ud800"', '\ud800'],
    ['"// no comment"', '// no comment'],
    ['"a\u2028b"', 'a\u2028b'],
  ])('%s', (text, value) => {
    const [token] = tokenize(text).tokens
    expect(token).toEqual({
      kind: typeof value === 'string' ? 'string' : 'number',
      text,
      value,
      start: 0,
      end: text.length,
    })
  })
})

describe('after an error it continues', () => {
  test.each<[text: string, tokens: readonly string[], problems: readonly string[]]>([
    ['a @ b', ['name a', 'invalid @', 'name b'], ['unexpected-character 2-3']],
    ['a = “x', ['name a', 'invalid =', 'invalid “', 'name x'], ['wrong-operator 2-3', 'unexpected-character 4-5']],
    ['"\\q" + 1', ['invalid "\\q"', 'operator +', 'number 1'], ['unknown-escape 1-3']],
    ['"\\q\\w"', ['invalid "\\q\\w"'], ['unknown-escape 1-3', 'unknown-escape 3-5']],
    ['1_000 + 007', ['invalid 1_000', 'operator +', 'invalid 007'], ['malformed-number 0-5', 'malformed-number 8-11']],
    ['a /* b */ + c', ['name a', 'invalid /* b */', 'operator +', 'name c'], ['comment 2-9']],
    ['a // b\n+ c', ['name a', 'invalid // b', 'operator +', 'name c'], ['comment 2-6']],
    ['a /* b', ['name a', 'invalid /* b'], ['comment 2-6']],
    ['"a\nb" c', ['invalid "a\nb"', 'name c'], ['line-break-in-string 2-3']],
    ['"a', ['invalid "a'], ['unterminated-string 0-1']],
    ['\ud800', ['invalid \ud800'], ['unexpected-character 0-1']],
  ])('%j', (text, tokens, problems) => {
    expect(shownTokens(text)).toEqual(tokens)
    expect(tokenize(text).problems.map(({ code, at }) => `${code} ${at.start}-${at.end}`)).toEqual(problems)
  })
})

test('tokens follow each other and miss nothing but space', () => {
  const text = ' if a.b[0] >= 1.5e3 then $v.* else "x y" + f(x => -x) @ /* c */ \u2028 '
  let at = 0
  for (const token of tokenize(text).tokens) {
    expect(text.slice(at, token.start).trim()).toBe('')
    expect(token.kind === 'variable' ? `$${token.text}` : token.text).toBe(text.slice(token.start, token.end))
    at = token.end
  }
  expect(at).toBe(text.length)
})

test.each([
  ['names', 'a'.repeat(60_000)],
  ['digits', '1'.repeat(60_000)],
  ['quotes', '"'.repeat(60_001)],
  ['backslashes', `"${'\\\\'.repeat(30_000)}"`],
  ['comment signs', '/*'.repeat(30_000)],
  ['brackets', '['.repeat(60_000)],
  ['odd characters', '@'.repeat(60_000)],
  ['line breaks in quotes', `"${'\n'.repeat(60_000)}`],
])('a text of only %s takes little time', (_what, text) => {
  const before = process.threadCpuUsage().user
  tokenize(text)
  // Microseconds of processor time, which does not depend on the load of the machine.
  expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000)
})

test.each(['„', '“', '«', '‘', '`', '„“', '“„'])(
  '60,000 quotes %s of other languages are 60,000 wrong tokens and 1,000 problems',
  (quotes) => {
    const { tokens, problems } = tokenize(quotes.repeat(60_000 / quotes.length))
    expect([tokens.length, problems.length]).toEqual([60_001, 1000])
  },
)

/** The modules of this package that a module imports, including itself. */
function importsOf(file: URL, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file.href)) return found
  found.add(file.href)
  const values = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type)[^']*? from '(\.[^']+)'/gm)
  for (const [, path = ''] of values) importsOf(new URL(path, file), found)
  return found
}

test('colouring a text loads no function and nothing that evaluates', () => {
  const loaded = [...importsOf(new URL('lexer.ts', import.meta.url))].map((href) => href.split('/src/')[1] ?? href)
  expect(loaded.sort()).toEqual([
    'decimal/decimal.ts',
    'defined.ts',
    'lexer.ts',
    'operator-table.ts',
    'problems.ts',
    'quote.ts',
    'suggest/foreign-forms.ts',
    'table-keys.ts',
    'token.ts',
    'types.ts',
    'value.ts',
  ])
})

test('the first thousand errors of a text are reported', () => {
  const { tokens, problems } = tokenize('@'.repeat(60_000))
  expect(tokens).toHaveLength(60_001)
  expect(problems).toHaveLength(1000)
  expect(problems.at(-1)).toMatchObject({ code: 'unexpected-character', at: { start: 999, end: 1000 } })
})
