import { strToU8, zipSync } from 'fflate'
import { cellName } from './sheet.ts'

/** The XML of a cell without its position. */
export type WrittenCell = { readonly attributes?: string; readonly content: string } | undefined

export const text = (value: string): WrittenCell => ({
  attributes: 't="inlineStr"',
  content: `<is><t xml:space="preserve">${escaped(value)}</t></is>`,
})
export const shared = (index: number): WrittenCell => ({ attributes: 't="s"', content: `<v>${index}</v>` })
export const number = (value: number | string, style?: number): WrittenCell => ({
  ...(style !== undefined && { attributes: `s="${style}"` }),
  content: `<v>${value}</v>`,
})
export const flag = (value: boolean): WrittenCell => ({ attributes: 't="b"', content: `<v>${value ? 1 : 0}</v>` })
export const formula = (value: string, cached: string): WrittenCell => ({
  attributes: 't="str"',
  content: `<f>${escaped(value)}</f><v>${escaped(cached)}</v>`,
})

export interface WrittenSheet {
  readonly name: string
  readonly rows: readonly (readonly WrittenCell[])[]
  /** After the rows. */
  readonly merged?: readonly string[]
}

export interface WrittenWorkbook {
  readonly sheets: readonly WrittenSheet[]
  readonly sharedTexts?: readonly string[]
  readonly is1904?: boolean
  /** Custom number formats; cells reference them by position, from 1; 0 is general. */
  readonly formats?: readonly string[]
  readonly isStrict?: boolean
}

const TRANSITIONAL = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const STRICT = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** Line breaks as character references, because XML would normalise them to LF. */
const escaped = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\r', '&#13;')

/** The parts of a workbook, which a test may modify before packing them. */
export function workbookParts(workbook: WrittenWorkbook): Record<string, string> {
  const namespace = workbook.isStrict === true ? STRICT : TRANSITIONAL
  const { sheets, sharedTexts = [], formats = [] } = workbook
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const relations = (content: string) =>
    `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`
  const ids = sheets.map((_, index) => index + 1)
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relations(relation('r1', 'officeDocument', '/xl/workbook.xml')),
    'xl/workbook.xml':
      `${HEAD}<workbook xmlns="${namespace}" xmlns:r="${RELATIONS}"><workbookPr date1904="${workbook.is1904 === true ? 1 : 0}"/>` +
      `<sheets>${ids.map((id) => `<sheet name="${escaped(sheets[id - 1]?.name ?? '')}" sheetId="${id}" r:id="s${id}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ids.map((id) => relation(`s${id}`, 'worksheet', `worksheets/sheet${id}.xml`)).join('') +
        relation('t', 'sharedStrings', 'sharedStrings.xml') +
        relation('y', 'styles', 'styles.xml'),
    ),
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${namespace}">${sharedTexts.map((one) => `<si>${one}</si>`).join('')}</sst>`,
    'xl/styles.xml':
      `${HEAD}<styleSheet xmlns="${namespace}"><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(code)}"/>`).join('')}</numFmts>` +
      `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, HEAD + sheetText(sheet, namespace)]),
    ),
  }
}

function sheetText({ rows, merged = [] }: WrittenSheet, namespace: string): string {
  const cells = (row: readonly WrittenCell[], at: number) =>
    row
      .map((cell, column) =>
        cell === undefined ? '' : `<c r="${cellName(at, column)}" ${cell.attributes ?? ''}>${cell.content}</c>`,
      )
      .join('')
  const data = rows.map((row, at) => `<row r="${at + 1}">${cells(row, at)}</row>`).join('')
  const ranges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('')
  return `<worksheet xmlns="${namespace}"><sheetData>${data}</sheetData><mergeCells>${ranges}</mergeCells></worksheet>`
}

export function packed(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, content]) => [path, strToU8(content)])), {
    mtime: new Date(2026, 1, 1),
  })
}

export const workbookBytes = (workbook: WrittenWorkbook) => packed(workbookParts(workbook))
