import { SaxesParser } from 'saxes'
import { TooLarge } from '../size-error.ts'

/** What a document of XML is made of, in its order. Names carry their namespace: `{uri}local`, or `local` without one. */
export interface XmlHandler {
  /** `offset`: of the `<`, in UTF-16 units from the beginning of the document. */
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
  /** Of the attribute without a namespace. */
  get(name: string): string | undefined
  /** Of the attribute of a name in a namespace that ends so. */
  getIn(namespace: string, local: string): string | undefined
}

/** Why a document is refused, and where. */
export class XmlFault extends Error {
  /** UTF-16 units from the beginning of the document. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** Elements within elements. */
const DEEPEST = 100
/** Elements of one document: a part of a workbook with 100,000 rows of thirty cells has fewer. */
const MAX_ELEMENTS = 8_000_000
/** Attributes of one element, namespaces that it declares included. */
const MAX_ATTRIBUTES = 200

/**
 * Reads a document that arrives in pieces of text, and calls the handler. No entity is expanded but the five that XML has
 * and those of characters: a document with a DOCTYPE is refused, and with it every entity of its own. Costs the length
 * of the text; keeps the open elements, of which there are at most 100, and the text between two tags. Throws `XmlFault`
 * and `TooLarge`.
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
  parser.on('doctype', () => refuse('a document type declaration (DOCTYPE) is not read'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii|ascii)$/i.test(encoding))
      refuse(`the encoding ${encoding} is not read: save the document as UTF-8`)
  })
  parser.on('opentagstart', ({ name }) => {
    attributes = 0
    start = parser.position - name.length - 2
    if (++elements > mostElements) throw new TooLarge(`the document has more than ${mostElements} elements`)
    if (++depth > DEEPEST) refuse(`elements are nested more than ${DEEPEST} levels deep`)
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

/** The parser's message without the place before it. */
const reason = (message: string) => message.replace(/^[\d:]*:\s*/, '').replace(/\.$/, '')

type Attribute = { readonly prefix: string; readonly uri: string; readonly local: string; readonly value: string }

/** Looks attributes up as the parser has them: most elements of a large sheet have some that are never read. */
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
