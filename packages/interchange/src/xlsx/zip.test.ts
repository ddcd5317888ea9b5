import { strFromU8, strToU8, type ZippableFile, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { TooLarge } from '../size-error.ts'
import { unfolded, zipEntries, ZipFault } from './zip.ts'

const CONTENT = 'content '.repeat(20)
const archive = (level: 0 | 9 = 9) => zipSync({ 'a.xml': strToU8(CONTENT), 'b/c.xml': strToU8('') }, { level })

/** Offset of the record with a signature, from the end for the last one. */
function offsetOf(bytes: Uint8Array, signature: number, index = 0): number {
  const view = new DataView(bytes.buffer)
  const found: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at++) if (view.getUint32(at, true) === signature) found.push(at)
  return found[index] ?? -1
}
const END = 0x06054b50
const DIRECTORY = 0x02014b50
const LOCAL = 0x04034b50

/** The archive with a number of two or four bytes in a record. */
function changed(record: number, offset: number, value: number, size: 2 | 4 = 2): Uint8Array {
  const bytes = archive()
  const view = new DataView(bytes.buffer)
  const at = offsetOf(bytes, record) + offset
  if (size === 2) view.setUint16(at, value, true)
  else view.setUint32(at, value, true)
  return bytes
}

const textOf = (bytes: Uint8Array, path: string, left = 1000) => {
  const entry = zipEntries(bytes).get(path)
  if (entry === undefined) throw new Error(`no ${path}`)
  return Array.from(unfolded(entry, { left }), (piece) => strFromU8(piece)).join('')
}

test.each([0, 9] as const)('files of an archive of the level %d', (level) => {
  const bytes = archive(level)
  expect([...zipEntries(bytes).keys()]).toEqual(['a.xml', 'b/c.xml'])
  expect([textOf(bytes, 'a.xml'), textOf(bytes, 'b/c.xml')]).toEqual([CONTENT, ''])
})

test('an archive may have a comment, and paths may begin with a slash', () => {
  const bytes = archive()
  const withComment = (length: number) => Uint8Array.from([...bytes, ...Array.from({ length }, () => 0)])
  for (const length of [0, 1, 65_535]) expect(zipEntries(withComment(length)).size).toBe(2)
  expect(() => zipEntries(withComment(65_536))).toThrow(new ZipFault('it is not a zip archive, or incomplete'))
  expect([...zipEntries(zipSync({ '/a/b': strToU8('x') })).keys()]).toEqual(['a/b'])
  const file = (comment: string): ZippableFile => [strToU8('x'), { comment, extra: { 0xcafe: strToU8(comment) } }]
  expect([...zipEntries(zipSync({ a: file('one'), b: file('second'), c: file('') })).keys()]).toEqual(['a', 'b', 'c'])
})

test.each<readonly [title: string, bytes: () => Uint8Array, message: string]>([
  ['nothing', () => new Uint8Array(), 'it is not a zip archive, or incomplete'],
  ['the end missing', () => archive().slice(0, -1), 'it is not a zip archive, or incomplete'],
  ['too many files', () => changed(END, 10, 10_001), 'it has more than 10000 files'],
  ['files that are missing', () => changed(END, 10, 10_000), 'its directory is damaged'],
  ['one file more', () => changed(END, 10, 3), 'its directory is damaged'],
  ['a directory elsewhere', () => changed(END, 16, 1, 4), 'its directory is damaged'],
  ['a damaged directory', () => changed(DIRECTORY, 0, 0), 'its directory is damaged'],
  ['an encrypted file', () => changed(DIRECTORY, 8, 1), 'it is encrypted'],
  ['a large file', () => changed(DIRECTORY, 24, 0xffffffff, 4), 'it is larger than 4 GiB'],
  ['a large packed file', () => changed(DIRECTORY, 20, 0xffffffff, 4), 'it is larger than 4 GiB'],
  ['a file far away', () => changed(DIRECTORY, 42, 0xffffffff, 4), 'it is larger than 4 GiB'],
  ['a file behind the end', () => changed(DIRECTORY, 42, 100_000, 4), 'its directory is damaged'],
  ['a file at a wrong place', () => changed(DIRECTORY, 42, 1, 4), 'its directory is damaged'],
  ['a truncated file', () => changed(DIRECTORY, 20, 100_000, 4), 'one of its files is truncated'],
  [
    'a file that begins in its last bytes',
    () => Uint8Array.from([...changed(DIRECTORY, 42, archive().length, 4), 0x50, 0x4b, 3, 4]),
    'its directory is damaged',
  ],
  ['a damaged file', () => changed(LOCAL, 0, 0), 'its directory is damaged'],
])('an archive with %s is refused', (_, bytes, message) => {
  expect(() => zipEntries(bytes())).toThrow(new ZipFault(message))
})

test('an archive with one path twice is refused', () => {
  const bytes = zipSync({ 'a.xml': strToU8('1'), 'b.xml': strToU8('2') })
  bytes[offsetOf(bytes, DIRECTORY, 1) + 46] = 'a'.charCodeAt(0)
  expect(() => zipEntries(bytes)).toThrow(new ZipFault('it has the file `a.xml` twice'))
})

test.each<readonly [title: string, bytes: () => Uint8Array, message: string]>([
  ['another method', () => changed(DIRECTORY, 10, 9), 'a file is compressed by the method 9 instead of deflate'],
  ['more than is stated', () => changed(DIRECTORY, 24, 159, 4), 'one of its files is longer than stated'],
  [
    'damage',
    () => {
      const bytes = archive()
      return bytes.fill(0xff, offsetOf(bytes, LOCAL) + 35, offsetOf(bytes, LOCAL) + 40)
    },
    'one of its files is damaged',
  ],
])('a file with %s is refused', (_, bytes, message) => {
  expect(() => textOf(bytes(), 'a.xml')).toThrow(new ZipFault(message))
})

test('what files may hold in all is limited by their stated sizes', () => {
  expect(textOf(archive(), 'a.xml', 160)).toBe(CONTENT)
  expect(() => textOf(archive(), 'a.xml', 159)).toThrow(
    new TooLarge('the workbook exceeds the size limit when decompressed'),
  )
})

test('a long file is unfolded in pieces', () => {
  const long = Array.from({ length: 200_000 }, (_, at) => String.fromCharCode(97 + ((at * at) % 26))).join('')
  const bytes = zipSync({ long: strToU8(long) })
  expect(textOf(bytes, 'long', 200_000)).toBe(long)
})
