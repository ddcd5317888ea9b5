import { readXml, type XmlAttributes } from './read-xml.ts'

/** An element with its content. Comments and processing instructions are omitted. */
export interface XmlElement {
  readonly uri: string
  readonly local: string
  readonly attributes: XmlAttributes
  readonly children: readonly XmlElement[]
  /** Its direct text content. */
  readonly text: string
  /** Offset of its `<`, in UTF-16 units from the start of the document. */
  readonly offset: number
}

type Growing = Omit<XmlElement, 'children' | 'text'> & { children: XmlElement[]; text: string }

/** The root of a document. Linear in its length; keeps the whole document in memory. Throws `XmlFault`. */
export function readTree(document: string, mostElements: number): XmlElement {
  const open: Growing[] = []
  let root: XmlElement | undefined
  const handler: Parameters<typeof readXml>[1] = {
    open({ uri, local }, attributes, offset) {
      const element: Growing = { uri, local, attributes, offset, children: [], text: '' }
      open.at(-1)?.children.push(element)
      root ??= element
      open.push(element)
    },
    text(text) {
      const element = open.at(-1)
      if (element !== undefined) element.text += text
    },
    close() {
      open.pop()
    },
  }
  readXml([document], handler, mostElements)
  // The reader rejects a document without a root.
  if (root === undefined) throw new Error('a document of XML without an element was read')
  return root
}
