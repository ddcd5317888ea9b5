import { SaxesParser } from 'saxes'
import { TooLarge } from '../size-error.ts'

/**
 * Receives the content of an XML document in order. Names include their namespace: `{uri}local`, or `local` without
 * one.
 */
export interface XmlHandler {
  /** `offset`: of the `<`, in UTF-16 units from the start of the document. */
  open(name: XmlName, attributes: XmlAttributes, offset: number): void
  text(text: string): void
  close(name: XmlName): void
}

export interface XmlName {
  readonly uri: string
  readonly local: string
}

/** The attributes of an element. */
export interface XmlAttributes {
  /** The attribute without a namespace. */
  get(name: string): string | undefined
  /** The attribute in a namespace with this suffix. */
  getIn(namespace: string, local: string): string | undefined
}

/** Why a document is rejected, and where. */
export class XmlFault extends Error {
  /** UTF-16 units from the start of the document. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Nesting levels of elements. */
const MAX_DEPTH = 100
/** Elements of one document: a part of a workbook with 100,000 rows of thirty cells has fewer. */
const MAX_ELEMENTS = 8_000_000
/** Attributes of one element, including namespace declarations. */
const MAX_ATTRIBUTES = 200

/**
 * Reads a document from pieces of text, and calls the handler. Only the five predefined entities and character
 * references are expanded: a document with a DOCTYPE, and thereby any custom entity, is rejected. Linear in the length
 * of the text; keeps the open elements, at most 100, and the text between two tags in memory. Throws `XmlFault` and
 * `TooLarge`.
 */
export function readXml(pieces: Iterable<string>, handler: XmlHandler, mostElements = MAX_ELEMENTS): void {
  const parser = new SaxesParser({ xmlns: true, position: true })
  let elements = 0
  let depth = 0
  let attributes = 0
  let start = 0
  const refuse = (message: string) => {
    throw new XmlFault(message, Math.max(0, parser.position - 1))
  }
  parser.on('error', (error) => refuse(reason(error.message)))
  parser.on('doctype', () => refuse('a document type declaration (DOCTYPE) is not supported'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii|ascii)$/i.test(encoding))
      refuse(`the encoding ${encoding} is not supported: save the document as UTF-8`)
  })
  parser.on('opentagstart', ({ name }) => {
    attributes = 0
    start = parser.position - name.length - 2
    if (++elements > mostElements) throw new TooLarge(`the document has more than ${mostElements} elements`)
    if (++depth > MAX_DEPTH) refuse(`elements are nested more than ${MAX_DEPTH} levels deep`)
  })
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) refuse(`an element has more than ${MAX_ATTRIBUTES} attributes`)
  })
  parser.on('opentag', (tag) => handler.open(tag, new TagAttributes(tag.attributes), start))
  parser.on('text', (text) => handler.text(text))
  parser.on('cdata', (text) => handler.text(text))
  parser.on('closetag', (tag) => {
    depth--
    handler.close(tag)
  })
  for (const piece of pieces) parser.write(piece)
  parser.close()
}

/** The parser's message without the leading position. */
const reason = (message: string) => message.replace(/^[\d:]*:\s*/, '').replace(/\.$/, '')

type Attribute = { readonly prefix: string; readonly uri: string; readonly local: string; readonly value: string }

/** Resolves attributes lazily: most elements of a large sheet have some that are never read. */
class TagAttributes implements XmlAttributes {
  readonly #byName: Readonly<Record<string, Attribute>>

  constructor(byName: Readonly<Record<string, Attribute>>) {
    this.#byName = byName
  }

  get(name: string): string | undefined {
    const found = Object.hasOwn(this.#byName, name) ? this.#byName[name] : undefined
    return found?.prefix === '' ? found.value : undefined
  }

  getIn(namespace: string, local: string): string | undefined {
    return Object.values(this.#byName).find((one) => one.local === local && one.uri.endsWith(namespace))?.value
  }
}
