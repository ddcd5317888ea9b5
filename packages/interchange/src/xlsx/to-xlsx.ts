import { strToU8, zipSync } from 'fflate'
import { cellName } from './sheet.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** The archive has the earliest date of its format: equal tables give equal bytes. */
const DATE = new Date(1980, 0, 1)

/** Characters of a sheet's name, which excludes some. */
const MAX_NAME = 31

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/

/** A workbook (Office Open XML, ECMA-376) of one sheet. Numbers become numbers, all other cells texts: nothing is a formula. */
export function toXlsx(name: string, records: readonly (readonly string[])[]): Uint8Array {
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
    '_rels/.rels': relationships('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escaped(sheetName(name))}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${records.map(rowText).join('')}</sheetData></worksheet>`,
  }
  const files = Object.entries(parts).map(([path, text]) => [path, strToU8(`${HEAD}${text}`)] as const)
  return zipSync(Object.fromEntries(files), { mtime: DATE })
}

const relationships = (type: string, target: string) =>
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`

const sheetName = (name: string) => name.replaceAll(/[[\]:*?/\\]/g, '-').slice(0, MAX_NAME) || 'table'

function rowText(cells: readonly string[], row: number): string {
  const texts = cells.map((cell, column) => (cell === '' ? '' : cellText(cell, cellName(row, column))))
  return `<row r="${row + 1}">${texts.join('')}</row>`
}

function cellText(cell: string, place: string): string {
  if (NUMBER.test(cell) && String(Number(cell)) === cell) return `<c r="${place}"><v>${cell}</v></c>`
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
}

/** Characters that XML excludes are written as Office does, `_x0001_`, and texts that look so are escaped. */
function escaped(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(
      /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu,
      (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
}
