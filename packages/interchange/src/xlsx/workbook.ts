import { quote } from '@engine/expression'
import { DecodeUTF8 } from 'fflate'
import { readXml, type XmlAttributes, XmlFault, type XmlHandler } from '../xml/read-xml.ts'
import { type Allowance, unfolded, type ZipEntry, ZipFault } from './zip.ts'

/** The parts of a workbook that contain rules. */
export interface Workbook {
  readonly sheets: readonly Sheet[]
  /** Path of the shared texts; undefined when there are none. */
  readonly texts: string | undefined
  readonly styles: string | undefined
  /** Whether days are counted from 1904 instead of 1900. */
  readonly is1904: boolean
}

export interface Sheet {
  readonly name: string
  /** Undefined for a sheet without cells: a chart or a dialog. */
  readonly path: string | undefined
}

/** An Office Open XML package (ECMA-376): its files, and the remaining decompression allowance. */
export interface Package {
  readonly files: ReadonlyMap<string, ZipEntry>
  readonly allowance: Allowance
}

/** Why a part is rejected. */
export class PartFault extends Error {}

/** Reads a part of a package in pieces. Throws `PartFault`. */
export function readPart({ files, allowance }: Package, path: string, handler: XmlHandler): void {
  const entry = files.get(path)
  if (entry === undefined) throw new PartFault(`the part ${quote(path)} is missing`)
  try {
    readXml(texts(unfolded(entry, allowance)), handler)
  } catch (error) {
    if (error instanceof XmlFault || error instanceof ZipFault)
      throw new PartFault(`the part ${quote(path)} cannot be read: ${error.message}`)
    throw error
  }
}

function* texts(pieces: Iterable<Uint8Array>): Generator<string> {
  const ready: string[] = []
  const decoder = new DecodeUTF8((text) => void ready.push(text))
  for (const piece of pieces) {
    decoder.push(piece)
    for (const text of ready.splice(0)) {
      if (text.includes('\uFFFD')) throw new ZipFault('it is not UTF-8')
      yield text
    }
  }
}

/** Relations by id, with the path of their target. */
type Relations = ReadonlyMap<string, { readonly type: string; readonly path: string }>

const MAIN_PART = 'the package has no workbook: it was not written by Excel 2007 or later'

/** Reads the list of a workbook's parts. Throws `PartFault`. */
export function readWorkbook(pack: Package): Workbook {
  const root = relationsOf(pack, '')
  const main = [...root.values()].find(({ type }) => type === 'officeDocument')?.path
  if (main === undefined) throw new PartFault(MAIN_PART)
  const relations = relationsOf(pack, main)
  const sheets: Sheet[] = []
  let is1904 = false
  readPart(pack, main, {
    open({ local }, attributes) {
      if (local === 'workbookPr') is1904 = isTrue(attributes.get('date1904'))
      if (local === 'sheet') sheets.push(sheetOf(attributes, relations))
    },
    text() {},
    close() {},
  })
  const pathOf = (wanted: string) => [...relations.values()].find(({ type }) => type === wanted)?.path
  return { sheets, texts: pathOf('sharedStrings'), styles: pathOf('styles'), is1904 }
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true'

function sheetOf(attributes: XmlAttributes, relations: Relations): Sheet {
  const relation = relations.get(attributes.getIn('/relationships', 'id') ?? '')
  return { name: attributes.get('name') ?? '', path: relation?.type === 'worksheet' ? relation.path : undefined }
}

function relationsOf(pack: Package, part: string): Relations {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  const found = new Map<string, { readonly type: string; readonly path: string }>()
  const path = `${folder}_rels/${part.slice(folder.length)}.rels`
  if (!pack.files.has(path)) throw new PartFault(MAIN_PART)
  readPart(pack, path, {
    open({ local }, attributes) {
      if (local !== 'Relationship' || attributes.get('TargetMode') === 'External') return
      const type = attributes.get('Type')?.split('/').at(-1) ?? ''
      found.set(attributes.get('Id') ?? '', { type, path: resolved(folder, attributes.get('Target') ?? '') })
    },
    text() {},
    close() {},
  })
  return found
}

/** Resolves a target relative to the part's folder, or from the root. */
function resolved(folder: string, target: string): string {
  const parts: string[] = []
  for (const part of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
