import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ToolError } from '../tool.ts'
import { textLines, utf8Of } from './text-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'engine-lines-'))

/** The lines of a file with this content. */
async function linesOf(content: string | Uint8Array) {
  const path = join(folder, 'file')
  writeFileSync(path, content)
  return (await Array.fromAsync(textLines(path))).map(({ text, isComplete }) => [text, isComplete])
}

/** More than a stream reads in one piece. */
const LONG = 'x'.repeat(70_000)

describe('the lines of a file', () => {
  test.each<[title: string, content: string | Uint8Array, lines: readonly unknown[]]>([
    ['nothing', '', []],
    ['one line', 'a\n', [['a', true]]],
    [
      'a last line without its end',
      'a\nb',
      [
        ['a', true],
        ['b', false],
      ],
    ],
    ['an empty line', '\n', [['', true]]],
    [
      'empty lines between others',
      'a\n\nb\n',
      [
        ['a', true],
        ['', true],
        ['b', true],
      ],
    ],
    [
      'other ends of lines, which end none',
      'a\r\nb\rc\u2028d\n',
      [
        ['a\r', true],
        ['b\rc\u2028d', true],
      ],
    ],
    [
      'lines longer than what is read at once',
      `${LONG}\n${LONG}é\n`,
      [
        [LONG, true],
        [`${LONG}é`, true],
      ],
    ],
    ['a long line without its end', LONG, [[LONG, false]]],
    [
      'bytes that are no text',
      Buffer.from([0x61, 0x0a, 0xff, 0x0a, 0x62]),
      [
        ['a', true],
        [undefined, true],
        ['b', false],
      ],
    ],
    ['a byte order mark, which stays', '\u{FEFF}a\n', [['\u{FEFF}a', true]]],
  ])('%s', async (_, content, expected) => {
    expect(await linesOf(content)).toEqual(expected)
  })

  test('a line of 64 MiB is the longest', async () => {
    const longest = Buffer.alloc(64 * 1024 * 1024, 'x')
    const [[text, isComplete] = []] = await linesOf(longest)
    expect([(text as string).length, isComplete]).toEqual([longest.length, false])
    const path = join(folder, 'file')
    writeFileSync(path, Buffer.concat([longest, Buffer.from('x')]))
    const refused: unknown = await Array.fromAsync(textLines(path)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ToolError)
    expect((refused as Error).message).toBe(`${path}: a line has more than 67108864 bytes`)
  })

  test('many lines may have more than that in total', async () => {
    const line = Buffer.alloc(1024 * 1024, 'x')
    line[line.length - 1] = 0x0a
    const path = join(folder, 'file')
    writeFileSync(path, Buffer.concat(Array.from({ length: 65 }, () => line)))
    let count = 0
    for await (const { text, isComplete } of textLines(path)) {
      expect([text?.length, isComplete]).toEqual([line.length - 1, true])
      count++
    }
    expect(count).toBe(65)
  })

  test('a file that is not there is named', async () => {
    const path = join(folder, 'absent')
    await expect(Array.fromAsync(textLines(path))).rejects.toThrow(`${path}: cannot be read: it does not exist`)
  })
})

test.each<[bytes: readonly number[], text: string | undefined]>([
  [[], ''],
  [[0xc3, 0xa9], 'é'],
  [[0xef, 0xbb, 0xbf, 0x61], '\u{FEFF}a'],
  [[0xc3], undefined],
  [[0xed, 0xa0, 0x80], undefined],
])('bytes %j read as UTF-8', (bytes, text) => {
  expect(utf8Of(Uint8Array.from(bytes))).toBe(text)
})
