import { expect, test } from 'vitest'
import { TooLarge } from '../size-error.ts'
import { readXml, XmlFault } from './read-xml.ts'
import { readTree, type XmlElement } from './tree.ts'

/** The calls of the handler for a document, as text. */
function eventsOf(...pieces: readonly string[]): readonly string[] {
  const events: string[] = []
  readXml(pieces, {
    open: ({ uri, local }, attributes, offset) =>
      events.push(`${offset} <{${uri}}${local} a=${attributes.get('a')} n:a=${attributes.getIn('/n', 'a')}>`),
    text: (text) => events.push(text),
    close: ({ local }) => events.push(`</${local}>`),
  })
  return events
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['an element', ['<r/>'], ['0 <{}r a=undefined n:a=undefined>', '</r>']],
  ['a text', ['<r>a&lt;&#98;</r>'], ['0 <{}r a=undefined n:a=undefined>', 'a<b', '</r>']],
  ['characters', ['<r><![CDATA[<a>]]></r>'], ['0 <{}r a=undefined n:a=undefined>', '<a>', '</r>']],
  ['a declaration', ['<?xml version="1.0" encoding="UTF-8"?><r/>'], ['38 <{}r a=undefined n:a=undefined>', '</r>']],
  [
    'an encoding of ASCII',
    ['<?xml version="1.0" encoding="us-ascii"?><r/>'],
    ['41 <{}r a=undefined n:a=undefined>', '</r>'],
  ],
  ['a declaration without an encoding', ['<?xml version="1.0"?><r/>'], ['21 <{}r a=undefined n:a=undefined>', '</r>']],
  [
    'pieces',
    ['<r a="1', '"><s', '/></r>'],
    ['0 <{}r a=1 n:a=undefined>', '9 <{}s a=undefined n:a=undefined>', '</s>', '</r>'],
  ],
  [
    'namespaces',
    ['<p:r xmlns:p="urn:x" xmlns:q="urn:y/n" q:a="1" p:a="2"/>'],
    ['0 <{urn:x}r a=undefined n:a=1>', '</r>'],
  ],
  [
    'an attribute of the name of a member of objects',
    ['<r constructor="1"/>'],
    ['0 <{}r a=undefined n:a=undefined>', '</r>'],
  ],
])('%s: events', (_, pieces, events) => {
  expect(eventsOf(...pieces)).toEqual(events)
})

const nested = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`
const attributes = (count: number) =>
  `<a>${`<b ${Array.from({ length: count }, (_, at) => `x${at}="1"`).join(' ')}/>`.repeat(2)}</a>`

test.each([
  ['<!DOCTYPE r><r/>', 'a document type declaration (DOCTYPE) is not supported', 11],
  [
    '<?xml version="1.0" encoding="latin1"?><r/>',
    'the encoding latin1 is not supported: save the document as UTF-8',
    38,
  ],
  [
    '<?xml version="1.0" encoding="xutf-8"?><r/>',
    'the encoding xutf-8 is not supported: save the document as UTF-8',
    38,
  ],
  ['<r>', 'unclosed tag: r', 2],
  ['<r></s>', 'unexpected close tag', 6],
  ['', 'document must contain a root element', 0],
  [nested(101), 'elements are nested more than 100 levels deep', 302],
  [attributes(201), 'an element has more than 200 attributes', 1703],
])('document %# is refused', (text, message, offset) => {
  let fault: unknown
  try {
    eventsOf(text)
  } catch (error) {
    fault = error
  }
  expect(fault).toBeInstanceOf(XmlFault)
  expect(fault).toMatchObject({ message, offset })
})

test('elements nested 100 levels deep, and elements with 200 attributes, are read', () => {
  expect(eventsOf(nested(100))).toHaveLength(200)
  expect(eventsOf(attributes(200))).toHaveLength(6)
})

test('the elements of a document are counted', () => {
  expect(readTree('<r><s/></r>', 2).children).toHaveLength(1)
  expect(() => readTree('<r><s/><s/></r>', 2)).toThrow(new TooLarge('the document has more than 2 elements'))
})

test('the tree of a document', () => {
  const shown = ({ uri, local, text, offset, children }: XmlElement): string =>
    `${offset} {${uri}}${local} "${text}" [${children.map(shown).join(', ')}]`
  expect(shown(readTree('<r xmlns="u">a<s>b</s>c<!-- d --><t/></r>', 9))).toBe(
    '0 {u}r "ac" [14 {u}s "b" [], 33 {u}t "" []]',
  )
})
