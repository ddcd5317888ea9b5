import { quote, type Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { HttpError, textOf } from '@engine/http-server'
import type { ImportFormat } from '../../compute/tasks.ts'

const JSON_TYPES = ['application/json'] as const
const XML_TYPES = ['application/xml', 'text/xml'] as const
const XLSX_TYPES = [
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
] as const

/** Content types by format: the first one is the one to send. */
const TYPES: { readonly [Format in ImportFormat]: readonly string[] } = {
  engine: JSON_TYPES,
  jdm: JSON_TYPES,
  dmn: XML_TYPES,
  'json-rules-engine': JSON_TYPES,
  xlsx: XLSX_TYPES,
  csv: ['text/csv'],
}

export const IMPORT_FORMATS = Object.keys(TYPES) as readonly ImportFormat[]

/**
 * Bodies as texts, which a message to a thread can carry: bytes of one character each. JSON is read there too: the values of
 * 50 MiB would hold the event loop, and their memory.
 */
export const READS = {
  ...Object.fromEntries(
    [...JSON_TYPES, ...XML_TYPES, 'text/csv'].map((type) => [
      type,
      (bytes: Buffer) => Promise.resolve<Value>(textOf(bytes)),
    ]),
  ),
  ...Object.fromEntries(
    XLSX_TYPES.map((type) => [type, (bytes: Buffer) => Promise.resolve<Value>(bytes.toString('latin1'))]),
  ),
}

/** The parameter `format`. Throws 400. */
export function formatIn(query: URLSearchParams): ImportFormat {
  const given = query.get('format')
  const format = IMPORT_FORMATS.find((one) => one === given)
  if (format !== undefined) return format
  const found = given === null ? 'it is missing' : `found ${quote(given)}`
  throw invalidParameter('format', `must be one of ${IMPORT_FORMATS.map((one) => quote(one)).join(', ')}: ${found}`)
}

/** Throws 415 for a document that is sent with the content type of another format. */
export function requireType(format: ImportFormat, header: string | undefined): void {
  const [type = ''] = (header ?? '').split(';')
  const types = TYPES[format]
  if (types.includes(type.trim().toLowerCase())) return
  const message = `a document of the format ${quote(format)} is sent with \`content-type: ${types[0]}\``
  throw new HttpError('unsupported-media-type', message)
}
