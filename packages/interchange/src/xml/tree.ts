import { readXml, type XmlAttributes } from './read-xml.ts'

/** An element with what it holds. Comments and processing instructions are left out. */
export interface XmlElement {
  readonly uri: string
  readonly local: string
  readonly attributes: XmlAttributes
  readonly children: readonly XmlElement[]
  /** What stands directly in it. */
  readonly text: string
  /** Of its `<`, in UTF-16 units from the beginning of the document. */
  readonly offset: number
}

type Growing = Omit<XmlElement, 'children' | 'text'> & { children: XmlElement[]; text: string }

/** The root of a document. Costs its length; keeps all of it. Throws `XmlFault`. */
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
  // A document without a root does not get here: the reader refuses it.
  if (root === undefined) throw new Error('a document of XML without an element was read')
  return root
}
