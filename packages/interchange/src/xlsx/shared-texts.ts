import { type Package, PartFault, readPart } from './workbook.ts'

/** Texts of one workbook: a table of 100,000 rows has fewer distinct ones. */
const MAX_TEXTS = 2_000_000

/** The shared texts that cells reference by number. Linear in the size of the part. Throws `PartFault`. */
export function readSharedTexts(pack: Package, path: string | undefined): readonly string[] {
  if (path === undefined) return []
  const texts: string[] = []
  const reader = new TextReader()
  readPart(pack, path, {
    open({ local }) {
      if (local === 'si') reader.begin()
      else reader.open(local)
    },
    text: (text) => reader.text(text),
    close({ local }) {
      reader.close(local)
      if (local !== 'si') return
      if (texts.length === MAX_TEXTS) throw new PartFault(`the workbook has more than ${MAX_TEXTS} texts`)
      texts.push(reader.taken())
    },
  })
  return texts
}

/** The text of an element with formatted runs, without phonetic hints. */
export class TextReader {
  #parts: string[] = []
  #isText = false
  #pronunciation = 0

  begin(): void {
    this.#parts = []
  }

  open(local: string): void {
    if (local === 'rPh') this.#pronunciation++
    if (local === 't') this.#isText = this.#pronunciation === 0
  }

  text(text: string): void {
    if (this.#isText) this.#parts.push(text)
  }

  close(local: string): void {
    if (local === 'rPh') this.#pronunciation--
    if (local === 't') this.#isText = false
  }

  taken(): string {
    return unescaped(this.#parts.join(''))
  }
}

/** Workbooks encode characters that XML cannot contain as `_x000B_`. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
