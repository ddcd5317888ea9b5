import { strToU8 } from 'fflate'
import { expect, test } from 'vitest'
import { type Package, PartFault, readPart, readWorkbook } from './workbook.ts'

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function packageOf(parts: Readonly<Record<string, string | Uint8Array>>, left = 100_000): Package {
  const files = Object.entries(parts).map(([path, content]) => {
    const packed = typeof content === 'string' ? strToU8(content) : content
    return [path, { method: 0, packed, size: packed.length }] as const
  })
  return { files: new Map(files), allowance: { left } }
}
const relations = (...targets: readonly (readonly [id: string, type: string, target: string, more?: string])[]) =>
  `<Relationships>${targets.map(([id, type, target, more = '']) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}" ${more}/>`).join('')}</Relationships>`
const workbook = (content: string) => `<workbook xmlns:r="${RELATIONS}">${content}</workbook>`

const MAIN = relations(['r1', 'officeDocument', 'xl/workbook.xml'])
const PARTS = {
  '_rels/.rels': MAIN,
  'xl/_rels/workbook.xml.rels': relations(
    ['s1', 'worksheet', 'worksheets/sheet1.xml'],
    ['s2', 'worksheet', '/other/./sheet2.xml'],
    ['s3', 'chartsheet', 'charts/sheet3.xml'],
    ['s4', 'worksheet', 'https://example.com/sheet4.xml', 'TargetMode="External"'],
    ['t', 'sharedStrings', '../texts.xml'],
    ['y', 'styles', 'styles.xml'],
  ),
  'xl/workbook.xml': workbook(
    `<workbookPr date1904="1"/><sheets>${['s1', 's2', 's3', 's4', 's5'].map((id) => `<sheet name="${id}" r:id="${id}"/>`).join('')}<sheet/></sheets>`,
  ),
}

test('the parts of a workbook are found by its relations', () => {
  expect(readWorkbook(packageOf(PARTS))).toEqual({
    sheets: [
      { name: 's1', path: 'xl/worksheets/sheet1.xml' },
      { name: 's2', path: 'other/sheet2.xml' },
      { name: 's3', path: undefined },
      { name: 's4', path: undefined },
      { name: 's5', path: undefined },
      { name: '', path: undefined },
    ],
    texts: 'texts.xml',
    styles: 'xl/styles.xml',
    is1904: true,
  })
})

test('a sheet is found by its id of relationships, not by that of another namespace', () => {
  const sheets = '<sheets xmlns:x="urn:x"><sheet name="s" x:id="s2" r:id="s1"/></sheets>'
  const parts = { ...PARTS, 'xl/workbook.xml': workbook(sheets) }
  expect(readWorkbook(packageOf(parts)).sheets).toEqual([{ name: 's', path: 'xl/worksheets/sheet1.xml' }])
})

test.each([
  ['date1904="true"', true],
  ['date1904="0"', false],
  ['', false],
])('days of a workbook with %j are counted from 1904: %j', (attribute, is1904) => {
  const parts = { ...PARTS, 'xl/workbook.xml': workbook(`<workbookPr ${attribute}/>`) }
  expect(readWorkbook(packageOf(parts))).toMatchObject({ sheets: [], is1904 })
})

test('a workbook may have neither shared texts nor styles', () => {
  const parts = { ...PARTS, 'xl/_rels/workbook.xml.rels': relations() }
  expect(readWorkbook(packageOf(parts))).toMatchObject({ texts: undefined, styles: undefined })
})

const NO_MAIN = 'the package has no workbook: it was not written by Excel 2007 or later'

test.each<readonly [title: string, parts: Readonly<Record<string, string | Uint8Array>>, message: string]>([
  ['no parts', {}, NO_MAIN],
  ['no main part', { '_rels/.rels': relations(['r1', 'other', 'x.xml']) }, NO_MAIN],
  ['no relations', { '_rels/.rels': MAIN }, NO_MAIN],
  [
    'no workbook',
    { '_rels/.rels': MAIN, 'xl/_rels/workbook.xml.rels': relations() },
    'the part `xl/workbook.xml` is missing',
  ],
  ['no XML', { '_rels/.rels': '<a>' }, 'the part `_rels/.rels` cannot be read: unclosed tag: a'],
  [
    'bytes that are no text',
    { '_rels/.rels': Uint8Array.from([...strToU8('<a>'), 0xff, ...strToU8('</a>')]) },
    'the part `_rels/.rels` cannot be read: it is not UTF-8',
  ],
])('a package with %s is refused', (_, parts, message) => {
  expect(() => readWorkbook(packageOf(parts))).toThrow(new PartFault(message))
})

test('errors of a reader are not those of the part', () => {
  const handler = {
    open() {
      throw new RangeError('x')
    },
    text() {},
    close() {},
  }
  expect(() => readPart(packageOf({ a: '<a/>' }), 'a', handler)).toThrow(new RangeError('x'))
})
